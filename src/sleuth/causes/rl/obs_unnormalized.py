"""Observations are far from zero mean and unit spread, or hold outliers that set the scale.

## What happens
A position of 1200 beside an angle of 0.02: the first layer is ruled by the position, and the
angle, which decides, needs weights 60,000 times larger. Supervised learners would standardise the
data set; here there is none beforehand, and the distribution moves as the policy improves.

The standard remedy brings its own faults. Running statistics that are updated at evaluation, not
saved with the model (a reloaded agent sees another world), kept per worker, or computed over
recent data only: then the meaning of the input changes under a policy that does not know. A
constant feature has variance 0 and explodes at its first change. One sensor glitch of 1e6 early
on makes the spread so large that the feature is flat for the rest of the run; clip *before* you
accumulate as well as after.

## How to tell
- **probe**: some thousand random steps: per-feature mean, spread, extremes. Alarm at spreads that
  differ by more than 100 between features, a mean beyond 10 spreads, or a maximum beyond 20
  spreads.
- **watch**: the same figures for what the network receives; share of clipped entries; difference
  between the statistics in use for acting and those for the update.
- **refuted by**: each feature entering the network has a mean within about 1 and a spread between
  0.1 and 10.

## How to fix
If the ranges are known, use fixed constants. Otherwise running statistics over *all* data,
clipped, frozen for evaluation and stored with the weights.
```python
x = np.clip((obs - rms.mean) / np.sqrt(rms.var + 1e-8), -10, 10)
if training:
    rms.update(obs)
torch.save({"model": net.state_dict(), "rms": (rms.mean, rms.var, rms.count)}, path)
```
Pixels: divide by 255 and leave it. One-hot and binary features may stay as they are. Do not
standardise a feature that is informative by its rarity without clipping.

## Often mistaken for
- `inputs-unnormalized`: the same in supervised learning, with a fixed data set.
- `reward-scale`: the numbers on the other side of the network.
- `obs-ignored`: a feature squashed to nothing looks ignored; here rescaling it brings the signal
  back.

## Sources
- schulman-2016: slide "Whitening / Standardizing Data", running mean and deviation with clipping.
- andrychowicz-2021: the section on normalisation and clipping, in which observation normalisation
  matters for nearly all tasks.
- engstrom-2020: section 3, observation normalisation and clipping among the code-level details.
"""
