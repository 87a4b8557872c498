"""The scheduler is stepped per batch when its numbers mean epochs, or the other way round.

## What happens
A scheduler counts calls; it knows nothing of epochs. Give it numbers in epochs and call it per
batch, and the plan for a hundred epochs is over within the first. `StepLR(10, gamma=0.1)` with 100
batches per epoch has multiplied the rate by 1e-10 when epoch one ends. `ExponentialLR(0.95)`
stands at 0.6%. `CosineAnnealingLR(T_max=10)` does not stop at the bottom: it climbs back and
swings between full rate and zero every ten batches.

The reverse is quieter. A warm-up of 500 steps called once per epoch is still at 4% of the rate
after twenty epochs. `OneCycleLR` planned for 1000 steps but stepped ten times stays close to
max/25, and the run "just learns slowly". The opposite error with `OneCycleLR` raises when the
total is exceeded, which is the friendliest outcome on this page.

```python
scheduler = StepLR(optimizer, step_size=10, gamma=0.1)   # ten epochs were meant
for x, y in loader:
    train_step(x, y)
    scheduler.step()                                     # once per batch
```

## How to tell
- **lint**: the depth of `scheduler.step()` against the class and its arguments: `OneCycleLR`,
  `CyclicLR` and warm-up counted in steps belong in the batch loop; `ReduceLROnPlateau` and
  anything whose numbers equal `epochs` belong outside it. `T_max=epochs * len(loader)` per batch
  is right.
- **watch**: scheduler steps per optimizer step and the learning rate over time: several decays
  within one epoch, a rate that oscillates, or one that has not left its warm-up when the run ends.
- **refuted by**: a plot of the rate over the whole planned run that has the shape you drew.

## How to fix
Choose one unit, and let the arguments and the place of the call agree on it.

```python
total = epochs * len(loader)
scheduler = OneCycleLR(optimizer, max_lr=1e-3, total_steps=total)
for x, y in loader:
    train_step(x, y)
    scheduler.step()
```
With gradient accumulation, `total` counts optimizer steps, not batches. Wrappers such as
Accelerate may step the scheduler once per process; read their rule before you divide.

## Often mistaken for
- `lr-collapsed`: the symptom; if the cadence explains the collapse, the cadence is the cause.
- `lr-too-low`: with a stuck warm-up, lr x10 helps too, but the configured rate is innocent.
- `model-reset-in-loop`: a recreated scheduler also stays at its start; look for the constructor.

## Sources
- pytorch-onecycle: description; the rate changes after each batch, so step belongs there.
- pytorch-optim: "How to adjust learning rate"; the examples step once per epoch.
"""
