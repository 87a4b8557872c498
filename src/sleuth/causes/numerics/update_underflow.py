"""Updates are smaller than the spacing of the weights, so adding them changes nothing.

## What happens
The gradient is fine, the optimizer steps, and the weight stays bit for bit the same. A bfloat16
number has 8 significant bits: the neighbour of 1.0 below is 0.996. Subtract 0.001 and rounding
returns 1.0. A LayerNorm gain of 1 under AdamW at rate 1e-3 did not move in 1000 steps of constant
gradient. For smaller weights the spacing is finer and the effect partial, which makes it harder to
see: in a bfloat16 `Linear(512, 512)` with default init, steps of 1e-4 left 29% of the weights
unchanged, 3e-5 82%, 1e-5 91%. Weight decay is the first victim: rate 1e-4 times decay 0.01 is a
relative change of 1e-6.

Born by `model.half()` or `model.bfloat16()` before training, or by loading a checkpoint in half
precision and fine-tuning it at a small rate. Float32 is not immune: 1000.0 minus 3e-5 is 1000.0,
and a float32 step counter stops at 16777216.

```python
model = Model.from_pretrained(name, torch_dtype=torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)     # mostly lost in rounding
```

Autocast with float32 parameters is not affected: only activations are in half precision there.

## How to tell
- **watch**: parameters with a non-zero gradient of which a large share does not change after
  `optimizer.step()`; parameter dtype float16 or bfloat16; a ratio of update to weight below half
  the machine epsilon (0.004 for bfloat16, 0.0005 for float16, 6e-8 for float32).
- **refuted by**: the parameters are float32 and the ratio of update to weight is above 1e-6.

## How to fix
Keep the weights that the optimizer sees in float32 and compute in half precision through autocast.

```python
model = model.float()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
with torch.autocast("cuda", dtype=torch.bfloat16):
    loss = criterion(model(x), y)
loss.backward()
optimizer.step()
```

If memory forbids it: an optimizer with float32 master weights or stochastic rounding, or float32
for the adapters only. Pure bfloat16 at a high rate can train; judge it by the share of unchanged
weights.

## Often mistaken for
- `lr-too-low`: float32 weights do move at the same rate, if slowly; here they do not move at all.
- `update-skipped`: no element changes, whatever its size, because the update never happened.
- `lr-collapsed`: the schedule made the rate tiny; check the rate itself first.

## Sources
- micikevicius-2018: section 3.1, FP32 master copy of weights; small updates are lost when added to
  much larger half-precision weights.
- goldberg-1991: the part on rounding error, relative error and ulps; the spacing of floating-point
  numbers.
"""
