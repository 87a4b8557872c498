"""Steps take longer and longer as the run goes on.

## What happens
A healthy step costs the same at the start and after a day. If it grows, something the step touches
grows: the graph, a list, a buffer, the set of hooks. Straight-line growth per step means quadratic
time for the run, so it is harmless in a smoke test and fatal overnight.

Two measured examples. A recurrent state carried along with its graph: 2.3 ms at step 10, 12 ms at
step 50, 41 ms at step 100. A replay buffer extended with `torch.cat` (8 rows of 1000 numbers a
step, each call copying everything): 0.09 ms at step 10, 24 ms at step 1000, 72 ms at step 2000.

```python
buffer = torch.cat([buffer, new_rows])         # copies all old rows at each step
model.layer.register_forward_hook(log)         # inside the loop: one more hook per step
optimizer.add_param_group({"params": extra})   # the same
```

Also: metrics recomputed over the full history at each step, plots that redraw all points, a Python
list searched with `in`, a log file reopened and rewritten, longer sequences later in the
curriculum, or memory so full that the machine swaps.

## How to tell
- **watch**: the median step time of the last tenth of the run is clearly above that of the first
  tenth after warm-up, and rises steadily; the record shows which part: loading, forward, backward
  or the rest. Growing backward time points to the graph, growing "rest" to your bookkeeping.
- **refuted by**: step times are flat apart from single spikes (evaluation, checkpoints).

## How to fix
Find what grows, then bound it.

```python
hidden = hidden.detach()                       # cut history between batches
buffer[pos : pos + n] = new_rows               # preallocated ring, no copy of the past
history.append(loss.item())                    # numbers, not graphs
```

Where the cause in the training code is known (state not detached, loss accumulated), repair that
one. Do not chase the first few steps: compilation, cuDNN's search and cold caches make them slow.
On a GPU call `torch.cuda.synchronize()` before you read the clock. A thermally throttled machine
or a busy neighbour also slows down, but shows it in all parts at once.

## Often mistaken for
- `hidden-state-not-detached`: a common root; named instead when it can be seen.
- `memory-growth`: usually the same root seen in bytes; either can occur without the other.
- `silent-cpu-fallback`: slow from the first step, and evenly so.

## Sources
- pytorch-faq: the out-of-memory entry: history that accumulates over the loop, and unrolling
  recurrent networks over sequences that are too long.
- pytorch-tuning: the general optimisations, on loading and synchronisation costs of a step.
"""
