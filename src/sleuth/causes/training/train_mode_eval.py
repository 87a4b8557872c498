"""Evaluation runs in train mode: dropout is active and batch norm uses the batch at hand.

## What happens
Your validation score is too low, and it changes when you ask twice. With dropout active each
evaluation is a lottery: a small network with dropout 0.5 that scores 88.7% in eval mode gave 83%
to 87% in five repeats in train mode. Model selection then picks the luckiest draw.

Batch norm does worse. A prediction depends on which other examples share its batch, so scores
change with batch size and order; sorted evaluation data (all cats, then all dogs) can collapse.
And every evaluation batch writes into the running statistics: ten batches whose mean is 3 pull a
running mean of 0 to 1.95. Evaluation data thereby leaks into the model you ship. A batch of one
raises "Expected more than 1 value per channel when training", the only loud sign.

`torch.no_grad()` does not help. It stops gradients, not dropout and not the statistics.

```python
with torch.no_grad():                 # looks like evaluation
    for x, y in val_loader:
        correct += (model(x).argmax(1) == y).sum().item()
```

## How to tell
- **lint**: an evaluation function or `no_grad` loop over validation data without `eval()` before
  it, on a model that has dropout or batch norm.
- **watch**: forward calls without a following backward pass, recording off, and `module.training`
  True; `num_batches_tracked` advances during evaluation; one batch given twice yields different
  outputs.
- **refuted by**: two evaluations of the same weights on the same data that agree to the last digit
  and leave all buffers unchanged.

## How to fix
```python
model.eval()
with torch.inference_mode():
    for x, y in val_loader:
        correct += (model(x).argmax(1) == y).sum().item()
model.train()
```
Call `eval()` before exporting or loading for inference as well. Train mode at test time is
deliberate in Monte-Carlo dropout (many samples, averaged), in test-time adaptation, and when
batch-norm statistics are re-estimated on *training* data after weight averaging.

## Often mistaken for
- `dropout-ignores-mode`: there `eval()` is called and a functional dropout does not listen.
- `overfitting`: a gap between training and validation loss too, but it survives `eval()`.
- `augmented-eval`: the noise comes from the inputs, not from the model.

## Sources
- karpathy-2018: second item of the opening post.
- pytorch-saving: "Saving & Loading Model for Inference"; why eval must be called first.
- ioffe-2015: section 3.1; at inference an output should depend on its own input only.
"""
