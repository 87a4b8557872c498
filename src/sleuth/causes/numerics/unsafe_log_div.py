"""A log, root, division or power whose argument can reach its pole.

## What happens
It works for nine epochs. Then one example makes a probability exactly 0, one vector has length 0,
one batch has no positives, and the loss is `inf` or NaN. The danger grows as the model gets
*better*: in float32 a sigmoid is exactly 1 from a logit of about 17, so `log(1 - p)` is -inf for a
prediction that is sure, and `p * log(p)` is NaN at p = 0.

Epsilons often do nothing. `1 - 1e-8` is 1 in float32. `1e-8` is 0 in float16. An epsilon in the
wrong place protects the value and not the slope: `log(p + 1e-8)` is finite, with a gradient of 1e8
at p = 0. Clamping is the other half measure: below the limit its gradient is 0, so the example can
never recover.

```python
loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
unit = v / v.norm(dim=-1, keepdim=True)
f1 = 2 * tp / (2 * tp + fp + fn)          # a batch without positives
```

A log whose argument is at least 1 by construction (`log1p` of a count), or a division by a fixed
constant, is safe.

## How to tell
- **lint**: `log`, `sqrt`, `/`, `** -1`, `** 0.5`, `acos` or `atanh` on a value that comes from the
  model or the data, with no clamp, epsilon or safe variant on the way; an epsilon below the
  precision of the dtype.
- **probe**: the smallest argument that reached the operation on this batch, and the result with the
  batch replaced by zeros, by a constant, and by outputs scaled up a hundredfold.
- **refuted by**: the argument is bounded away from its pole by construction, for every input.

## How to fix
Stay in log space, and use functions that know their limits.

```python
loss = F.binary_cross_entropy_with_logits(logits, y)    # not log(sigmoid)
logp = F.log_softmax(logits, dim=-1)                    # not log(softmax)
entropy = torch.special.entr(p).sum(-1)                 # 0 at p = 0
unit = F.normalize(v, dim=-1, eps=1e-6)
ratio = a / b.clamp_min(1e-6)                           # b is never negative
```

Where an epsilon is the answer, choose it by the dtype (`torch.finfo(x.dtype).eps`) and put it
inside.

## Often mistaken for
- `nonfinite-forward`: the symptom at module level; this page is about the line that does it.
- `unstable-exp`: overflow of an exponential at large arguments, not a pole at small ones.
- `nonfinite-input`: the NaN is in the batch before any of these lines runs.

## Sources
- goodfellow-2016-ch4: section 4.1; underflow to zero followed by a log or a division.
- pytorch-bce-logits: opening paragraph; the fused loss is more stable than a sigmoid followed by
  BCE.
"""
