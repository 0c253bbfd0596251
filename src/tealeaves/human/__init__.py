"""Judgements of people: how well they agree, and what they make of topics together."""

from tealeaves.human.agreement import HumanF1, aggregate, human_f1

__all__ = ["HumanF1", "aggregate", "human_f1"]
