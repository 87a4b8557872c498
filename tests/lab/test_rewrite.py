"""A hand on every loop: the code computes what it did, and its lines stay where they were."""

import builtins
from typing import Any

import pytest

from sleuth.lab.control import Control, Limit, Pin
from sleuth.lab.rewrite import AGAIN, ROWS, TURNS, Loop, compiled

SOURCE = """\
total, seen = 0, []
for epoch in range(3):
    for i, x in enumerate([10, 20, 30]):
        if x == 20:
            continue
        total += x * epoch
    else:
        seen.append(epoch)
n = 0
while n < 5:
    n += 1
    if n == 4:
        break
squares = [k * k for k in range(4)]
"""


def run(source: str, control: Control, monkeypatch: pytest.MonkeyPatch, **names: Any) -> dict[str, Any]:
    monkeypatch.setattr(builtins, TURNS, control.turns, raising=False)
    monkeypatch.setattr(builtins, AGAIN, control.again, raising=False)
    monkeypatch.setattr(builtins, ROWS, control.rows, raising=False)
    space = dict(names)
    exec(compiled(source, "script.py"), space)
    return space


def test_the_code_computes_what_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    plain: dict[str, Any] = {}
    exec(SOURCE, plain)
    held = run(SOURCE, Control(), monkeypatch)
    for name in ("total", "seen", "n", "squares", "i", "x", "epoch"):
        assert held[name] == plain[name]


def test_a_traceback_points_at_the_users_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        run("x = 1\nfor i in [1, 0]:\n    y = (\n        x / i)\n", Control(), monkeypatch)
    assert raised.traceback[-1].lineno + 1 == 4


def test_a_variable_that_picks_rows_is_told_from_a_counter() -> None:
    def loop_of(source: str) -> Loop:
        found: list[Loop] = []
        import ast

        for node in ast.walk(ast.parse(compiled_source(source))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == TURNS:
                found.append(Loop.from_key(node.args[1].value))  # type: ignore[attr-defined]
        return found[0]

    assert loop_of("for i in range(9):\n    x = data[i:i + 3]").indexes
    assert loop_of("for i in range(9):\n    x = data[order[i * 3:]]").indexes
    assert not loop_of("for step in range(9):\n    x = draw()\n    log[0] = step").indexes


def compiled_source(source: str) -> str:
    import ast

    from sleuth.lab.rewrite import _Loops

    return ast.unparse(ast.fix_missing_locations(_Loops("f.py").visit(ast.parse(source))))


@pytest.mark.parametrize(
    ("source", "held"),
    [
        ("while p < 9:\n    x = data[p:p + 3]\n    p += 3", True),
        ("def f(p):\n    x = data[:, p]\n    p = (p + 1) % 9", True),
        (
            "class A:\n def f(self):\n  return self.data[self.p]\n def g(self):\n  self.p += 1",
            True,
        ),
        ("def f(p):\n    p += 1\ndef g(p):\n    return data[p]", False),  # another p
        ("data[p] = 1\np += 1", False),  # written, not read
        ("p += 1\nx = data[q]", False),
        ("@numba.njit\ndef f(p):\n    x = data[p]\n    p += 1", False),
    ],
)
def test_a_cursor_is_known_by_being_moved_on(source: str, held: bool) -> None:
    assert (ROWS in compiled_source(source)) is held


CURSOR = """\
seen, pos = [], 0
while pos < 12:
    rows = order[pos:pos + 2]
    part = weights[pos:pos + 2]
    seen.append((rows, part))
    pos += 2
    if pos == 6:
        order = order[::-1]
    step()
"""


def test_a_cursor_goes_on_and_picks_the_rows_of_the_first_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, Any] = {"order": list(range(12)), "weights": [n / 4 for n in range(12)]}
    free, held = Control(), Control()
    held.pin = Pin(
        lambda: None,
        lambda _: None,
        lambda value: value,
        lambda item, first, rows: item,
        lambda value: isinstance(value[0], int),
    )
    plain = run(CURSOR, free, monkeypatch, step=free.stepped, **names)
    pinned = run(CURSOR, held, monkeypatch, step=held.stepped, **names)
    assert plain["seen"][:2] == [([0, 1], [0.0, 0.25]), ([2, 3], [0.5, 0.75])]
    assert plain["pos"] == pinned["pos"] == 12
    assert pinned["seen"] == [([0, 1], [0.0, 0.25])] * 6


EPOCHS = """\
evaluated = []
for epoch in range(100):
    for batch in range(50):
        step()
    evaluated.append(epoch)
finished = True
"""


def test_a_limit_leaves_two_passes_and_what_follows_training(monkeypatch: pytest.MonkeyPatch) -> None:
    control = Control(Limit(steps=40))
    space = run(EPOCHS, control, monkeypatch, step=control.stepped)
    assert control.steps == 40
    assert space["evaluated"] == [0, 1]
    assert space["finished"]
    assert set(control.cut) == {"script.py:2", "script.py:3"}


def test_a_second_phase_of_training_is_seen_too(monkeypatch: pytest.MonkeyPatch) -> None:
    control = Control(Limit(steps=80))
    teacher = "for i in range(1000):\n    step()\n"
    student = "for i in range(1000):\n    step()\n    last = i\n"
    space = run(teacher + student, control, monkeypatch, step=control.stepped)
    assert control.steps == 100
    assert space["last"] == 19


def test_loops_that_do_not_train_are_never_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    control = Control(Limit(steps=5))
    source = "for i in range(10):\n    step()\ncount = 0\nfor i in range(1000):\n    count += 1\n"
    space = run(source, control, monkeypatch, step=control.stepped)
    assert space["count"] == 1000
    assert control.steps == 5


def test_a_while_loop_is_cut_and_a_later_one_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    control = Control(Limit(steps=6))
    source = """\
n = 0
while True:
    n += 1
    step()
    if n > 1000:
        break
done = n
"""
    assert run(source, control, monkeypatch, step=control.stepped)["done"] == 6


def test_seconds_become_steps_once_the_pace_is_known() -> None:
    assert Limit(seconds=10).at_pace(20, 1.0) == Limit(steps=200)
    assert Limit(seconds=1).at_pace(20, 100.0).steps == 40  # never fewer than say something
    assert Limit(steps=7, seconds=10).at_pace(20, 1.0).steps == 7


def test_without_a_limit_nothing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    control = Control()
    run(EPOCHS, control, monkeypatch, step=control.stepped)
    assert control.steps == 5000
    assert not control.cut
