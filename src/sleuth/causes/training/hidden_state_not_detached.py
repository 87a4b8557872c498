"""Recurrent state is carried to the next batch together with the graph that produced it.

## What happens
You keep `h` so that the network remembers across chunks. `h` also remembers how it was made. On
the second batch `backward()` walks into the first batch's graph, finds it freed and raises "Trying
to backward through the graph a second time". The message suggests `retain_graph=True`, and that is
the wrong turn.

With the graph retained, step N goes back through N batches. Time and memory grow with each step.
With a torch optimizer you get one more error, because the old graph needs weights that `step()`
has overwritten. If the update goes around the version counter (hand-written `p.data -= lr * g`),
there is no error: gradients mix old activations with new weights, and the run gets slower until it
dies. Summing the losses of a whole epoch for a single `backward()` avoids the errors as well, and
keeps every batch of it in memory.

```python
h = None
for x, y in loader:
    out, h = rnn(x, h)                     # h drags its history along
    loss = criterion(head(out), y)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)       # the wrong cure
    optimizer.step()
```

## How to tell
- **lint**: a state assigned in the loop body and passed in again in the next iteration with no
  `detach()` on the way (also not in a helper such as `repackage_hidden`); `retain_graph=True` with
  a single loss is a strong sign.
- **watch**: a state tensor whose `grad_fn` is set when it enters the model; time per step and
  memory that rise in a straight line.
- **refuted by**: the state that enters the recurrent layer has `grad_fn` None.

## How to fix
```python
h = None
for x, y in loader:
    if h is not None:
        h = tuple(s.detach() for s in h)   # LSTM; h.detach() for GRU and RNN
    out, h = rnn(x, h)
```
This is truncated backpropagation: values flow on, gradients stop at the chunk's border. It only
makes sense if batch n+1 continues the sequences of batch n, row by row. With shuffled, independent
sequences do not carry the state at all; start from None. Remove `retain_graph`.

## Often mistaken for
- `memory-growth`: the symptom; look for a state or a loss that lives across iterations.
- `loss-not-reset`: there the loss is the object that keeps the graph alive.
- `state-not-carried`: the opposite; the state is dropped where the task needs it.

## Sources
- pytorch-faq: "My model reports cuda runtime error(2): out of memory", on recurrent networks and
  truncation by repackaging the state.
"""
