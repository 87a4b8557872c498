"""Which parameters an optimizer holds, against those the models in training have."""

from typing import Any

from sleuth.record.entries import Holding
from sleuth.watching.models import Known
from sleuth.watching.state import State

LOOKS = (1, 2, 5)  # steps of an optimizer at which its holding is compared again
RARELY = 16  # steps between two looks after that
MOST_NAMES = 40


def due(state: State, held: Any) -> bool:
    count = _count(held)
    changed = count != held.held
    held.held = count
    if held.looked in LOOKS or changed:
        return True
    return bool(state.window.sampled and state.seldom(("holding", held.id), 0))


def _count(held: Any) -> int:
    optimizer = held.optimizer()
    return sum(len(group["params"]) for group in optimizer.param_groups) if optimizer else 0


def tell(state: State, held: Any) -> None:
    """Written when it says something new."""
    holding = _seen(state, held)
    compared = (holding.of_models, holding.foreign, holding.missing, holding.frozen, holding.without_gradient)
    if state.told.get(("holding", held.id)) != compared:
        state.told[("holding", held.id)] = compared
        state.put(holding)


def _seen(state: State, held: Any) -> Holding:
    parameters = held.parameters()
    mine = {id(part) for part in parameters}
    everybodys = {id(part) for other in state.optimizers.values() for part in other.parameters()}
    of_models: dict[str, int] = {}
    missing: list[str] = []
    missing_model, missing_trains = 0, False
    known: set[int] = set()
    training = any(entry.trained for entry in models(state))
    for entry in models(state):
        owner: Any = entry.module()
        named = dict(owner.named_parameters())
        entry.names = {id(part): name for name, part in named.items()}
        if count := sum(part in mine for part in entry.names):
            of_models[str(entry.id)] = count
        if entry.trained or not training:
            known |= entry.names.keys()
        left = [name for name, part in named.items() if part.requires_grad and id(part) not in everybodys]
        if left and entry.trained:
            missing, missing_model, missing_trains = left, entry.id, bool(owner.training)
    said = names(state, held)
    return Holding(
        optimizer=held.id,
        n=state.n,
        of_models=of_models,
        foreign=sum(part not in known for part in mine),
        missing=tuple(missing[:MOST_NAMES]),
        missing_model=missing_model,
        missing_trains=missing_trains,
        frozen=tuple(said[id(part)] for part in parameters if not part.requires_grad)[:MOST_NAMES],
        without_gradient=tuple(
            said[id(part)] for part in parameters if part.requires_grad and part.grad is None
        )[:MOST_NAMES],
    )


def models(state: State) -> list[Known]:
    """Each living model that was called, once."""
    entries = {entry.id: entry for entry in state.models.values() if entry.told}
    return [entry for entry in entries.values() if entry.module() is not None]


def names(state: State, held: Any) -> dict[int, str]:
    """A name for each parameter an optimizer holds; those of a second model carry its number."""
    found: dict[int, str] = {}
    parameters = held.parameters()
    first = 0
    for entry in models(state):
        of_it = [part for part in parameters if id(part) in entry.names]
        first = first or (entry.id if of_it else 0)
        for part in of_it:
            name = entry.names[id(part)]
            found.setdefault(id(part), name if entry.id == first else f"{entry.id}:{name}")
    for place, part in enumerate(parameters):
        found.setdefault(id(part), f"parameter {place}")
    return found
