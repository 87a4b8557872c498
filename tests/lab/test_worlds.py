"""Doors of a world: several may stand around the same call, and each does its work."""

import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from sleuth.lab.control import Control
from sleuth.lab.worlds.doors import World
from sleuth.lab.worlds.repairs import of_updates


def test_two_changes_before_a_first_call_are_both_made() -> None:
    called: list[str] = []
    world, model = World(Control()), nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    with world.open():
        world.first_call(lambda _: called.append("one"))
        world.first_call(lambda _: called.append("other"))
        model(torch.zeros(1, 2))
        model(torch.zeros(1, 2))
        assert world.inside == 0
    assert sorted(called) == ["one", "other"]


def test_inputs_and_calls_may_be_changed_together() -> None:
    first = nn.Linear(1, 1, bias=False)
    world, model = World(Control()), nn.Sequential(first, nn.Identity())
    nn.init.ones_(first.weight)
    with world.open():
        world.inputs(lambda x: x + 1)
        world.calls(lambda _, call: 10 * call())
        assert model(torch.ones(1, 1)).item() == 20
    assert model(torch.ones(1, 1)).item() == 1


def test_what_is_frozen_learns_when_thawed() -> None:
    torch.manual_seed(0)
    body = nn.Linear(2, 2)
    world, model = World(Control()), nn.Sequential(body, nn.Linear(2, 1))
    body.requires_grad_(False)
    before = body.weight.detach().clone()
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
    with world.open():
        world.name = "undo(frozen-params)"
        of_updates.thawed(world)
        for _ in range(2):
            optimizer.zero_grad()
            model(torch.ones(4, 2)).sum().backward()
            optimizer.step()
    assert not torch.equal(before, body.weight)


def test_faint_gradients_are_evened_out_and_their_directions_kept() -> None:
    torch.manual_seed(0)
    depth = [layer for _ in range(6) for layer in (nn.Linear(8, 8), nn.Sigmoid())]
    world, model = World(Control()), nn.Sequential(*depth, nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    x = torch.randn(16, 8)
    model(x).square().sum().backward()
    first = model[0].weight
    assert isinstance(first, nn.Parameter)
    assert first.grad is not None
    before = first.grad.clone()
    with world.open():
        of_updates.evened_out(world)
        optimizer.step()
    assert world.took_hold["change"]
    matrices = [p for p in model.parameters() if p.dim() > 1]
    steep = [float(p.grad.norm() / p.detach().norm()) for p in matrices if p.grad is not None]
    assert steep == pytest.approx([max(steep)] * len(steep), rel=1e-3)
    assert before.norm() < 1e-3 * first.grad.norm()
    assert torch.allclose(before / before.norm(), first.grad / first.grad.norm(), atol=1e-4)
