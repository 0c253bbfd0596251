"""The grammar of specs: what is written, what it means, and what a mistake is told."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.errors import SpecError
from tealeaves.measures import _table
from tealeaves.measures._table import ALIASES, GROUPS, parse, parse_all

MEASURES = {measure.name: measure for measure in tl.measures()}


def values_of(measure, name):
    """Values that the grammar takes for a parameter."""
    default = measure.defaults[name]
    if name in measure.choices:
        return st.sampled_from(measure.choices[name])
    if name == "window" and name in dict(measure.conditions):  # of slices
        return st.integers(2, 10**6)
    if name == "coherence" and name in dict(measure.conditions):  # of pairs
        return st.sampled_from(["npmi", "uci", "npmi(window=10)", "uci(oov='drop')"])
    if name == "window":
        return st.one_of(st.none(), st.integers(1, 10**6))
    if isinstance(default, bool):
        return st.booleans()
    if isinstance(default, int):
        return st.integers(2 if name in dict(measure.conditions) else 1, 10**6)
    if name in dict(measure.conditions):
        return st.floats(0.01, 0.99)
    if isinstance(default, float):
        return st.one_of(st.integers(0, 100), st.floats(0, 1e6))
    return st.sampled_from(["npmi", "c_v", "npmi(window=10)", "npmi(oov='drop', window=50)"])


@st.composite
def written(draw):
    """A name of a measure or an alias, some parameters in any order, and perhaps a number of words."""
    name = draw(st.sampled_from([*MEASURES, *ALIASES]))
    measure = MEASURES[ALIASES.get(name, (name,))[0]]
    names = draw(st.lists(st.sampled_from(sorted(measure.defaults) or ["-"]), unique=True))
    params = {n: draw(values_of(measure, n)) for n in names if n != "-"}
    top = draw(st.one_of(st.none(), st.integers(1, 10_000))) if measure.takes_top else None
    blank = draw(st.sampled_from(["", " ", "  "]))
    inside = f",{blank}".join(f"{key}{blank}={blank}{value!r}" for key, value in params.items())
    call = f"{name}({blank}{inside})" if params or draw(st.booleans()) else name
    return name, params, top, f"{blank}{call}{blank}" + (f"@{blank}{top}{blank}" if top else "")


# --- values from outside: the spellings of API.md


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("npmi@10", "npmi@10"),
        ("npmi", "npmi@10"),
        ("npmi()", "npmi@10"),
        ("npmi(window=10)@10", "npmi(window=10)@10"),
        ("npmi(window=None)@10", "npmi@10"),
        ("c_npmi@10", "npmi(smoothing=1e-12, window=10)@10"),
        ("c_npmi(window=50, oov='drop')@10", "npmi(oov='drop', smoothing=1e-12, window=50)@10"),
        ("c_uci@5", "uci@5"),
        ('c_v(compat="gensim")@10', "c_v(compat='gensim')@10"),
        ("umass(smoothing=1)@20", "umass@20"),
        ("td@25", "topic_diversity@25"),
        ("irbo(p=0.5)", "inverted_rbo(p=0.5)@10"),
        ("topic_distance(kind='cosine')", "topic_distance"),
        ("tq(coherence='c_v')@10", "tq(coherence='c_v')@10"),
        (" npmi ( window = 10 ) @ 10 ", "npmi(window=10)@10"),
    ],
)
def test_a_spec_is_shown_expanded_and_without_its_defaults(text, canonical):
    assert str(parse(text)) == canonical
    assert str(tl.measure(text)) == canonical


def test_the_measures_of_the_literature_are_all_there():
    wanted = "umass u_mass uci npmi c_v c_p c_a diversity topic_diversity topic_overlap inverted_rbo "
    wanted += "average_jaccard exclusivity frex topic_distance tq sig_uni sig_vac sig_back"
    assert set(wanted.split()) <= set(MEASURES)
    assert {"c_uci", "c_npmi"} <= set(ALIASES)


# --- the grammar


@given(written())
def test_the_canonical_spelling_reads_back_as_the_same_spec(drawn):
    *_, text = drawn
    spec = parse(text)
    assert parse(str(spec)) == spec
    assert str(parse(str(spec))) == str(spec)
    assert hash(parse(str(spec))) == hash(spec)
    assert parse(spec) is spec


@given(written())
def test_a_spec_means_what_is_written_over_what_an_alias_implies_over_the_defaults(drawn):
    name, params, top, text = drawn
    spec = parse(text)
    base, implied = ALIASES.get(name, (name, {}))
    assert spec.name == base
    assert spec.settings == {**MEASURES[base].defaults, **implied, **params}
    assert spec.top == (top or (10 if MEASURES[base].takes_top else None))


@given(st.lists(written(), min_size=1, max_size=5))
def test_commas_inside_parentheses_and_quotes_do_not_part_a_list(drawn):
    texts = [text for *_, text in drawn if text.strip() not in GROUPS]
    assume(texts)
    one_by_one = tuple(dict.fromkeys(parse(text) for text in texts))
    assert parse_all(", ".join(texts)) == parse_all(texts) == one_by_one


def test_a_list_of_specs_with_parameters_is_cut_at_the_right_commas():
    text = "npmi(window=10, oov='drop')@10,tq(coherence='npmi(window=10, smoothing=1e-12)')@5, sig_uni"
    assert list(map(str, parse_all(text))) == [
        "npmi(oov='drop', window=10)@10",
        "tq(coherence='npmi(smoothing=1e-12, window=10)')@5",
        "sig_uni",
    ]


@pytest.mark.parametrize("name", sorted(GROUPS))
def test_a_group_is_the_specs_of_its_list_each_once(name):
    specs = parse_all(name)
    assert specs == tuple(parse(text) for text in GROUPS[name])
    assert len(set(specs)) == len(specs)
    assert parse_all([name, *GROUPS[name], name]) == specs


def test_a_bare_name_that_a_group_and_a_measure_share_is_the_group_in_a_list_and_the_measure_alone():
    assert parse_all("diversity") == parse_all(GROUPS["diversity"])
    assert parse_all("diversity@10") == (parse("diversity"),)


@pytest.mark.parametrize("name", sorted(ALIASES))
def test_an_alias_is_no_name_of_a_measure_and_stands_for_one(name):
    base, implied = ALIASES[name]
    assert name not in MEASURES
    assert name not in GROUPS
    assert parse(name).name == base
    assert dict(parse(name).params) == {k: v for k, v in implied.items() if v != MEASURES[base].defaults[k]}


# --- mistakes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c_nmpi", r"no measure 'c_nmpi'; did you mean 'c_npmi'\?"),  # case 17
        ("c_nmpi@10", "did you mean 'c_npmi'"),
        ("NPMI@10", "did you mean 'npmi'"),
        ("standrad", "did you mean 'standard'"),
        ("qqqq", "`tealeaves measures` lists them"),
        ("npmi(windw=10)@10", r"npmi has no parameter 'windw'; did you mean 'window'\?"),
        ("sig_uni(x=1)", "sig_uni has no parameter 'x'"),
        ("npmi(oov='dorp')", "npmi: oov must be one of 'undefined', 'drop', 'zero'; got 'dorp'"),
        ("npmi(oov=None)", "oov must be one of"),
        ("npmi(compat='octis')", "compat must be one of None, 'gensim', 'palmetto'; got 'octis'"),
        ("npmi(window=0)", "npmi: window must be a whole number of tokens of at least 1, or None .*; got 0"),
        ("npmi(window=10.5)", "window must be a whole number"),
        ("npmi(window='10')", "window must be a whole number .* got '10'"),
        ("npmi(window=True)", "window must be a whole number"),
        ("npmi(smoothing=-1)", "smoothing must be a number of at least 0; got -1"),
        ("npmi(smoothing='x')", "smoothing must be a number"),
        ("npmi(smoothing=1e999)", "smoothing must be a number"),
        ("c_v(gamma=0)", "gamma must be a whole number of at least 1"),
        ("npmi(10)@10", "every parameter needs its name"),
        ("npmi(window=w)", "window must be a number, a quoted text, True, False or None"),
        ("npmi(window=1, window=2)", "named twice"),
        ("npmi(**{})", "no name"),
        ("npmi(window=10", "npmi"),
        ("npmi.x()", "no measure"),
        ("npmi@", "what follows @ is the number of top words, 1 to 10000; got ''"),
        ("npmi@0", "got '0'"),
        ("npmi@-1", "got '-1'"),
        ("npmi@10.5", "got '10.5'"),
        ("npmi@10001", "1 to 10000"),
        ("npmi@ten", "got 'ten'"),
        ("npmi@10@5", "is no measure"),
        ("sig_uni@10", "sig_uni uses all words of a topic, so it takes no @10"),
        ("", "is no measure"),
        ("npmi npmi", "npmi"),
    ],
)
def test_a_mistake_is_named(text, message):
    with pytest.raises(SpecError, match=message):
        parse(text)


@given(st.one_of(st.text(max_size=30), st.text("npmi_c(=')@,10*[]{}.\\\"-x", max_size=20)))
def test_any_text_is_a_spec_or_one_clear_error(text):
    try:
        spec = parse(text)
    except SpecError:
        return
    assert parse(str(spec)) == spec


@given(st.sampled_from(sorted(MEASURES)), st.data())
def test_a_value_that_is_too_large_for_the_machine_is_refused(name, data):
    measure = MEASURES[name]
    free = {k: v for k, v in measure.defaults.items() if k not in measure.choices}
    whole = [k for k, v in free.items() if k == "window" or type(v) is int]
    if whole:
        key = data.draw(st.sampled_from(whole))
        with pytest.raises(SpecError, match=f"{name}: {key} must be a whole number"):
            parse(f"{name}({key}={2**64})")


@pytest.mark.parametrize("nothing", [[], "", " , ", [""]])
def test_asking_for_no_measure_names_the_groups(nothing):
    with pytest.raises(SpecError, match=r"no measure was asked for; .*standard"):
        parse_all(nothing)


@pytest.mark.parametrize("thing", [5, None, ["npmi"]])
def test_what_is_no_text_is_refused(thing):
    with pytest.raises(SpecError, match="named by a text such as 'npmi@10'; got"):
        parse_all([thing])
    if not isinstance(thing, list):
        with pytest.raises(SpecError, match="named by a text"):
            parse_all(thing)
    with pytest.raises(SpecError, match="named by a text"):
        parse(thing)


def test_a_need_that_nobody_makes_cannot_be_entered():
    with pytest.raises(SpecError, match="no such need 'magic'; the needs are pair_counts"):
        _table.measure("x", needs=("magic",), axes=(), best=None, source="")


# --- what the table says of a measure


@pytest.mark.parametrize("measure", tl.measures(), ids=lambda m: m.name)
def test_the_bounds_are_the_numbers_of_the_range(measure):
    low, high = measure.bounds
    assert low < high
    first, _, last = measure.range.strip("[]()").partition(", ")
    for text, bound in ((first, low), (last, high)):
        if text.lstrip("-").replace(".", "").isdigit():
            assert bound == float(text)
        else:
            assert math.isinf(bound)


def test_a_measure_is_its_function_under_its_name():
    from tealeaves.measures import coherence

    assert MEASURES["npmi"].function is coherence.npmi is tl.measures.npmi
    with pytest.raises(AttributeError, match="no attribute 'nothing_such'"):
        tl.measures.nothing_such  # noqa: B018
