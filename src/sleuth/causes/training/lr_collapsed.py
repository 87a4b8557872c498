"""The schedule brought the learning rate to almost nothing while there was more to learn.

## What happens
The loss flattens, you suspect the model, and the optimizer is taking steps of 1e-9. Nothing is
wrong with the gradients. Read the rate, not the curve: a plateau that begins exactly where the
rate fell is not a property of your data.

`ReduceLROnPlateau` is the first suspect. Its default mode is "min"; feed it an accuracy and each
improvement counts as a bad epoch. With the defaults (patience 10, factor 0.1) a rate of 0.1 is cut
every eleven epochs and stands at 1e-6 by epoch 56, through steady progress. Feeding it a noisy
metric, or calling it per batch, has the same end. Other ways: a decay planned for fewer steps than
the run has, two schedulers multiplying on one optimizer, a resumed run whose scheduler starts from
the already decayed rate, `gamma=0.1` where 0.9 was meant.

In float32 the end is absolute: an update below about 3e-8 of a weight's size is always rounded
away.

## How to tell
- **watch**: the rate of every group over time. Suspicious is a rate below a hundredth of its peak
  before half of the planned run is over, while the loss was still falling when it dropped;
  update-to-weight ratios that fall together with it; gradients of unchanged size.
- **refuted by**: the learning rate at the plateau is within a factor of ten of its largest value.

## How to fix
Print the rate beside the loss, always. Then repair the plan:

```python
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
    optimizer, mode="max", factor=0.5, patience=5, min_lr=1e-5)
...
scheduler.step(val_accuracy)
```
Draw the schedule for the whole run before you start it. If the cause is a scheduler called at the
wrong rhythm, fix the rhythm instead of raising the rate. A rate near zero in the last few percent
of a run is what cosine and linear decay are for: leave that.

## Often mistaken for
- `scheduler-cadence`: the root, when the collapse comes from per-batch calls.
- `lr-too-low`: low from the first step; here it was adequate once.
- `update-underflow`: updates vanish below the precision of the weights at an ordinary rate.

## Sources
- cs231n-nn3: "Annealing the learning rate"; cooling too fast ends training short of its best
  point.
- pytorch-plateau: parameters mode, patience and factor; what counts as a bad epoch.
"""
