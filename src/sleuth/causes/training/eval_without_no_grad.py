"""Evaluation records graphs that nobody will use, at the price of memory and time.

## What happens
`model.eval()` changes how layers behave; it does not switch gradient recording off. Evaluate
without `no_grad` and each forward pass keeps the activations for a backward pass that never comes.
The results are right. The bill is memory: as much as a training step's forward pass, so the batch
size you doubled "because evaluation is cheap" does not fit.

It becomes a leak when a tensor outlives its batch. `val_loss += loss` or
`outputs.append(model(x))` keeps the graph of *every* batch alive until the end of the loop, and
memory climbs in a straight line over the validation set. The typical report: training runs for an
hour and dies out of memory in the first evaluation.

There is one way in which it harms results: if evaluation code calls `backward()` (a saliency map,
a gradient penalty logged for interest), gradients add up in the parameters and the next training
step applies them unless it clears first.

```python
model.eval()
for x, y in val_loader:
    val_loss += criterion(model(x), y)        # a graph per batch, all kept
```

## How to tell
- **lint**: a loop over validation or test data that calls the model outside `no_grad` and
  `inference_mode`, with no `backward()`; severe if a raw loss or output is summed or stored.
- **watch**: forward calls in eval mode whose outputs have a `grad_fn` and are never used by a
  backward pass; memory that rises during evaluation and falls after it.
- **refuted by**: `torch.is_grad_enabled()` is False inside the evaluation loop.

## How to fix
```python
@torch.inference_mode()
def evaluate(model, loader):
    model.eval()
    total = sum(criterion(model(x), y).item() * len(y) for x, y in loader)
    return total / len(loader.dataset)
```
Use `no_grad` instead of `inference_mode` if the outputs enter a later gradient computation. Keep
recording on when evaluation needs derivatives: adversarial attacks, forces from an energy model,
physics residuals, influence scores. A frozen model whose inputs need no gradient records nothing
anyway.

## Often mistaken for
- `train-mode-eval`: the other switch; it changes the numbers, this one changes the cost.
- `memory-growth`: the symptom; growth during evaluation only points here.
- `loss-not-reset`: the same accumulation of graphs, in the training loop.

## Sources
- pytorch-autograd: "Evaluation Mode"; eval is independent of no-grad and inference mode.
- pytorch-faq: "My model reports cuda runtime error(2): out of memory", on history kept by a sum.
- pytorch-tuning: "Disable gradient calculation for validation or inference".
"""
