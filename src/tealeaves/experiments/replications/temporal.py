"""Topics over time beside versions made worse: Tables 1, 2 and 8, and rows of Tables 6, 7 and 9.

The article's models of 50 topics are not public. Here D-LDA of 10 topics (Blei's program) on fewer abstracts
of NeurIPS and on a sample of the UN debates stand in; if full, D-LDA and D-ETM of 50 topics are fitted, too.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves.experiments.replications import Line, Progress, Replication, data_file

if TYPE_CHECKING:
    from tealeaves.controls import Controls
    from tealeaves.corpus import Corpus
    from tealeaves.dynamic import DynamicTopicModel

SEEDS = {False: 5, True: 20}  # shuffles, and topics repeated
# The authors count windows of 10 tokens smoothed by a trillionth, and take products of means.
MEASURES = {
    "TC": "npmi(window=10, smoothing=1e-12)@10",
    "TD": "diversity@10",
    "TQ": "tq(coherence='npmi(window=10, smoothing=1e-12)')@10",
    "TTC": "ttc(compat='authors')@10",
    "TTS": "tts@10",
    "TTQ": "ttq(compat='authors')@10",
    "DTQ": "dtq(compat='authors')@10",
}
COLUMNS = tuple(MEASURES)
OVER_TIME = ("TTC", "TTS", "TTQ", "DTQ")
# D-LDA of Tables 1 and 8: as fitted, shuffled, repeated.
PRINTED = {
    "NeurIPS": {
        "original": (0.08, 0.97, 0.08, 0.17, 0.94, 0.16, 0.12),
        "shuffled": (0.08, 0.97, 0.08, 0.00, 0.07, 0.00, 0.04),
        "repeated": (0.05, 0.00, 0.00, 0.13, 0.94, 0.12, 0.06),
    },
    "UN": {
        "original": (0.06, 0.94, 0.05, 0.15, 0.96, 0.15, 0.10),
        "shuffled": (0.06, 0.94, 0.05, 0.00, 0.08, 0.00, 0.02),
        "repeated": (0.01, 0.00, 0.00, 0.06, 0.95, 0.06, 0.03),
    },
}
# Table 2: Spearman's correlation of words intruded and score; printed without its sign.
INTRUSION = {"NeurIPS": (0.97, 0.98, 0.98), "UN": (0.87, 0.99, 0.94)}
FILES = {
    "NeurIPS": ("neurips_dlda_k10_top10_txt", ("neurips", "neurips_abstracts_1987_2019.jsonl.gz")),
    "UN": ("un_dlda_k10_top10_txt", ("un", "un_debates_sample12.jsonl.gz")),
}
CONTRAST = "neurips_dtm_k20_top10_txt"  # fitted badly
FITTED = {"dlda": "D-LDA", "detm": "D-ETM"}  # with 50 topics, if full
K, MIN_DF, MAX_DF = 50, 0.05, 0.95
WITHIN = "another model: 10 topics of fewer documents"
NOTES = {
    "original": WITHIN,
    "shuffled": "10 topics meet by chance more often than 50",
    "repeated": "another topic was drawn, of another model",
}
# Words of two slices and the TTS printed for the later; table and year.
WORDS = {
    "6, 1988": "connectionist human figure systems research science knowledge performance target rules",
    "6, 1989": "connectionist figure human rules knowledge target performance science research systems",
    "6, 1990": "figure connectionist rules human target knowledge performance science research information",
    "7, 1996": "position hand task user location based object body target robot",
    "7, 1997": "object position hand task robot user direction location right coordinates",
    "7, 1998": "position hand human line movement direction motor task object location",
    "7, 1999": "spatial localization location light position human temporal subjects robot subject",
    "9, 1990": "rules rule cell extraction group clustering groups cluster expert clusters",
    "9, 1991": "rules rule extraction extracted group expert groups clustering induction self",
    "9, 1992": "rules rule children expert extraction features view self image feature",
    "9, 1993": "image surface view recognition object matching images correspondence views objects",
}
# No reading of the years fits all rows: each printed TTS, with its printed TTC, beside the slices it can be
# of.
ROWS = (
    ("6, 1988", "6, 1989", 1.0, 0.098),
    ("6, 1989", "6, 1990", 0.9, 0.093),
    ("7, 1996", "7, 1997", 0.7, 0.127),
    ("7, 1997", "7, 1998", 0.6, 0.126),
    ("7, 1998", "7, 1999", 0.3, 0.105),
    ("9, 1990", "9, 1991", 0.7, 0.099),
    ("9, 1991", "9, 1992", 0.5, 0.068),
    ("9, 1992", "9, 1993", 0.2, 0.027),
)


def run(data: Path, *, seeds: int = 5, full: bool = False, progress: Progress | None = None) -> Replication:
    """Rows of words first, then each corpus: as fitted, shuffled, repeated, intruded upon."""
    from tealeaves.dynamic import DynamicTopicModel
    from tealeaves.model import read_model

    lines: list[Line] = []
    rows: list[dict[str, Any]] = []
    charts: dict[str, Any] = {}
    says: list[str] = []
    for done, (name, (folder, file)) in enumerate(FILES.items()):
        if progress:
            progress(f"scoring models of {name}", done, len(FILES))
        corpus = dated(data, file, full)
        if name == "NeurIPS":
            lines += printed_rows(corpus)
        model = read_model(data_file(data, "dynamic_models", folder))
        models = {"D-LDA, 10 topics": model}
        if name == "NeurIPS":
            models["a model fitted badly, 20 topics"] = read_model(
                data_file(data, "dynamic_models", CONTRAST)
            )
        if full:
            models |= fitted(corpus)
        for label, one in models.items():
            if not isinstance(one, DynamicTopicModel):
                continue
            found = controlled(one, corpus, seeds)
            values = cells(found)
            rows += [{"corpus": name, "model": label, "topics are": kind, **values[kind]} for kind in values]
            if one is not model:
                continue
            lines += table_lines(name, values)
            lines += intrusion_lines(name, found)
            says += sentences(name, values)
            from tealeaves.plots import controls_chart

            charts[f"Scores over time of {name} by how many words of other topics stand in one slice"] = (
                controls_chart(found)
            )
    return Replication(
        "temporal",
        tuple(lines),
        {"Every model with its controls, means over draws": rows},
        tuple(says),
        charts,
        {"shuffles": seeds, "full": full},
    )


def dated(data: Path, file: tuple[str, ...], full: bool) -> "Corpus":
    """Documents by year; if full, in the article's vocabulary, which models are fitted to."""
    from tealeaves.corpus import read_corpus
    from tealeaves.preprocess import Preprocess

    rules = Preprocess(stop_words="english", min_length=3, min_df=MIN_DF, max_df=MAX_DF) if full else None
    return read_corpus(data_file(data, *file), text="text", time="date", preprocess=rules)


