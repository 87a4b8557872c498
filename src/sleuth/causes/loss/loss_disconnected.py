"""The loss, or one of its terms, has no gradient path to the parameters.

## What happens
The number is right and the gradient is missing. When the *whole* loss is cut off, `backward()`
raises "element 0 of tensors does not require grad", and somebody silences it with
`requires_grad_()` on the loss. Now everything runs and nothing learns. When only *one term* is cut
off there is no error at all: the sum still has a graph, the log still shows the term, and its value
changes because the rest of the model moves it by accident.

Terms lose their path in loss code that leaves the graph: `argmax`, `round`, `>` and other piecewise
constant steps; a trip through NumPy or `.item()`; `torch.tensor(list_of_losses).mean()`, which
copies; a metric used as a loss; a regulariser over `p.data`; a penalty computed inside `no_grad`.

```python
penalty = torch.tensor([p.norm() for p in model.parameters()]).sum()   # copies the values
hits = (out.argmax(1) == y).float().mean()                             # no slope
loss = F.cross_entropy(out, y) + 0.1 * penalty - hits
```

A constant in a loss is fine where it is meant as one: a detached target, a teacher's output, a
baseline in a policy gradient, a generator's sample in the discriminator's step.

## How to tell
- **probe**: each term is differentiated on its own; a term whose gradient is None or zero for every
  parameter is disconnected. For the whole loss: `loss.grad_fn is None`.
- **watch**: all gradients are None or exactly zero from the first step while the loss is not zero,
  or one logged term never responds when its weight changes.
- **lint**: `argmax`, `.item()`, `.numpy()`, `torch.tensor(...)` or a comparison between the output
  and `backward()`; `loss.requires_grad_()`; `loss = Variable(loss, requires_grad=True)`.
- **refuted by**: a non-zero gradient of every term with respect to at least one parameter.

## How to fix
Keep the values as tensors until after `backward()`, and replace the step function with a smooth
stand-in.

```python
penalty = torch.stack([p.norm() for p in model.parameters()]).sum()
loss = F.cross_entropy(out, y) + 0.1 * penalty
for name, term in {"penalty": penalty}.items():          # a check worth keeping while debugging
    assert term.requires_grad, name
```

Never repair it with `requires_grad_()` on the result: that makes the loss a leaf with no history.

## Often mistaken for
- `detached-graph`: the cut lies inside the model; here the output still has a graph and the loss
  not.
- `no-grad-training`: a context manager removed the graph of the whole forward pass.
- `loss-saturated`: the path exists, and its slope happens to be zero at this point.

## Sources
- pytorch-autograd: How autograd encodes the history; a value made outside the recorded operations
  has no path back.
- goodfellow-2016-ch8: section 8.1.2, Surrogate Loss Functions; 0-1 loss has no useful derivative.
"""
