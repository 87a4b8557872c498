"""Work meant for an accelerator runs on the CPU, or tensors travel back and forth.

## What happens
The run is correct and many times too slow, and so it gets stopped early and judged as "does not
learn". The polite one-liner is the usual door:

```python
device = "cuda" if torch.cuda.is_available() else "cpu"     # and nobody is told which
```

It picks the CPU when a CPU-only build was installed (then `torch.version.cuda` is None), when the
driver is too old, when the container got no GPU, or when `CUDA_VISIBLE_DEVICES` is empty. On Apple
machines `PYTORCH_ENABLE_MPS_FALLBACK=1` sends single unsupported operations to the CPU, each with a
copy there and back.

Half-way forms: `x.to(device)` without assignment does nothing to `x` (a *module's* `.to` works in
place, a tensor's does not), which raises an error as soon as the model is on the GPU, and stays
silent if the model was forgotten as well. A layer that calls `.cpu().numpy()` in `forward`
computes on the host and, worse, cuts the graph. `.item()`, `print(loss)` and `if loss > best:` in
every step make the GPU wait for the host. And a starved GPU looks the same: loading and
augmentation are simply slower.

## How to tell
- **lint**: a device chosen with a silent `else "cpu"` (common and legal, so a note at most); a
  tensor's `.to(...)` or `.cuda()` whose result is dropped; `.cpu()`, `.numpy()` or `.item()`
  inside `forward` or in each step.
- **watch**: parameters or inputs on the CPU although an accelerator is visible; copies between
  devices in every step; most of the step time spent outside forward and backward.
- **refuted by**: `next(model.parameters()).device` and the batch's device are the accelerator, and
  it is busy.

## How to fix
Say where you run, and make the fallback a decision.

```python
device = torch.device(args.device)                    # "cuda" unless asked otherwise
if device.type == "cuda" and not torch.cuda.is_available():
    raise SystemExit("no GPU visible; pass --device cpu to run anyway")
model.to(device)
x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
```

Read scalars back every hundred steps, not every step. On small models the CPU may well be faster,
and a CPU run for a test is fine: only the silence is the defect.

## Often mistaken for
- `throughput-decay`: starts fast and becomes slow; a fallback is slow from the start.
- `undertrained`: what the slow run looks like when time, not steps, is the budget.
- `detached-graph`: the same `.cpu().numpy()` seen from autograd's side, and the graver finding.

## Sources
- pytorch-tuning: "Avoid unnecessary CPU-GPU synchronization" and creating tensors on the target
  device.
- pytorch-mps-env: the table entry for `PYTORCH_ENABLE_MPS_FALLBACK`.
"""
