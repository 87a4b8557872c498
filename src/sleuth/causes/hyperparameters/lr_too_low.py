"""The learning rate is too low: the loss hardly moves, and ten times the rate moves it.

## What happens
Everything is right except the pace. The loss falls in a nearly straight, nearly flat line, each
step a hair below the last. No noise, no plateau, no error message, and after a day the curve looks
"converged" because its axis is too wide. Too low a rate is also not safe: it can leave a network in
the first poor region that it finds, and generalisation can be worse than after a bold start.

Usual births: 1e-5 copied from a fine-tuning recipe into training from scratch; Adam's 1e-3 given to
plain SGD, which often needs 0.01 to 0.1; a rate divided by the batch size, or by accumulation
steps, once too often; a warmup counted in epochs where it was meant in steps; a schedule that
starts at its end.

Tiny steps can also come from elsewhere: gradients that vanish, a loss averaged over far too much, a
saturated output. Look at the gradient before you turn the rate.

## How to tell
- **experiment**: `lr x10` makes the loss fall several times faster and stay stable; on `same-batch`
  the script cannot memorise at the given rate and can at ten times that. A hundredfold may be
  needed: go by tens.
- **watch**: the ratio of update to weight stays below about 1e-5 per step; the loss is monotone and
  its slope hardly changes; gradient norms are ordinary.
- **refuted by**: at ten times the rate the loss moves no faster, or it diverges.

## How to fix
Raise it in factors of three or ten until it becomes unstable, then step back once.

```python
for lr in (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2):
    torch.manual_seed(0)
    model = build()
    print(lr, train(model, torch.optim.AdamW(model.parameters(), lr=lr), steps=200))
```

For scikit-learn's `MLPClassifier`, `SGDClassifier` and boosting read `learning_rate_init`, `eta0`
and `learning_rate` together with the number of iterations: a lower rate needs proportionally more
of them. Leave a low rate where it belongs: fine-tuning a pretrained backbone, the tail of a
schedule, a target network.

## Often mistaken for
- `lr-collapsed`: the rate was good at first and the schedule took it away; look at the recorded
  rates.
- `vanishing-gradients`: early layers get nothing, so a higher rate helps the last layers only.
- `double-softmax`: the gradient is about K times too small and a higher rate helps, down to a
  floor.

## Sources
- goodfellow-2016-ch8: section 8.3.1, Stochastic Gradient Descent; what too low a rate looks like.
- cs231n-nn3: Babysitting the learning process; the near-linear curve of a low rate, and the update
  ratio around 1e-3.
"""
