"""The door of data loaders: made, begun, served."""

import time
import weakref
from typing import Any

from sleuth.doors import of_torch
from sleuth.record.entries import Loader
from sleuth.watching.state import State


def attach(state: State, patches: Any) -> None:
    from torch.utils.data import dataloader as door

    def made(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            original(self, *args, **kwargs)
            _safely(state, known, state, self)

        return __init__

    def begun(original: Any) -> Any:
        def __iter__(self: Any) -> Any:  # noqa: N807
            _safely(state, _begun, state, self)
            return original(self)

        return __iter__

    def served(original: Any) -> Any:
        def __next__(self: Any) -> Any:  # noqa: N807
            if state.off:
                return original(self)
            started = time.perf_counter()
            try:
                batch = original(self)
            except StopIteration:
                state.loader, state.served = None, ()
                state.pass_number += 1
                raise
            state.window.data_s += time.perf_counter() - started
            state.loader = state.iterator_loaders.get(self)
            state.served = (_parts(batch), *state.served[:1])
            return batch

        return __next__

    def joined(original: Any) -> Any:
        def __init__(self: Any, loader: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            original(self, loader, *args, **kwargs)
            _safely(state, _joined, state, self, loader)

        return __init__

    of_torch.loaders_made(patches, made)
    patches.replace(door.DataLoader, "__iter__", begun)
    patches.replace(door._BaseDataLoaderIter, "__init__", joined)
    of_torch.batches_served(patches, served)


def _parts(batch: Any) -> tuple[Any, ...]:
    """The tensors of a batch, not kept alive."""
    import torch

    parts = batch.values() if isinstance(batch, dict) else batch if isinstance(batch, (list, tuple)) else ()
    return tuple(weakref.ref(part) for part in parts if isinstance(part, torch.Tensor))


def _safely(state: State, function: Any, *args: Any) -> None:
    if state.off:
        return
    try:
        function(*args)
    except Exception as error:
        state.give_up(error)


def _joined(state: State, iterator: Any, loader: Any) -> None:
    state.iterator_loaders[iterator] = known(state, loader)


def _begun(state: State, loader: Any) -> None:
    known(state, loader)
    state.pass_number += 1
    state.rows.epoch.clear()


def known(state: State, loader: Any) -> int:
    if loader in state.loader_ids:
        return int(state.loader_ids[loader])
    number = state.loader_ids[loader] = state.new_id("loader")
    path, line = state.places.maker(loader)
    dataset = loader.dataset
    sampler = type(loader.sampler).__name__
    state.put(
        Loader(
            id=number,
            line=line,
            path=path,
            dataset=_name(dataset),
            examples=_length(dataset),
            batch_size=loader.batch_size,
            shuffled=sampler not in ("SequentialSampler", "_InfiniteConstantSampler"),
            sampler=sampler,
            workers=loader.num_workers,
            drop_last=bool(loader.drop_last),
            n=state.n,
            data=_number_of(state, dataset),
        )
    )
    return number


def _number_of(state: State, dataset: Any) -> int:
    """Tells data sets apart; a plain list cannot be remembered without keeping it alive."""
    if dataset not in state.dataset_ids:
        try:
            state.dataset_ids[dataset] = state.new_id("dataset")
        except TypeError:
            return 0
    return int(state.dataset_ids[dataset])


def _name(dataset: Any) -> str:
    inner = getattr(dataset, "dataset", None)
    return type(dataset).__name__ + (f" of {type(inner).__name__}" if inner is not None else "")


def _length(dataset: Any) -> int | None:
    try:
        return len(dataset)
    except (TypeError, NotImplementedError):
        return None
