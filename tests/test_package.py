import subprocess
import sys

import pytest


def run(code: str) -> str:
    """What a fresh interpreter prints, so that no other test has imported anything before."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_the_package_loads_no_numpy():
    heavy = "{'numpy', 'scipy', 'polars', 'pandas', 'numba', 'click', 'rich', 'sklearn', 'gensim'}"
    assert run(f"import sys, tealeaves; print(sorted({heavy} & set(sys.modules)))") == "[]"


@pytest.mark.parametrize(
    "first", ["", "import tealeaves.measures.coherence;", "import tealeaves.measures._table;"]
)
def test_measures_is_the_table_and_the_package_of_functions_whatever_was_imported_before(first):
    code = f"""import tealeaves as tl; {first}
names = [m.name for m in tl.measures()]
from tealeaves.measures.coherence import umass
assert 'umass' in names and names == [m.name for m in tl.measures()]
assert tl.measures.umass is umass and tl.measures.coherence.umass is umass
print(tl.measure('npmi(window=None)@10'))"""
    assert run(code) == "npmi@10"


@pytest.mark.parametrize("name", ["evaluate", "fit"])
@pytest.mark.parametrize("first", ["", "import tealeaves.{0};", "from tealeaves.{0} import {0};"])
def test_a_function_that_shares_the_name_of_its_module_stays_the_function(name, first):
    code = f"import tealeaves as tl; {first.format(name)} print(type(tl.{name}).__name__, tl.{name}.__name__)"
    assert run(code) == f"function {name}"


def test_every_public_name_is_there():
    assert run("import tealeaves as tl; print([n for n in tl.__all__ if getattr(tl, n) is None])") == "[]"


def test_a_name_that_does_not_exist_is_an_attribute_error():
    assert (
        run("import tealeaves as tl; print(hasattr(tl, 'cook'), hasattr(tl.measures, 'cook'))")
        == "False False"
    )
