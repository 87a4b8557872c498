"""Quick ways to look for words, each held against the plain and slow one."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.roles import names_held_out, names_training
from sleuth.source.interpreter import interest
from sleuth.source.interpreter.interest import TRAINS
from sleuth.source.interpreter.scene import _trains
from sleuth.source.parsed_file import parse_source, read_source
from sleuth.source.word_search import AnyOf, words_of

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "tests" / "causes").glob("*/*/*.py"))[::9]

# The same questions as one pattern each.
TWINS = {
    "INTERESTING": r"torch|sklearn|\bnn\.|jax|optax|loss|backward|DataLoader|train_test_split|optim|fit\(|"
    r"gymnasium|gamma|reward|\bgym\.",
    "WORTH_RUNNING": r"entropy|normalize\(|backward|\.step\(|zero_grad|softmax|[Ll]oss|\bfit|split\(|"
    r"DataLoader|no_grad|inference_mode|\.eval\(|"
    r"detach|\.data\b|\.item\(|\blog\w*\(|exp\(|sqrt\(|\.view\(|reshape\(|\bdef forward|__getitem__|"
    r"__call__|__iter__|collate|Dataset\b|imread|read_image|Image\.open|uint8|astype|shuffle|permut|\brand|"
    r"random\.|transforms\b|\.transform\(|listdir|glob\(|state_dict|init\.\w+_\(|\.(?:zeros|ones|fill|constant)_\(|seed|"
    r"reward|gamma|\bdones?\b|sum\(|norm\(|BatchNorm|std\(|mean\(|[Dd]ropout|\.grad\b|optim|nn\.Sequential|"
    r"terminated|truncated|argmax|round\(|[<>]=?\s*0?\.\d|\.train\(|sigmoid|\.load\(|cross_val|\benv\.|"
    r"\bexcept\b",
    "WORTH_FOLLOWING": r"torch|\bnn\b|\bF\.|\bnp\.|numpy|jax|jnp|sklearn|pandas|pd\.|loss|grad|optim|model|"
    r"\bnet|train|eval|split|fit|load|data|batch|seed|scal|norm|layer|forward|return|yield|append|self\.",
}


@pytest.mark.parametrize("name", TWINS)
def test_any_of_many_words_is_what_one_pattern_finds(name: str) -> None:
    quick: AnyOf = getattr(interest, name)
    answers = set()
    for path in SCRIPTS:
        for line in read_source(path).lines:
            answers.add(quick.within(line))
            assert quick.within(line) == bool(re.search(TWINS[name], line)), line
    assert answers == {True, False}


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab_1 .(é\n#", max_size=60), st.text(alphabet="ab_1.(é", min_size=1, max_size=4))
def test_a_source_holds_what_stands_in_its_text(text: str, piece: str) -> None:
    commented = "\n".join(f"# {line}" for line in text.splitlines())
    assert parse_source("a.py", commented).holds(piece) == (piece in commented)


@given(st.text(max_size=200))
def test_words_are_runs_of_letters_digits_and_underscores(text: str) -> None:
    assert words_of(text) == re.findall(r"\w+", text)


def test_the_nodes_of_a_source_are_those_of_a_walk() -> None:
    for path in SCRIPTS:
        source = read_source(path)
        walked = [node for node in ast.walk(source.tree) if not isinstance(node, ast.expr_context)]
        assert source.nodes == walked


def test_a_function_trains_if_it_says_so_outside_its_comments() -> None:
    answers = set()
    for path in [*SCRIPTS, *sorted((ROOT / "zoo").rglob("broken.py"))[::8]]:
        source = read_source(path)
        for node in source.nodes:
            if isinstance(node, ast.FunctionDef):
                answers.add(_trains(source, node))
                assert _trains(source, node) == bool(TRAINS.search(ast.unparse(node)))
    assert answers == {True, False}
    odd = parse_source(
        "a.py", 'def f():\n    # opt.step()\n    "#"; opt . step ()\ndef g():\n    pass  # opt.step()'
    )
    assert [_trains(odd, node) for node in odd.tree.body if isinstance(node, ast.FunctionDef)] == [
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("name", "training", "held_out"),
    [
        ("x_train", True, False),
        ("val_loader", False, True),
        ("testset", False, False),  # one word: nothing is said of what it means
        ("train_val", False, False),
        ("Test accuracy", False, True),
        ("latest", False, False),
    ],
)
def test_names_of_the_parts_of_data(name: str, training: bool, held_out: bool) -> None:
    assert (names_training(name), names_held_out(name)) == (training, held_out)
