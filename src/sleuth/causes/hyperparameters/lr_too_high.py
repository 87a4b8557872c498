"""The learning rate is too high: the loss swings or explodes, and at a tenth it does not.

## What happens
A step overshoots the valley. On a quadratic with curvature c, gradient descent converges below a
rate of 2/c and diverges above it, with nothing in between: at c = 10, after 100 steps, a rate of
0.19 has shrunk the error to 0.00003 and 0.21 has blown it up to 14,000. Networks bend this rule but
keep its cliff.

What you see depends on how far over it you are. Far: the loss climbs within ten steps and ends in
NaN. A bit: it jumps up and down, or drops to a plateau near chance, because one early step killed
the ReLUs or pushed a softmax into a corner. Slightly: training works and stops too high, and
everything improves the moment the schedule lowers the rate. Adam rarely gives NaN; it bounces.

Common births: a rate for SGD (0.1) handed to Adam, where 0.001 is ordinary; a rate from a paper
with another batch size; fine-tuning at the rate of pretraining; a scheduler whose `max_lr` was
meant as a start.

## How to tell
- **experiment**: `lr x0.1` turns oscillation or explosion into steady descent with the same seed,
  and `lr x10` is worse. If a tenth helps *and* another suspect exists (unnormalised inputs, a
  summed loss, accumulation that is not divided), undo that one first: it is the root.
- **watch**: the loss rises over several steps or swings by more than its own mean; the ratio of
  update to weight sits well above 0.01 per step (about 0.001 is usual); gradient norms spike after
  each step.
- **refuted by**: a tenth of the rate gives the same picture, only slower.

## How to fix
Divide by 3 or 10 until it is calm, then go back up to the highest rate that still is. A short range
test finds the cliff in one run: let the rate grow exponentially and stop where the loss turns up.

```python
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)        # not 1e-1
for step, (x, y) in zip(range(200), loader):
    for group in optimizer.param_groups:
        group["lr"] = 1e-6 * 10 ** (step / 33)                    # 1e-6 to about 1
    train_step(x, y)                                              # plot loss against rate
```

Take a third to a tenth of the rate at which the curve turns. A loss that is noisy and still falling
on average is no fault; small batches look like that.

## Often mistaken for
- `inputs-unnormalized`: large inputs make curvature large, and every rate then looks too high.
- `wrong-reduction`: a summed loss multiplies the gradient by the batch size.
- `no-warmup`: only the first steps are bad; the same rate is fine once it is reached slowly.

## Sources
- goodfellow-2016-ch11: section 11.4.1, Manual Hyperparameter Tuning; the rate as the first thing to
  tune, and the error against the rate.
- cs231n-nn3: Babysitting the learning process; what loss curves look like at various rates, and the
  ratio of updates to weights.
- smith-2017: section 3.3; the range test.
"""
