"""The loss or its graph is accumulated across iterations and never cut.

## What happens
Two bugs share one line, `total = total + loss`. If `total` is only for the log, every step's graph
hangs on it: memory and time per step creep up until the process dies, often hours later and always
at the wrong place. After `backward()` the large buffers of a step are freed and only the nodes
remain, so the leak is slow in training and steep in an evaluation loop, where nothing frees them.

If `total.backward()` is called, each step differentiates all former losses as well. PyTorch
objects: "Trying to backward through the graph a second time". The usual answer,
`retain_graph=True`, is what makes it silent. In a deep model the in-place update of the optimizer
then trips the version check, but a single linear layer, or a hand-made update through `.data`,
passes. Its gradient is then a sum over the whole history, which acts like a learning rate that
grows with every step.

```python
total = 0
for x, y in loader:
    total = total + criterion(model(x), y)
    optimizer.zero_grad()
    total.backward(retain_graph=True)     # every loss so far, again
    optimizer.step()
```

Summing losses *within* one step is normal: several tasks, an unrolled sequence, a closure for
LBFGS.

## How to tell
- **lint**: a loss added to a name that lives outside the loop, without `.item()` or `.detach()`;
  `retain_graph=True` on a loss that is built once per iteration.
- **watch**: the graph behind the loss grows by the same number of nodes every step; seconds per
  step and memory rise in a straight line; the sum that `backward()` sees only ever goes up.
- **refuted by**: the graph of the loss has the same size at step 100 as at step 1.

## How to fix
Keep a number for the log and differentiate the current loss only.

```python
running = 0.0
for x, y in loader:
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    running += loss.item()                # or loss.detach(), to avoid a GPU sync
```

Wrap evaluation in `torch.no_grad()`. `retain_graph=True` is right when two losses share one forward
pass and are differentiated one after the other.

## Often mistaken for
- `missing-zero-grad`: gradients pile up in `.grad`, while each step's graph keeps its size.
- `hidden-state-not-detached`: the history hangs on the recurrent state, not on the loss.
- `memory-growth`: the symptom; lists of outputs, caches and workers can cause it too.

## Sources
- pytorch-faq: the question about running out of memory; do not accumulate history across the loop.
- pytorch-autograd: In-place correctness checks; why a retained graph fails after an update.
"""
