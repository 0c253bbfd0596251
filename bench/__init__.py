"""Ratios against other tools, in one run on one machine; never part of the tests."""
