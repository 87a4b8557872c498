"""One update moved the policy too far; KL jumps, grows, or is reported negative.

## What happens
The data were collected by the old policy. After a step that changes it strongly, they no longer
describe the agent, the surrogate objective is fiction, and the next rollout comes from a
stranger. Return drops within an update or two, often for good. Clipping in PPO does not prevent
it: it removes the gradient of samples beyond the range, and the rest, or momentum, may carry on.

Per-update KL of about 0.01 is ordinary; 0.1 deserves a look; 1 is an accident. Sudden: one batch
with an extreme advantage, an outlier among the observations, a normaliser that jumped. Growing
over epochs: too many epochs, rate too high. At the *first* minibatch it must be 0 to rounding; if
it is not, acting and learning use different networks: dropout active, normaliser updated in
between, recurrent state rebuilt differently, stale workers.

Negative KL is impossible; a negative *estimate* is not. The mean of log p_old - log p_new over 64
samples came out negative in 36% of draws at a true KL of 0.005. The estimator (r - 1) - log r is
never below zero. Know which one you plot.

## How to tell
- **watch**: KL more than ten times its running median at one update with a fall in return after
  it; or KL rising across the epochs of each update; or clip fraction above about 0.4; or KL
  clearly above 0 at the first minibatch.
- **refuted by**: KL of all updates stays within a few times its median up to the moment the
  return falls.

## How to fix
```python
log_ratio = new_logp - old_logp
kl = ((log_ratio.exp() - 1) - log_ratio).mean()     # never negative
if kl > 1.5 * target_kl:
    break                                            # leave this update's epochs
```
Then lower the rate or the epochs, normalise advantages, enlarge the batch, clip the gradient
norm. For fine-tuning language models keep two numbers apart: KL to the *previous* policy (this
page) and to the *reference* model, which is meant to grow slowly.

## Often mistaken for
- `lr-too-high`: the usual reason if KL is high in every update.
- `entropy-collapsed`: the aftermath: certain of something after one jump.
- `obs-unnormalized`: when statistics jump, the policy changes without any step.

## Sources
- schulman-2016: slide "KL as Diagnostic", a spike going along with loss of performance.
- schulman-kl-2020: comparison of estimators: the plain one that may be negative, and the
  non-negative one.
- schulman-ppo-2017: sections 3 and 4, clipping and the KL penalty as two ways of limiting the
  step.
"""
