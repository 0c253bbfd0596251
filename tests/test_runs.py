"""One rule says which models are runs of one."""

import pytest

from tealeaves.runs import base_name, run_of


@pytest.mark.parametrize(
    ("name", "base", "number"),
    [
        ("lda#1", "lda", 1),
        ("lda#012", "lda", 12),
        ("C# a", "C# a", None),
        ("C#", "C#", None),
        ("C##2", "C#", 2),
        ("a#1#2", "a#1", 2),
        ("#3", "#3", None),
        ("a#x", "a#x", None),
        ("a#²", "a#²", None),
        ("lda", "lda", None),
        ("", "", None),
    ],
)
def test_a_run_ends_in_a_sign_and_digits(name, base, number):
    assert run_of(name) == (base, number)
    assert base_name(name) == base
