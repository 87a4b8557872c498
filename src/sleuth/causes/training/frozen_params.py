"""Parameters that should learn carry requires_grad=False and receive no gradient.

## What happens
Freezing is one line, and it freezes more than you think. A loop over `model.parameters()` written
for the backbone also covers the head when the head was replaced *before* the loop. An "unfreeze at
epoch 5" that compares names with a prefix the wrapper has changed (`module.`, `_orig_mod.`) never
matches. A loaded model may arrive frozen by its author.

If everything is frozen, `backward()` raises and you notice. If one layer stays trainable, all is
quiet: gradients of the frozen ones are None, optimizers skip them, the few free parameters pull
the loss down to what a readout of fixed features can do.

"Frozen" is also less than you may think. Batch-norm running statistics keep following the data as
long as the module is in train mode. And a parameter frozen in mid-run whose `.grad` is zero rather
than None (`set_to_none=False`) is still moved by Adam's momentum and by weight decay.

```python
model.fc = nn.Linear(512, 10)
for p in model.parameters():      # after the new head: it is frozen too
    p.requires_grad = False
```

## How to tell
- **lint**: a loop or `requires_grad_(False)` over the whole model with no later unfreezing, most
  clearly when the same model then goes to an optimizer.
- **probe**: share of parameters with `requires_grad=False`, by module; suspicious if the output
  layer is among them, if nearly everything is, or if a frozen module still has random weights.
- **watch**: parameters held by the optimizer that have no gradient on any step and do not change.
- **refuted by**: `all(p.requires_grad for p in model.parameters())`.

## How to fix
Freeze by name, then put in the new part, then print what is left.

```python
model.requires_grad_(False)
model.fc = nn.Linear(512, 10)                 # new layers are trainable by default
trainable = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(trainable, lr=1e-3)
print(sum(p.numel() for p in trainable), "trainable")
```
A frozen pretrained backbone, an EMA teacher, a fixed positional table, or a discriminator frozen
during the generator's turn are intended. Put frozen batch-norm layers in `eval()` as well, after
each `model.train()`.

## Often mistaken for
- `detached-graph`: there the flag is True and the path is cut; here the flag itself is False.
- `no-grad-training`: the flags are True, and a context manager stops the recording.
- `underpowered-model`: nothing is frozen and the fit is still poor.

## Sources
- pytorch-autograd: "Setting requires_grad"; what the flag does in the forward and the backward
  pass, and its use for fine-tuning.
- pytorch-zero-grad: `set_to_none` notes; zero and None gradients are treated differently.
"""
