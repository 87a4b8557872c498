"""Replicas of a distributed run hold different parameters, or all see the same data.

## What happens
DDP makes replicas equal once, by sending rank 0's parameters to the others when it wraps the
model, and afterwards only averages gradients. Equal start plus equal gradients means equal
weights; nothing checks it later. Two ranks seeded differently agreed exactly after five steps with
plain DDP. They differed when the forward went through `ddp.module(x)`, because that path
arranges no synchronisation, and when a layer was re-initialised *after* wrapping.

```python
ddp = DistributedDataParallel(model)
nn.init.normal_(ddp.module.head.weight)      # each rank draws its own
loss = criterion(ddp.module(x), y)           # gradients stay local
```

Also: weights loaded on rank 0 only, after the wrap; a learning rate or early stop decided from a
local metric; parameters replaced or unfrozen later; hand-written averaging that skips some tensors.
You log rank 0, so you see one model and ship one, while the average of gradients was taken at
different points.

The other half is data. Without a `DistributedSampler` every rank walks the whole set: with equal
seeds in the same order, and eight GPUs compute one gradient eight times. With a sampler but no
`set_epoch` the "shuffled" order is the same each epoch.

## How to tell
- **watch**: a checksum of the parameters differs between ranks after a step; fingerprints of the
  batches coincide between ranks; the order of an epoch equals the previous one; the loss with N
  ranks is no smoother than with one.
- **refuted by**: equal parameter checksums on all ranks and disjoint batches at two far-apart
  steps.

## How to fix
```python
model.load_state_dict(state)                      # everything that changes weights ...
ddp = DistributedDataParallel(model)              # ... before this line
sampler = DistributedSampler(train_set)
for epoch in range(epochs):
    sampler.set_epoch(epoch)
    for x, y in DataLoader(train_set, sampler=sampler, batch_size=64):
        criterion(ddp(x), y).backward()
```

Reduce a metric over ranks before anything depends on it. Different *seeds* per rank are right for
dropout and augmentation. `no_sync()` during accumulation leaves gradients local on purpose until
the last micro-batch, and batch-norm statistics are local unless you use SyncBatchNorm. Sharded
training (FSDP, tensor parallel) holds different pieces by design.

## Often mistaken for
- `batch-lr-unscaled`: replicas agree, but the effective batch grew and the rate did not.
- `nondeterminism`: two runs differ; within one run the ranks agree.
- `duplicate-worker-seed`: the same repetition one level down, among loader workers.

## Sources
- pytorch-ddp: "Internal Design", the broadcast at construction and the reduction of gradients
  during backward.
- pytorch-data: `DistributedSampler`, with the warning to call `set_epoch`.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.questions import needed

if TYPE_CHECKING:
    from sleuth.record.entries import Record


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Replicas

    if record.run.world_size < 2:
        return
    seen = needed(record.of(Replicas), "comparisons of ranks")
    apart = [look for look in seen if len(set(look.parameters)) > 1]
    same = [
        look for look in seen if len(look.batches) > 1 and len(set(look.batches)) == 1 and look.batches[0]
    ]
    if apart:
        yield Evidence(
            f"The {len(apart[0].parameters)} replicas hold {len(set(apart[0].parameters))} different sets "
            f"of parameters (first seen at step {apart[0].n}): they train separately, and only one of "
            "them is saved.",
            telling="proven",
            numbers={"step": apart[0].n, "looks": len(apart)},
            fix="Wrap the model in DistributedDataParallel before training, use one seed for the "
            "weights, and change no weight on a single rank.",
        )
    if len(same) >= 2 and len(same) > len(seen) / 2:
        yield Evidence(
            f"All {len(same[0].batches)} ranks received the same batch at {len(same)} of {len(seen)} "
            "checks: the ranks do the same work.",
            telling="proven",
            numbers={"looks": len(same)},
            fix="Use a DistributedSampler and call `set_epoch` in each epoch.",
        )
