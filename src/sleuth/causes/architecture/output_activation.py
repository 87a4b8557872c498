"""An activation on the output clips the range of values that the target needs.

## What happens
The last layer ends in ReLU, sigmoid or tanh, and the targets go beyond. The loss falls to a floor
and stays. For standardised targets the best possible mean squared error is 0.50 behind a ReLU,
0.58 behind a sigmoid and 0.15 behind a tanh, whatever stands before it (untouched, it would be
0). With prices in thousands behind a sigmoid every prediction becomes 1.

ReLU is the worst of them: once the output is negative for all examples, the gradient of the whole
model is exactly zero and the run is over at step one, with a loss that never changes. It usually
comes from a helper that appends an activation after *every* layer:
```python
layers = []
for a, b in zip(sizes, sizes[1:]):
    layers += [nn.Linear(a, b), nn.ReLU()]     # also after the last one
model = nn.Sequential(*layers)
```
Fine: sigmoid with targets in [0, 1], tanh for images scaled to [-1, 1] (the generator of a GAN)
or for bounded actions, softplus for a positive scale, ReLU when zero is a real and frequent
target.

## How to tell
- **lint**: the module's last operation is ReLU, sigmoid, tanh or softmax and the loss is MSE, L1
  or Huber; or ReLU in front of a cross-entropy.
- **probe**: targets of the batch lie outside the range that the last operation can produce, or
  outputs of exactly 0 (or within 1% of a bound) make up a large share while targets do not.
- **refuted by**: every target of the batch lies strictly inside the output's range.

## How to fix
Return the raw linear output, or scale the target into the range and undo it after prediction.
```python
y_scaled = (y - y_mean) / y_std
loss = F.mse_loss(model(x), y_scaled)          # model ends in nn.Linear
prediction = model(x) * y_std + y_mean
```
If a bound is physical (a share, a positive length), keep a smooth map: sigmoid for (0, 1),
`F.softplus` for positive values. Never ReLU for "must be positive".

## Often mistaken for
- `double-softmax`: softmax or sigmoid on the output *and* a loss that applies it again; a
  classification twin.
- `dead-relu`: concerns hidden units; a dead output ReLU belongs here.
- `inputs-unnormalized`: unscaled targets behind a linear output are slow, but have no floor.

## Sources
- goodfellow-2016-ch6: section 6.2.2, output units matched to the kind of target, and why a
  thresholded output loses its gradient.
"""