def fitted(corpus: "Corpus") -> "dict[str, DynamicTopicModel]":
    """D-LDA and D-ETM of 50 topics."""
    from tealeaves.fit import fit

    return {f"{name}, {K} topics": fit(family, corpus, k=K, seed=0) for family, name in FITTED.items()}


def controlled(model: "DynamicTopicModel", corpus: "Corpus", draws: int) -> "Controls":
    """The model and its controls, by the authors' ways of counting."""
    from tealeaves.controls import controls

    return controls(model, corpus, measures=tuple(MEASURES.values()), draws=draws)


def cells(found: "Controls") -> dict[str, dict[str, float]]:
    """By kind of model and column of the tables, the score."""
    names = dict(zip(dict.fromkeys(found.table["measure"]), COLUMNS, strict=True))
    values: dict[str, dict[str, float]] = {}
    for row in found.table.iter_rows(named=True):
        values.setdefault(row["model"], {})[names[row["measure"]]] = row["value"]
    return values


def table_lines(name: str, values: Mapping[str, Mapping[str, float]]) -> list[Line]:
    """Tables 1 and 8, D-LDA."""
    return [
        Line(
            f"{name}, {kind}: {column}",
            printed,
            values[kind][column],
            2,
            NOTES[kind] if column in OVER_TIME else WITHIN,
        )
        for kind, row in PRINTED[name].items()
        for column, printed in zip(COLUMNS, row, strict=True)
    ]


def intrusion_lines(name: str, found: "Controls") -> list[Line]:
    """Table 2; ours is the mean over topics of each topic's own correlation."""
    by_measure = {row["measure"]: row["rho_of_topics"] for row in found.reactions.iter_rows(named=True)}
    found_values = list(by_measure.values())[:3]
    note = "mean over all topics; printed is one topic's, without sign"
    return [
        Line(f"{name}: Spearman of words intruded and {column}", -printed, value, 2, note)
        for column, printed, value in zip(("TTC", "TTS", "TTQ"), INTRUSION[name], found_values, strict=True)
    ]


def printed_rows(corpus: "Corpus") -> list[Line]:
    """Rows of Tables 6, 7 and 9: smoothness of printed words, and their coherence in the abstracts."""
    from tealeaves.dynamic import DynamicTopicModel
    from tealeaves.evaluate import evaluate

    lines = []
    for first, last, smooth, coherent in ROWS:
        model = DynamicTopicModel.from_words(
            [[WORDS[first].split()], [WORDS[last].split()]], slice_labels=["1", "2"]
        )
        one: Any = model
        scores = evaluate(one, corpus, measures=[MEASURES["TTC"], MEASURES["TTS"]], ci=None, chance=0)
        years = f"Table {first} to {last.partition(', ')[2]}"
        lines.append(Line(f"{years}: TTS", smooth, scores.value(MEASURES["TTS"]), 1))
        note = "abstracts stand in for whole papers: words meet less often within ten tokens"
        lines.append(Line(f"{years}: TTC", coherent, scores.value(MEASURES["TTC"]), 3, note))
    return lines


def sentences(name: str, values: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Whether what the tables are printed for holds."""
    was, shuffled, repeated = (values[kind] for kind in ("original", "shuffled", "repeated"))
    same = all(was[c] == shuffled[c] for c in ("TC", "TD", "TQ"))
    unchanged = "do not change by a digit" if same else "change"
    return [
        f"{name}: shuffled, TC, TD and TQ {unchanged}, while TTQ falls from {was['TTQ']:.2f} to "
        f"{shuffled['TTQ']:.2f} and DTQ from {was['DTQ']:.2f} to {shuffled['DTQ']:.2f}.",
        f"{name}: with one topic in place of all, TD and TQ are {repeated['TD']:.2f} and "
        f"{repeated['TQ']:.2f} and TTQ is {repeated['TTQ']:.2f}: only DTQ ({repeated['DTQ']:.2f}) shows it.",
    ]
