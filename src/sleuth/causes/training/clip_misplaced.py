"""Gradient clipping stands where it cannot work, or acts on gradients that are still scaled.

## What happens
`clip_grad_norm_` edits whatever is in `.grad` at that moment and returns the norm it found. Before
`backward()` it finds nothing (`zero_grad()` left None behind), returns 0 and is content. After
`step()` it trims a gradient that has been used already. Either way you believe yourself protected,
and the next spike goes through.

With mixed precision the error has the opposite sign. A `GradScaler` starts at 65536; clip to norm
1 before unscaling and the true gradient ends at norm 1/65536 = 1.5e-5. SGD then practically stands
still. Adam divides the size away and hides it, though every gradient it sees has been cut to one
length, which is not what you asked for. The effect also changes whenever the scale does.

Two variants: clipping after each micro-batch of an accumulation, which clips the growing sum again
and again; and clipping the parameters of another model than the one being stepped.

```python
scaler.scale(loss).backward()
clip_grad_norm_(model.parameters(), 1.0)     # norm of scaled gradients: about 65536 times too big
scaler.step(optimizer)
```

## How to tell
- **lint**: in the cycle of the loop, clip is not between `backward()` and `step()`; or a
  `GradScaler` is in use and no `unscale_` comes before the clip.
- **watch**: the returned norm is 0 step after step; or the gradient that enters `step()` is longer
  than `max_norm`; or the norm is tens of thousands and becomes ordinary when divided by the scale.
- **refuted by**: the norm of `.grad` on entry to `optimizer.step()` is at most `max_norm`, and the
  norm before clipping is that of the unscaled loss.

## How to fix
```python
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
scaler.step(optimizer)
scaler.update()
```
Log `norm`. Without a scaler (float32, bfloat16) drop the scaler lines and keep the order. With
accumulation clip once, just before the step. Clipping does not cure NaN: one NaN makes the norm
NaN and spreads it to every gradient; use `error_if_nonfinite=True` to be told.

## Often mistaken for
- `lr-too-low`: crippled SGD under a scaler looks like it, and the rate is innocent.
- `clip-always-active`: well placed, and its bound is too tight.
- `exploding-gradients`: the cause behind the spikes that the misplaced clip let through.

## Sources
- pytorch-amp: "Gradient clipping"; unscale first, so that the threshold means what it says.
"""
