"""Judgements of people: items to show them, their answers, and what both say of topics.

Every name below is loaded when it is first used, so that ``import tealeaves.human`` costs next to nothing.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tealeaves.human.agreement import HumanF1 as HumanF1
    from tealeaves.human.agreement import aggregate as aggregate
    from tealeaves.human.agreement import human_f1 as human_f1
    from tealeaves.human.answers import Answers as Answers
    from tealeaves.human.answers import read_answers as read_answers
    from tealeaves.human.curation import Curation as Curation
    from tealeaves.human.curation import curations as curations
    from tealeaves.human.curation_merge import Merged as Merged
    from tealeaves.human.curation_merge import merge_curations as merge_curations
    from tealeaves.human.filters import Rules as Rules
    from tealeaves.human.filters import filtered as filtered
    from tealeaves.human.forms import balanced_forms as balanced_forms
    from tealeaves.human.item_sets import Item as Item
    from tealeaves.human.item_sets import ItemSet as ItemSet
    from tealeaves.human.items import items as items
    from tealeaves.human.pilot import as_checks as as_checks
    from tealeaves.human.pilot import promoted as promoted
    from tealeaves.human.power import Spread as Spread
    from tealeaves.human.power import power as power
    from tealeaves.human.power import power_table as power_table
    from tealeaves.human.power import spread as spread
    from tealeaves.human.relate import relate as relate
    from tealeaves.human.relate import relate_models as relate_models
    from tealeaves.human.scoring import Result as Result
    from tealeaves.human.scoring import score as score
    from tealeaves.human.trust import aggregates as aggregates
    from tealeaves.human.trust import dawid_skene as dawid_skene
    from tealeaves.human.trust import majority as majority
    from tealeaves.human.trust import trusted as trusted

# Each public name: the module it lives in, and its name there.
_HOMES = {
    "HumanF1": ("agreement", "HumanF1"),
    "Item": ("item_sets", "Item"),
    "ItemSet": ("item_sets", "ItemSet"),
    "aggregate": ("agreement", "aggregate"),
    "balanced_forms": ("forms", "balanced_forms"),
    "human_f1": ("agreement", "human_f1"),
    "items": ("items", "items"),
    "Answers": ("answers", "Answers"),
    "read_answers": ("answers", "read_answers"),
    "Result": ("scoring", "Result"),
    "score": ("scoring", "score"),
    "Curation": ("curation", "Curation"),
    "curations": ("curation", "curations"),
    "Merged": ("curation_merge", "Merged"),
    "merge_curations": ("curation_merge", "merge_curations"),
    "Rules": ("filters", "Rules"),
    "filtered": ("filters", "filtered"),
    "majority": ("trust", "majority"),
    "trusted": ("trust", "trusted"),
    "dawid_skene": ("trust", "dawid_skene"),
    "aggregates": ("trust", "aggregates"),
    "promoted": ("pilot", "promoted"),
    "Spread": ("power", "Spread"),
    "spread": ("power", "spread"),
    "power": ("power", "power"),
    "relate": ("relate", "relate"),
    "as_checks": ("pilot", "as_checks"),
    "power_table": ("power", "power_table"),
    "relate_models": ("relate", "relate_models"),
}
__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tealeaves.human' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    value = getattr(import_module(f"tealeaves.human.{module}"), attribute)
    setattr(sys.modules[__name__], name, value)  # found at once from now on
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """The package, in which ``items``, … stay the functions when the modules of their names are imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if _HOMES.get(name) == (name, name) and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
