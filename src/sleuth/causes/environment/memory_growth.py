"""Memory climbs step after step until the run dies.

## What happens
Autograd keeps what backward will need for as long as anything can still reach the result. Keep one
loss tensor and you keep a graph. How much depends on a detail. After `backward()` the saved
activations are released, so `total += loss` in a training loop leaks little: 9 KiB a step for a
small three-layer network. In an evaluation loop without `no_grad` there is no backward to release
anything: the same line held 472 KiB a step, fifty times as much. So the run often dies in
validation.

```python
for x, y in valid_loader:                 # no torch.no_grad()
    loss = criterion(model(x), y)
    total += loss                         # keeps the activations of every batch
    outputs.append(model(x))              # the same
```

Other holders: lists of predictions on the GPU, a recurrent state with its history, `retain_graph`
or `create_graph` in the loop, hooks that store activations, an exception kept with its traceback,
a cache without limit in `__getitem__` (times the number of workers), and a data set made of
millions of small Python objects, whose reference counts turn shared pages of forked workers into
private ones.

## How to tell
- **watch**: resident or allocated memory after equal points of the loop rises steadily over many
  steps, beyond the warm-up; the count of live tensors rises with it (graph or list) or does not
  (workers, caches, other libraries).
- **refuted by**: the curve is flat after the first epoch, however high.

## How to fix
Keep numbers, not tensors with a past.

```python
total += loss.item()
with torch.no_grad():
    outputs.append(model(x).cpu())
state = tuple(s.detach() for s in state)
```

Bound every cache. Store large indices as one NumPy array instead of a list of objects. A high but
flat level is not a leak: torch's allocator keeps freed blocks for reuse, so look at
`torch.cuda.memory_allocated()`, not at the driver's figure, and `empty_cache()` repairs nothing.
Replay buffers grow on purpose until they are full.

## Often mistaken for
- `loss-not-reset`: the accumulated loss itself; the root when that line is found.
- `eval-without-no-grad`: the root if growth happens only while evaluating.
- `throughput-decay`: time instead of bytes, often from the same holder.

## Sources
- pytorch-faq: the out-of-memory entry: not accumulating history, and letting go of tensors you no
  longer need.
- pytorch-data: the warning on memory use of workers with Python objects.
"""
