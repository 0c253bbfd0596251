"""What the report's parts share: rows of the frame picked and cleaned, and the plain names of measures."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from tealeaves.runs import base_name
from tealeaves.verdicts import number

Row = dict[str, Any]
LIMITS = re.compile(r"[\[(](-?[\d.]+), (-?[\d.]+)[\])]")  # of a measure, where both are numbers
ARROWS = {"high": "↑ higher is better", "low": "↓ lower is better", None: "neither end is better"}
PLAIN = {
    "npmi": ("Coherence", "Do the top words share documents more than chance?"),
    "c_v": ("Coherence by company", "Do the top words keep the same company?"),
    "c_p": ("Coherence by confirmation", "Does a word make the words before it likelier?"),
    "c_a": ("Coherence by context", "Do the top words stand in the same contexts?"),
    "uci": ("Coherence, rare pairs first", "Do the top words meet near each other? Rare pairs weigh most."),
    "umass": ("Coherence by rank", "Is a word found where the words ranked above it are?"),
    "u_mass": ("Coherence by rank, mean", "Is a word found where the words ranked above it are?"),
    "doc_coherence": ("Documents alike", "Are the documents of a topic about the same thing?"),
    "we_coherence": ("Words alike", "Do the top words have similar vectors?"),
    "topic_diversity": ("Distinct words", "What share of all top words is unique?"),
    "diversity": ("Words of their own", "How few top words does a topic share with others?"),
    "topic_overlap": ("Shared words", "How many top words does a topic share with others?"),
    "inverted_rbo": ("Distinct rankings", "How different are the ranked lists?"),
    "average_jaccard": ("Alike rankings", "How much do the ranked lists overlap?"),
    "exclusivity": ("Exclusive words", "Do the top words belong to one topic only?"),
    "frex": ("Frequent and exclusive", "Are the top words frequent and of one topic only?"),
    "topic_distance": ("Distance of topics", "How far apart are the topics' words?"),
    "tq": ("Coherent and distinct", "Coherence times distinct words, topic by topic."),
    "sig_uni": ("Far from a flat list", "Does a topic favour some words over all others?"),
    "sig_vac": ("Far from the whole corpus", "Does a topic differ from the corpus' own words?"),
    "sig_back": ("Far from background", "Is a topic at home in some documents only?"),
    "perplexity": ("Held-out perplexity", "How surprising are words it has not seen?"),
    "log_likelihood": ("Held-out likelihood", "How likely are words it has not seen?"),
    "bits_per_word": ("Bits a word", "How many bits does an unseen word cost?"),
    "bound_sklearn": ("scikit-learn's bound", "What is scikit-learn's perplexity made of?"),
    "bound_gensim": ("gensim's bound", "What is gensim's log_perplexity made of?"),
    "switch_p": ("Changes of topic", "How often does the next word change topic?"),
    "switch_vi": ("Disorder of changes", "How little does a word's topic tell of the next one's?"),
    "avg_rank": ("Rank of the words", "How high in their topics do the words stand?"),
    "window": ("Fit to the neighbours", "How well do words fit the topics around them?"),
    "word_div": ("Words unlike their topics", "How far are documents from what their topics lead to expect?"),
    "label_f1": ("Classes foretold", "Do the topics of a document tell its class?"),
    "purity": ("Purity", "Do documents of one topic have one class?"),
    "nmi": ("Shared information", "How much do topics and classes tell of each other?"),
    "ari": ("Agreement of pairs", "Are documents together in topics that are in classes?"),
    "ttc": ("Coherence across slices", "Do words of neighbouring slices share documents?"),
    "tts": ("Words kept", "How many words stay from slice to slice?"),
    "ttq": ("Coherent and kept", "Coherence across slices times words kept."),
    "dtq": ("Quality in and across slices", "The mean of both halves of quality."),
    "b_tc": ("Coherence slice by slice", "The mean of each slice alone."),
    "b_ts": ("Words kept throughout", "How many words do any two slices share?"),
    "griffiths2004": ("Fit to the training words", "How likely are the words, given their topics?"),
    "cao2009": ("Alike topics", "How much do topics resemble each other?"),
    "arun2010": ("Mismatch of sizes", "Do singular values match the topics' sizes?"),
    "deveaud2014": ("Divergence of topics", "How far do topics diverge?"),
    "sup_cov": ("Reference topics matched", "What share of the reference topics is matched?"),
    "sup_cov_nocos": ("Matched without cosine", "What share is matched by other distances?"),
    "precision": ("Topics that match", "What share of the topics matches a reference topic?"),
    "ppc": ("Fit to the model's assumptions", "Are words more bursty than the model assumes?"),
    "au_cdc": ("Coverage", "Are the reference topics found?"),
    "consistency": ("Consistency", "Do neighbouring words stay in one topic?"),
    "instance_stabil": ("Found again", "Do other runs find the same topics?"),
}


def plain(details: Any) -> Row:
    if isinstance(details, Mapping):
        return dict(details)
    return {k: v for k, v in vars(details).items() if not k.startswith("_")}


def clean(row: Row) -> Row:
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}


def runs_of(models: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the runs of each model; a model that was fitted once is its own only run."""
    runs: dict[str, list[str]] = {}
    for name in [*models, *(row["model"] for row in rows)]:
        group = runs.setdefault(base_name(name), [])
        if name not in group and (name != base_name(name) or name in models or not group):
            group.append(name)
    return {base: [r for r in group if r != base] or [base] for base, group in runs.items()}


@cache
def measure_facts(spec: str) -> Row:
    """Plain name, question, direction and needs of a measure; unknown ones keep their spec as name."""
    from tealeaves.errors import TealeavesError
    from tealeaves.measures._table import parse

    name, best, question, limits = re.split(r"[(@]", spec)[0], None, "", None
    try:
        parsed = parse(spec)
        name, best, question = parsed.name, parsed.measure.best, parsed.measure.summary
        limits = LIMITS.fullmatch(parsed.measure.range)
    except TealeavesError:
        pass  # a measure of another version: its numbers are still shown
    title, asks = PLAIN.get(name, (spec, question))
    return {
        "name": name,
        "title": title,
        "asks": asks,
        "best": best,
        "arrow": ARROWS[best],
        "limits": (float(limits[1]), float(limits[2])) if limits else None,
    }


def pick(rows: Iterable[Row], **where: Any) -> list[Row]:
    return [row for row in rows if all(row.get(k) == v for k, v in where.items())]


def whole(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if not row.get("group")]


def unique(items: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(items))


def fixed(value: float | None, digits: int = 2) -> str:
    """A number with as many decimals as the others of its table.

    Examples
    --------
    >>> fixed(-85.5, 0), fixed(-0.0004), fixed(1234.5, 1), fixed(float("inf")), fixed(None)
    ('−86', '0.00', '1,234.5', '∞', '–')
    """
    if value is None or not math.isfinite(value):
        return number(value)
    text = f"{value:,.{digits}f}"
    return (text if text.strip("-0.,") else text.lstrip("-")).replace("-", "−")


def count_of(n: Any, noun: str) -> str:
    if n is None:
        return f"? {noun}s"
    return f"{int(n):,} {noun}" + ("" if int(n) == 1 else "s")


def names_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
