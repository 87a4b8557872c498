"""An in-place write changes a value that autograd, or the model, still needs.

## What happens
Torch counts writes to each tensor and raises at `backward()` if a saved value has changed. Two
doors go around the counter: `.data`, and a NumPy array that shares the memory. Write through
either and the gradient is wrong without a word. `y = x.exp(); y.data.mul_(2)` gives exactly twice
the true gradient, because exp saves its own output. The same write through `.detach()` or under
`no_grad` is counted and raises.

A second kind damages the forward value instead, and autograd is right not to complain.
`nn.ReLU(inplace=True)` on a tensor that a skip connection uses again turns `relu(h)+h` into
`2*relu(h)`. `x /= 255` on an array that a dataset caches divides again in each epoch. `+=` on an
argument changes the caller's tensor.

```python
h = self.conv(x)
out = self.relu(h)          # ReLU(inplace=True): h itself is now clipped
return out + h              # the identity branch lost its negative half
```

## How to tell
- **lint**: writes through `.data` or a `.numpy()` view between forward and backward; an in-place
  activation or augmented assignment whose target is read again later; in-place arithmetic on a
  tensor that came straight from a dataset or a cache.
- **watch**: the version error at `backward()`; or a module's input that differs after the call
  from what went in; or cached batches whose values drift from epoch to epoch.
- **refuted by**: the same step with every in-place operation replaced by its copying form gives
  the same loss and the same gradients.

## How to fix
```python
h = self.conv(x)
out = F.relu(h)             # a new tensor
return out + h
```
Write `x = x / 255`, `mask = mask.clone()` before editing, and `with torch.no_grad(): p.copy_(w)`
in place of `p.data = w` for intended parameter edits. Do not chase every `inplace=True`: directly
after a convolution or batch norm whose output nobody else reads it is correct and saves memory.
Hand-written SGD on `p.data` after `backward()` is fine too; the graph has been used by then.

## Often mistaken for
- `step-before-backward`: the same error, but the tensor in the message is a weight and the writer
  is the optimizer.
- `hidden-state-not-detached`: the error appears from the second batch on and names a recurrent
  weight; the cure is to detach the state.
- `wrong-gradient`: there a custom backward is wrong even when nothing is overwritten.

## Sources
- pytorch-autograd: "In-place correctness checks"; the version counter and what it protects.
- pytorch-detach: note on shared storage; writes through a detached tensor trip the checks.
"""
