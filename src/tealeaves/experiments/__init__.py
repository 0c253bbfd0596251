"""Experiments: published tables, computed again beside what was printed."""
