"""The formats of models and the objects of libraries that can be read: a line here for each of them.

How a file is told from the others is in `_recognise`, a line for each format as well.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Format:
    """A kind of file or object, and its reader, ``tealeaves.<module>.<function>(path or object)``.

    ``takes`` names the arguments of `tealeaves.read_model` that the reader has as well, as keywords, out of
    vocabulary, outliers, axes and slice_labels. What is ``pickled`` can run code when opened: only if
    trusted.
    """

    what: str
    module: str
    function: str
    takes: tuple[str, ...] = ()
    pickled: bool = False

    def read(self, thing: Any, options: dict[str, Any]) -> Any:
        """The model in ``thing``; only now is the reader imported."""
        reader = getattr(import_module(f"tealeaves.{self.module}"), self.function)
        return reader(thing, **{name: options[name] for name in self.takes})


FORMATS: dict[str, Format] = {
    "tealeaves": Format("a saved model of tealeaves", "model_store", "load"),
    "dynamic": Format("a saved dynamic model of tealeaves", "dynamic_store", "load"),
    "json": Format(
        "topics in JSON", "readers.topics_json", "read_topics_json", ("outliers", "axes", "vocabulary")
    ),
    "csv": Format("a table of topics", "readers.topics_csv", "read_topics_csv", ("outliers", "axes")),
    "text": Format("plain text with a topic a line", "readers.topics_text", "read_topics_text"),
    "markdown": Format(
        "topics in Markdown", "readers.topics_markdown", "read_topics_markdown", ("outliers",)
    ),
    "arrays": Format("NumPy arrays", "readers.arrays", "read_arrays", ("vocabulary", "axes", "slice_labels")),
    "mallet-state": Format("a MALLET state", "readers.mallet", "read_mallet_state"),
    "mallet-keys": Format("MALLET's topic keys", "readers.mallet", "read_mallet_keys"),
    "mallet-weights": Format("MALLET's weights of words", "readers.mallet_tables", "read_topic_word_weights"),
    "mallet-counts": Format("MALLET's counts of words", "readers.mallet_tables", "read_word_topic_counts"),
    "mallet-doc-topics": Format(
        "MALLET's topics of documents", "readers.mallet_tables", "read_doc_topics_alone"
    ),
    "mallet-diagnostics": Format("MALLET's diagnostics", "readers.mallet_xml", "read_mallet_diagnostics"),
    "mallet-phrases": Format("MALLET's topics in XML", "readers.mallet_xml", "read_mallet_phrases"),
    "mallet": Format("a folder of MALLET's output", "readers.mallet_run", "read_mallet_run"),
    "lda-c": Format("an lda-c model", "readers.ldac", "read_ldac", ("vocabulary",)),
    "htmm": Format("a model of OpenHTMM", "readers.htmm", "read_htmm", ("vocabulary",)),
    "sentence-lda": Format(
        "a pickled SentenceLDA or CopulaLDA", "readers.sentence_models", "read_sentence_save", ("vocabulary",)
    ),
    "ankura": Format("topics and corpus that ankura pickled", "readers.sentence_models", "read_ankura"),
    "bertopic": Format("a saved BERTopic model", "readers.bertopic", "read_bertopic", ("outliers",)),
    "gensim": Format(
        "a Python pickle such as gensim saves",
        "readers.gensim",
        "read_gensim_save",
        ("vocabulary",),
        pickled=True,
    ),
    "tomotopy": Format("a model of tomotopy", "readers.tomotopy", "read_tomotopy_save", pickled=True),
    "topica": Format("a saved model of topica", "readers.topica", "read_topica_save"),
    "r": Format("R objects", "readers.r", "read_r"),
    "mat": Format(
        "a MATLAB file, as ETM and DETM save",
        "readers.dynamic_arrays",
        "read_mat",
        ("vocabulary", "axes", "slice_labels"),
    ),
    "dtm": Format(
        "a folder of Blei's dtm", "readers.dynamic_blei", "read_blei_dtm", ("vocabulary", "slice_labels")
    ),
    "slices": Format(
        "a folder with a text file for each slice", "readers.dynamic_folder", "read_slice_files"
    ),
}

# By the top-level module of the object's class, or of one that it inherits from; the first that fits.
OBJECTS: dict[str, Format] = {
    "turftopic": Format("Turftopic", "readers.turftopic", "read_turftopic", ("outliers",)),
    "sklearn": Format("scikit-learn", "readers.sklearn", "read_sklearn", ("vocabulary",)),
    "gensim": Format("gensim", "readers.gensim", "read_gensim", ("vocabulary",)),
    "tomotopy": Format("tomotopy", "readers.tomotopy", "read_tomotopy"),
    "bertopic": Format("BERTopic", "readers.bertopic", "read_bertopic_object", ("outliers",)),
    "topica": Format("topica", "readers.topica", "read_topica"),
    "top2vec": Format("Top2Vec", "readers.top2vec", "read_top2vec"),
    "contextualized_topic_models": Format("contextualized-topic-models", "readers.ctm", "read_ctm"),
    "topmost": Format("TopMost", "readers.topmost", "read_topmost"),
    "fastopic": Format("FASTopic", "readers.topmost", "read_fastopic"),
    "antm": Format("ANTM", "readers.dynamic_antm", "read_antm"),
    "pandas": Format("pandas", "readers.frames", "read_frame", ("outliers",)),
    "polars": Format("polars", "readers.frames", "read_frame", ("outliers",)),
}
# By the name of the object's class, for programs whose modules are called anything.
CLASSES = {
    "lda_gibbs_sampling1": Format(
        "SentenceLDA", "readers.sentence_models", "read_sentence_model", ("vocabulary",)
    ),
    "lda_gibbs_sampling_copula": Format(
        "CopulaLDA", "readers.sentence_models", "read_sentence_model", ("vocabulary",)
    ),
}
PLAIN = Format(
    "lists of words", "readers.frames", "read_frame", ("outliers", "axes")
)  # a list, tuple or dict
OCTIS = Format("what OCTIS returns", "readers.octis", "read_octis", ("vocabulary", "axes"))


def object_format(thing: Any) -> Format | None:
    """How ``thing`` is read, by the modules of its classes: nothing is imported for it."""
    modules = {cls.__module__.partition(".")[0] for cls in type(thing).__mro__}
    for library, format in OBJECTS.items():
        if library in modules or any(name.startswith(f"_{library}") for name in modules):
            return format
    for cls in type(thing).__mro__:
        if cls.__name__ in CLASSES:
            return CLASSES[cls.__name__]
    if isinstance(thing, dict) and {"topic-word-matrix", "topic-document-matrix"} & set(thing):
        return OCTIS
    return PLAIN if isinstance(thing, list | tuple | dict) else None
