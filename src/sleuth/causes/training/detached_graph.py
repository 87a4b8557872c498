"""Inside the model the path from loss to parameters is cut; layers before it never learn.

## What happens
`.detach()`, `.data`, `.item()`, `.cpu().numpy()`, `torch.tensor(x)`, `torch.from_numpy`, `argmax`,
`round` and comparisons give plain values without history. Put one of them between two layers and
everything upstream stops learning. If something downstream is still trainable, `backward()`
succeeds and the loss falls: the rear of the network learns to read the random features of the
front. On a small task a full network reached 100% training accuracy; the same network with one
`.detach()` after its first layer stopped at 90%. On a hard task the gap is what you blame on the
architecture.

It is often the cure for an error message. "Can't call numpy() on Tensor that requires grad. Use
tensor.detach().numpy()" is good advice for a plot and poison in a forward pass.

```python
def forward(self, x):
    z = self.encoder(x)
    z = torch.tensor(scale(z.detach().numpy()))   # a NumPy excursion
    return self.head(z)
```

## How to tell
- **lint**: one of the cutting operations lies in `forward`, or between two module calls of the
  training step, and its result feeds a later layer. `torch.tensor(tensor)` also makes torch print
  a "To copy construct from a tensor" warning.
- **probe**: after one backward pass the parameters upstream have `.grad` None while those
  downstream have one; walking `grad_fn` back from the loss ends before the encoder.
- **watch**: one group of parameters with `requires_grad=True`, used in every forward pass, has no
  gradient on any step and never changes.
- **refuted by**: a non-None gradient on a parameter of the first layer.

## How to fix
Stay in torch. Whatever NumPy did has a tensor counterpart; choices without a derivative need an
estimator.

```python
z = self.encoder(x)
z = (z - z.mean(0)) / (z.std(0) + 1e-6)
z = z + (z.round() - z).detach()      # straight-through: forward rounds, backward passes
return self.head(z)
```
A detach is right when the other side must not learn: the generated sample in the discriminator's
turn, a target or teacher value, the straight-through line above, a deliberately linear probe, a
state carried over between batches.

## Often mistaken for
- `loss-disconnected`: same cut, but in the code that computes the loss rather than in the model.
- `vanishing-gradients`: early gradients are tiny numbers there; here they are None.
- `unused-parameters`: the layer is not called at all.

## Sources
- pytorch-detach: the result is outside the graph and never requires a gradient.
- pytorch-autograd: "How autograd encodes the history"; a gradient exists only along recorded
  steps.
"""
