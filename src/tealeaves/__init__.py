"""Judge topic models: coherence, diversity and significance of topics, with intervals and reasons.

Every name below is loaded when it is first used, so that ``import tealeaves`` costs next to nothing.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tealeaves import errors as errors
    from tealeaves import experiments as experiments
    from tealeaves import human as human
    from tealeaves import stats as stats
    from tealeaves import synthetic as synthetic
    from tealeaves import temporal as temporal
    from tealeaves.alignment import align as align
    from tealeaves.building import build_corpus as build_corpus
    from tealeaves.corpus import Corpus as Corpus
    from tealeaves.corpus import append_corpus as append_corpus
    from tealeaves.corpus import load_corpus as load_corpus
    from tealeaves.corpus import read_corpus as read_corpus
    from tealeaves.coverage import coverage as coverage
    from tealeaves.dynamic import DynamicTopicModel as DynamicTopicModel
    from tealeaves.evaluate import evaluate as evaluate
    from tealeaves.fit import fit as fit
    from tealeaves.held_out import completion as completion
    from tealeaves.index import build_index as build_index
    from tealeaves.index import load_index as load_index
    from tealeaves.infer import infer as infer
    from tealeaves.matcher import Matcher as Matcher
    from tealeaves.measures._table import measures as measures
    from tealeaves.measures._table import parse as measure  # noqa: F401
    from tealeaves.measures.diagnostics import diagnostics as diagnostics
    from tealeaves.model import TopicModel as TopicModel
    from tealeaves.model import load_model as load_model
    from tealeaves.model import read_model as read_model
    from tealeaves.preprocess import Preprocess as Preprocess
    from tealeaves.reading import read_documents as read_documents
    from tealeaves.reference_topics import ReferenceTopics as ReferenceTopics
    from tealeaves.reference_topics import read_reference_topics as read_reference_topics
    from tealeaves.scores import Scores as Scores
    from tealeaves.scores import load_scores as load_scores
    from tealeaves.stability import stability as stability
    from tealeaves.sweep import sweep as sweep
    from tealeaves.switches import switches as switches
    from tealeaves.writers.corpora import write_corpus as write_corpus
    from tealeaves.writers.models import write_model as write_model

__version__ = "0.1.0"

# Each public name: the module it lives in, and its name there ("" for the module itself).
_HOMES = {
    "Corpus": ("corpus", "Corpus"),
    "DynamicTopicModel": ("dynamic", "DynamicTopicModel"),
    "Matcher": ("matcher", "Matcher"),
    "Preprocess": ("preprocess", "Preprocess"),
    "ReferenceTopics": ("reference_topics", "ReferenceTopics"),
    "Scores": ("scores", "Scores"),
    "TopicModel": ("model", "TopicModel"),
    "align": ("alignment", "align"),
    "append_corpus": ("corpus", "append_corpus"),
    "build_corpus": ("building", "build_corpus"),
    "build_index": ("index", "build_index"),
    "completion": ("held_out", "completion"),
    "coverage": ("coverage", "coverage"),
    "diagnostics": ("measures.diagnostics", "diagnostics"),
    "errors": ("errors", ""),
    "evaluate": ("evaluate", "evaluate"),
    "experiments": ("experiments", ""),
    "fit": ("fit", "fit"),
    "human": ("human", ""),
    "infer": ("infer", "infer"),
    "load_corpus": ("corpus", "load_corpus"),
    "load_index": ("index", "load_index"),
    "load_model": ("model", "load_model"),
    "load_scores": ("scores", "load_scores"),
    "measure": ("measures._table", "parse"),
    "measures": ("measures", ""),  # a module that can be called
    "read_corpus": ("corpus", "read_corpus"),
    "read_documents": ("reading", "read_documents"),
    "read_model": ("model", "read_model"),
    "read_reference_topics": ("reference_topics", "read_reference_topics"),
    "stability": ("stability", "stability"),
    "stats": ("stats", ""),
    "sweep": ("sweep", "sweep"),
    "switches": ("switches", "switches"),
    "synthetic": ("synthetic", ""),
    "write_corpus": ("writers.corpora", "write_corpus"),
    "write_model": ("writers.models", "write_model"),
    "temporal": ("temporal", ""),
}
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tealeaves' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    home = import_module(f"tealeaves.{module}")
    value = getattr(home, attribute) if attribute else home
    setattr(sys.modules[__name__], name, value)  # found at once from now on
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """The package, in which ``evaluate``, ``fit``, … stay the functions when their modules are imported.

    The import system binds a module to its package under its own name, which is the function's name too.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if _HOMES.get(name) == (name, name) and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
