"""The gradient-flow table and the comparison of two formulas."""

import pytest
import torch

import sleuth
from sleuth.errors import SleuthError
from sleuth.loss_surface.flow import FlowRow


def hinge(pos: torch.Tensor, neg: torch.Tensor, margin: float) -> dict[str, torch.Tensor]:
    return {"hinge": torch.relu(neg - pos + margin), "reg": 0.1 * pos**2}


def rows(place: str) -> dict[str, FlowRow]:
    seen = sleuth.surface(
        hinge, ("pos", -1, 1), ("neg", -1, 1), fixed={"margin": 0.2}, want=(1, -1), start=(0.5, 0.9), n=21
    )
    return {row.term: row for row in seen.flow.rows if row.place == place}


def test_every_term_stands_at_every_representative_point() -> None:
    seen = sleuth.surface(hinge, ("pos", -1, 1), ("neg", -1, 1), fixed={"margin": 0.2}, start=(0, 0), n=21)
    places = ["zero", "small", "typical", "converged", "degenerate", "start"]
    assert [(row.place, row.term) for row in seen.flow.rows] == [
        (place, term) for place in places for term in ("hinge", "reg", "total")
    ]


def test_slopes_by_axes_and_by_what_is_held_fixed() -> None:
    row = rows("start")["hinge"]
    assert row.point == (0.5, 0.9)
    assert row.loss == pytest.approx(0.6)
    assert row.slopes == pytest.approx({"pos": -1.0, "neg": 1.0, "margin": 1.0})
    assert rows("start")["total"].slopes["pos"] == pytest.approx(-0.9)


def test_flags() -> None:
    assert rows("converged")["hinge"].flag == "satisfied"
    assert rows("start")["total"].flag == "ok"
    dead = sleuth.surface(lambda m: torch.relu(1 - m).clamp(max=1), ("m", -3, 3), start=-2)
    assert {row.place: row.flag for row in dead.flow.rows}["start"] == "dead"
    broken = sleuth.surface(lambda p: -torch.log(p), ("p", 0, 1))
    assert {row.place: row.flag for row in broken.flow.rows}["degenerate"] == "not finite"
    steep = sleuth.surface(lambda p: -torch.log(p), ("p", 1e-4, 1))
    assert {row.place: row.flag for row in steep.flow.rows}["zero"] == "steep"


def test_antisymmetric_inputs_and_terms_are_recognised() -> None:
    notes = sleuth.surface(lambda a, b: torch.relu(a - b + 0.1), ("a", -1, 1), ("b", -1, 1), n=20).flow.notes
    assert len(notes) == 1
    assert "a and b are an antisymmetric pair" in notes[0]
    terms = sleuth.surface(
        lambda x: {"up": x**2, "down": -(x**2) + 1, "real": x**4}, x=("x", -1, 1)
    ).flow.notes
    assert terms == ("up and down are an antisymmetric pair: their gradients cancel everywhere.",)
    assert sleuth.surface(lambda a, b: a * 2 - b, ("a", -1, 1), ("b", -1, 1)).flow.notes == ()


def test_a_fixed_number_that_must_stay_a_number_is_left_one() -> None:
    def choosy(x: torch.Tensor, power: float) -> torch.Tensor:
        assert isinstance(power, float)
        return x.abs() ** power

    assert list(sleuth.surface(choosy, ("x", 0.1, 1), fixed={"power": 2.0}).flow.rows[0].slopes) == ["x"]


def capped(distance: torch.Tensor) -> torch.Tensor:
    return torch.relu(1 - distance).clamp(max=1)


def soft(distance: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.softplus(4 * (1 - distance))


def test_a_comparison_says_what_changed() -> None:
    before = sleuth.surface(capped, ("distance", -3, 3), want=2.5, start=-2)
    text = "\n".join(before.compare(soft).changes)
    assert "Gone in soft: dead-zone." in text
    assert "The part from which descent arrives grows from 50% to 100%." in text
    assert "At the start -2 the gradient is 4 instead of 0." in text
    back = "\n".join(sleuth.surface(soft, ("distance", -3, 3), want=2.5, start=-2).compare(before).changes)
    assert "New in capped: dead-zone." in back


def test_a_formula_compared_with_itself_changes_nothing() -> None:
    seen = sleuth.surface(soft, ("distance", -3, 3))
    assert seen.compare(seen).changes == ("Nothing that matters: both maps show the same.",)


def test_opposite_directions_are_counted() -> None:
    seen = sleuth.surface(lambda x: x**2, ("x", -1, 1), n=81)
    changes = "\n".join(seen.compare(lambda x: (x - 0.5) ** 2).changes)
    assert "On 24% of the map the two push in opposite directions." in changes
    assert "The lowest point moves from x = 0 to x = 0.5." in changes


def test_other_axes_cannot_be_compared() -> None:
    one, two = sleuth.surface(soft, ("distance", -3, 3)), sleuth.surface(soft, ("distance", -2, 3))
    with pytest.raises(SleuthError, match="different axes"):
        one.compare(two)
