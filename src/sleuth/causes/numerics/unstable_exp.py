"""A hand-written softmax, logsumexp, softplus or sigmoid that overflows.

## What happens
`exp` ends early. In float32 and bfloat16 it is infinite from 88.8 upwards, in float16 from 11.1. A
textbook softmax, exp(z) / sum(exp(z)), therefore gives inf / inf = NaN for the very logit that
should win, and 0 / 0 = NaN if all logits are very negative. With fresh weights the logits are
small, so tests pass; trouble comes late, on the examples of which the model is most certain.

The sigmoid is subtler. `1 / (1 + exp(-z))` at z = -100 returns a correct 0, and its gradient is
NaN. `log(1 + exp(z))` at z = 100 is inf where the answer is 100. `log(softmax(z))` does not
overflow and is still wrong: from 104 below the winner the probability is 0 in float32 and its log
-inf, where `log_softmax` gives the right number.

```python
p = torch.exp(z) / torch.exp(z).sum(-1, keepdim=True)
loss = -torch.log(p[rows, y])
kl = 0.5 * (torch.exp(log_var) + mu ** 2 - 1 - log_var)     # log_var is not bounded
```

`exp` of something bounded above is safe: a negative squared distance, a log-probability, a score
from which the row's maximum was subtracted.

## How to tell
- **lint**: `exp` divided by a sum of `exp`; `log` of a `sum` of `exp`; `log(1 + exp(...))`;
  `1 / (1 + exp(-x))`; `log` directly around `softmax` or `sigmoid`.
- **probe**: the largest argument that reached `exp`, set against the limit of its dtype, and the
  loss with the logits multiplied by 100 compared with the library's version.
- **refuted by**: the result agrees with the library function at logits of +1000 and -1000.

## How to fix
Use the library: the maximum is subtracted for you and the backward pass is written to match.

```python
logp = F.log_softmax(z, dim=-1)
total = torch.logsumexp(z, dim=-1)
loss = F.cross_entropy(z, y)
s, sp, ls = torch.sigmoid(z), F.softplus(z), F.logsigmoid(z)
```

If you need your own, subtract `z.amax(-1, keepdim=True).detach()` first. A learned log-variance or
temperature deserves a clamp *before* its `exp`.

## Often mistaken for
- `unsafe-log-div`: a pole at zero rather than an overflow; `log(sigmoid(z))` belongs to both.
- `lr-too-high`: logits explode over a few steps; here ordinary logits of 90, or 12 in float16,
  suffice.

## Sources
- goodfellow-2016-ch4: section 4.1; softmax stabilised by subtracting the largest input, and why the
  log needs an implementation of its own.
- pytorch-bce-logits: opening paragraph; the log-sum-exp trick inside the fused loss.
"""
