"""The architecture, as a list: each module imports only from the layers above it.

Enter a new module where it belongs; that there is such a place is what this test is about.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sfbow

PACKAGE = Path(sfbow.__file__).parent
LAYERS = [
    # What everything stands on. A package counts as one.
    {"errors", "kernels", "locks", "slices"},
    # Files, options and numbers, each by itself.
    {"mapped", "matrices"},
    {"hub", "options", "safetensors", "subwords", "tables", "universe_report",
     "wordlists", "writers"},
    {"parallel", "progress", "readers", "storage", "text"},
    # Texts, words, sets; and how universes are found.
    {"builders", "inputs", "measures", "vocabulary"},
    {"lookup", "tensors"},
    {"coverage", "vectors"},
    {"universe", "weights"},
    # The model, from its parts up.
    {"memberships"},
    {"unknown"},
    {"model_folder"},
    {"pooling"},
    {"explanation"},
    {"model"},
    # What is made of vectors.
    {"index"},
    {"duplicates"},
    # What it is compared with.
    {"baselines"},
    {"__init__"},
    # What uses it.
    {"evaluation"},
    # How one is trained.
    {"distill"},
    {"experiment"},
    {"cli"},
    {"__main__"},
]  # fmt: skip
LAYER_OF = {name: layer for layer, names in enumerate(LAYERS) for name in names}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)
TREES = {path.relative_to(PACKAGE): ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
all_files = pytest.mark.parametrize("file", TREES, ids=str)


def unit(file: Path) -> str:
    """The module or package that a file counts to."""
    return file.parts[0].removesuffix(".py")


def imported(tree: ast.AST) -> set[str]:
    """All modules that are imported, wherever that stands."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written out in full"
            # What follows may be a module as well.
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def units_used(tree: ast.AST) -> set[str]:
    paths = [name.split(".") for name in imported(tree)]
    units = {parts[1] for parts in paths if parts[0] == "sfbow" and len(parts) > 1}
    known = {unit(file) for file in TREES}
    # "from sfbow import x" is either a module of that name or something of the package itself.
    return {name if name in known else "__init__" for name in units}


def without_type_checking(tree: ast.Module) -> ast.Module:
    class Remover(ast.NodeTransformer):
        def visit_If(self, node):
            is_typing = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
            return None if is_typing else self.generic_visit(node)

    return Remover().visit(ast.parse(ast.unparse(tree)))


def test_every_module_has_its_layer():
    assert {unit(file) for file in TREES} == set(LAYER_OF)
    assert len(LAYER_OF) == sum(map(len, LAYERS)), "a module has one layer"


@all_files
def test_imports_run_one_way(file):
    own = unit(file)
    used = units_used(without_type_checking(TREES[file])) - {own}
    above = {name for name in used if LAYER_OF[name] < LAYER_OF[own]}
    assert used == above


@pytest.mark.parametrize(
    "package",
    ["builders", "kernels", "readers", "index", "duplicates", "evaluation", "distill", "cli"],
)
def test_no_package_goes_in_circles(package):
    uses = {}
    for file, tree in TREES.items():
        if unit(file) == package:
            name = ".".join(["sfbow", *file.with_suffix("").parts]).removesuffix(".__init__")
            uses[name] = imported(without_type_checking(tree)) - {name}
    while uses:
        # `from package.module import name` names the package only where that is all it says.
        free = {name for name, used in uses.items() if not used & (uses.keys() - {name})}
        assert free, f"a circle among {sorted(uses)}"
        uses = {name: used for name, used in uses.items() if name not in free}


HEAVY = ["numba", "llvmlite", "sklearn", "scipy", "faiss", "pyarrow", "pandas", "torch", "click",
         "huggingface_hub", "safetensors", "matplotlib", "usearch"]  # fmt: skip


@pytest.mark.parametrize(
    "code",
    [
        "import sfbow",
        "from sfbow import *",
        "import sfbow; sfbow.Universe.identity(3).signed(); sfbow.Tokenizer(); sfbow.Sif()",
    ],
)
def test_importing_is_cheap(code):
    check = f"import sys\n{code}\nprint(*(set({HEAVY!r}) & sys.modules.keys()))"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", check], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout.strip(), run.stderr) == (0, "", "")


@all_files
def test_nothing_that_could_run_what_a_file_says(file):
    tree = TREES[file]
    roots = {name.split(".")[0] for name in imported(tree)}
    assert not roots & {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {call.id for call in calls if isinstance(call, ast.Name)}
    assert not names & {"eval", "exec", "compile", "__import__"}
    loads = [call for call in calls if isinstance(call, ast.Attribute) and call.attr == "load"]
    of = {call.value.id for call in loads if isinstance(call.value, ast.Name)}
    assert not of & {"np", "numpy", "torch", "pandas"}


@all_files
def test_no_path_of_one_machine(file):
    for node in ast.walk(TREES[file]):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = re.search(
                r"(^|\s)(/(home|root|work|tmp|usr|etc|mnt|var)/|[A-Z]:\\)", node.value
            )
            assert found is None, node.value


def test_kernels_know_nothing_of_the_rest():
    for file, tree in TREES.items():
        if unit(file) == "kernels":
            assert units_used(tree) <= {"kernels"}
