"""Imports go one way through the house, as the first decision record draws it."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "tealeaves"
# From the ground up: a module may import its own layer and those before it, never one that comes later.
LAYERS = (
    ("errors", "_optional", "_watch"),
    ("_kernels",),
    (
        "letters",
        "html_table",
        "folders",
        "growing",
        "vectors",
        "scaling",
        "_table",
    ),  # the table of measures: names and grammar, no counting
    (
        "preprocess",
        "encoding",
        "fingerprints",
        "corpus",
        "corpus_store",
        "model",
        "model_store",
        "dynamic",
        "dynamic_parts",
        "dynamic_store",
        "readers",
        "writers",
        "top_words",
        "word_lists",
        "tokens",
        "borrowed",
        "building",
        "building_assembly",
        "building_pieces",
    ),
    ("blocks", "counting_plan", "counts", "index", "infer", "held_out", "remote", "distributed"),
    ("measures",),
    ("reference_topics", "reference_store", "topic_sizes", "topic_pairs"),
    ("stats", "intervals", "runs"),
    ("scores", "scores_export", "scores_store", "comparison"),
    (
        "word_pool",
        "needs",
        "needs_local",
        "needs_held_out",
        "needs_labels",
        "needs_coverage",
        "coverage",
        "alignment",
        "stability",
        "needs_temporal",
        "verdicts_over_time",
        "temporal",
        "controls",
        "switches",
        "reading",
        "rows",
        "beside",
        "run",
        "evaluate",
        "evidence",
        "evidence_temporal",
        "evidence_coverage",
    ),
    ("verdicts", "report", "terminal"),
    ("fit", "synthetic", "demo"),
    ("human", "matcher", "matcher_drawing", "matcher_files", "matcher_pairs", "matcher_training"),
    ("plots", "sweep", "experiments"),
    ("cli", "commands", "__main__"),
)
# Methods that only hand their object on to what is above: `scores.report(path)`.
CONVENIENCES = {
    ("tealeaves.scores", "report"),
    ("tealeaves.scores", "plots"),
    ("tealeaves.controls", "report"),
    ("tealeaves.reading", "report"),
    ("tealeaves.corpus", "remote"),
}
LEVEL = {name: level for level, layer in enumerate(LAYERS) for name in layer}


def room(module: str) -> str:
    """The part of the house that a module such as ``tealeaves.measures.coherence`` stands in."""
    parts = module.split(".")[1:]
    return "_table" if parts[:2] == ["measures", "_table"] else parts[0] if parts else "tealeaves"


def imports(path: Path) -> set[str]:
    """Every module of ours that a file imports while it runs: what only type checkers read does not count."""
    found: set[str] = set()

    def walk(node: ast.AST) -> None:
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            names = [alias.name for alias in node.names]
            for name in names:  # `from tealeaves.measures import _table` imports a module, too
                longer = SOURCE.joinpath(*f"{node.module}.{name}".split(".")[1:])
                is_module = longer.is_dir() or longer.with_suffix(".py").exists()
                found.add(f"{node.module}.{name}" if is_module else str(node.module))
        for child in ast.iter_child_nodes(node):
            walk(child)

    walk(ast.parse(path.read_text("utf-8")))
    return {name for name in found if name.split(".")[0] == "tealeaves"}


MODULES = {
    ".".join(("tealeaves", *path.relative_to(SOURCE).with_suffix("").parts)): path
    for path in SOURCE.rglob("*.py")
}
MODULES.pop("tealeaves.__init__")  # the face of the house names every room, lazily


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_module_imports_only_what_lies_below_it(module):
    here = LEVEL[room(module)]
    ours = imports(MODULES[module]) - {"tealeaves"}  # the bare package: its version
    too_high = {
        name for name in ours if LEVEL[room(name)] > here and (module, room(name)) not in CONVENIENCES
    }
    assert not too_high, f"{module} (layer {here}) imports {sorted(too_high)}, which lie above it"


def test_every_part_of_the_house_has_its_layer():
    assert {room(module) for module in MODULES} <= set(LEVEL)


def test_kernels_import_nothing_of_the_house_but_kernels():
    for module, path in MODULES.items():
        if room(module) == "_kernels":
            assert {room(name) for name in imports(path)} <= {"_kernels"}
