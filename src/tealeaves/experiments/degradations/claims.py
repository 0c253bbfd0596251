"""Which measures are asked about which degradations, and what each claims to detect."""

from collections.abc import Callable, Mapping
from typing import Any

from tealeaves.experiments.degradations.ways import TIME, TOKENS, TOPICS
from tealeaves.measures._table import GROUPS

OF_TOPICS = (
    "npmi@10",
    "c_npmi@10",
    "c_v@10",
    "c_p@10",
    "c_a@10",
    "uci@10",
    "umass@10",
    "u_mass@10",
    "we_coherence@10",
    "doc_coherence",
    "diversity@10",
    "topic_diversity@10",
    "topic_overlap@10",
    "inverted_rbo@10",
    "average_jaccard@10",
    "exclusivity@10",
    "frex@10",
    "topic_distance",
    "tq@10",
    "sig_uni",
    "sig_vac",
    "sig_back",
    "cao2009",
    "arun2010",
    "deveaud2014",
    "griffiths2004",
    "perplexity",
    "log_likelihood",
    "bits_per_word",
    "ppc(assign='gibbs')",
    "purity",
    "nmi",
    "ari",
    "label_f1",
    "au_cdc",
    "sup_cov",
    "sup_cov_nocos",
    "precision",
    "consistency(assign='map')",
    "switch_vi(assign='map')",
    "avg_rank(assign='map')",
    "window(assign='map')",
    "word_div(assign='map')",
)
OF_RUNS = GROUPS["stability"]
OF_TOKENS = ("consistency", "switch_p", "switch_vi", "avg_rank", "window", "word_div")
OF_TIME = GROUPS["temporal"]
PARTS: dict[str, tuple[Mapping[str, Callable[..., Any]], tuple[str, ...]]] = {
    "topics": (TOPICS, OF_TOPICS),
    "runs": (TOPICS, OF_RUNS),
    "tokens": (TOKENS, OF_TOKENS),
    "time": (TIME, OF_TIME),
}
# What each claims to detect, and the test holds it to: on planted corpora it is worse at the full strength
# by more than other fits differ, and falls with the strength. What a measure was not made for is left out.
WITHIN = ("shuffled words", "mixed topics", "random topics")
BETWEEN = ("mixed topics", "duplicated topics")
EVERY = tuple(TOPICS)
CLAIMS: dict[str, tuple[str, ...]] = {
    # do a topic's words belong together?
    **dict.fromkeys(("npmi@10", "c_npmi@10", "c_p@10", "c_a@10", "uci@10"), (*WITHIN, "rare-word topics")),
    **dict.fromkeys(("c_v@10", "umass@10", "u_mass@10", "we_coherence@10"), WITHIN),
    # are topics different?
    **dict.fromkeys(("diversity@10", "topic_diversity@10", "topic_overlap@10"), BETWEEN),
    **dict.fromkeys(("inverted_rbo@10", "average_jaccard@10", "exclusivity@10"), BETWEEN),
    **dict.fromkeys(("topic_distance", "cao2009", "deveaud2014"), BETWEEN),
    # both
    "tq@10": ("shuffled words", "mixed topics", "random topics"),
    # is it more than background?
    "sig_uni": ("random topics",),
    "sig_vac": ("stop-word topics",),
    "sig_back": ("random topics",),
    "doc_coherence": ("random topics",),
    # does the model foresee words?
    **dict.fromkeys(
        ("perplexity", "log_likelihood", "bits_per_word"),
        tuple(name for name in EVERY if name != "duplicated topics"),
    ),
    # do documents use its topics as it assumes?
    "ppc(assign='gibbs')": ("random topics",),
    "griffiths2004": ("duplicated topics", "random topics"),
    # does it know classes, or the topics that are looked for?
    **dict.fromkeys(("purity", "nmi", "label_f1"), ("duplicated topics", "random topics")),
    "ari": ("duplicated topics",),
    "au_cdc": EVERY,
    **dict.fromkeys(("sup_cov", "sup_cov_nocos", "precision"), ("shuffled words", "random topics")),
    # are topics of tokens right?
    **dict.fromkeys(
        ("consistency", "switch_p", "switch_vi"), ("random topics of tokens", "flips within documents")
    ),
    **dict.fromkeys(("avg_rank", "window"), ("random topics of tokens", "flips within documents")),
    "word_div": ("random topics of tokens",),
    **dict.fromkeys(
        ("avg_rank(assign='map')", "window(assign='map')", "word_div(assign='map')"),
        ("shuffled words", "random topics"),
    ),
    # would another run find the same topics?
    **dict.fromkeys(("instance_stabil", "aucdc_stabil"), ("shuffled words",)),  # random topics are all alike
    # does a topic stay itself over time?
    "ttc@10": ("shuffled slices", "intruded words"),
    **dict.fromkeys(("tts@10", "b_ts@10", "ttq@10"), ("shuffled slices", "intruded words")),
    "dtq@10": ("shuffled slices", "repeated topics"),
}
