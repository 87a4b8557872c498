import math

import torch
import torch.nn.functional as F


def windows(loader, k):
    """Lists of up to k micro-batches. The last list of an epoch may be shorter; it is a step like any other."""
    held = []
    for batch in loader:
        held.append(batch)
        if len(held) == k:
            yield held
            held = []
    if held:
        yield held


class Trainer:
    def __init__(self, model, train_loader, val_loader, *, accumulate, epochs, lr, warmup, max_norm):
        self.model, self.train_loader, self.val_loader = model, train_loader, val_loader
        self.k, self.epochs, self.max_norm = accumulate, epochs, max_norm
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)
        total = epochs * math.ceil(len(train_loader) / accumulate)

        def shape(step):
            if step < warmup:
                return (step + 1) / warmup
            return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))

        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, shape)
        self.step_count = 0

    @staticmethod
    def autocast():
        # bfloat16 has the exponent range of float32: no GradScaler needed. Weights stay float32.
        return torch.autocast("cpu", dtype=torch.bfloat16)

    def train_window(self, window):
        n = sum(len(y) for _, y in window)          # examples behind this one optimizer step
        total = 0.0
        for ids, y in window:
            with self.autocast():
                logits = self.model(ids)
            # the loss itself in float32; sum over n examples = mean of the whole window
            loss = F.cross_entropy(logits.float(), y, reduction="sum") / n
            loss.backward()
            total += loss.item()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.optimizer.step()
        self.scheduler.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.step_count += 1
        return total * n, n, float(norm)

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        loss = right = n = 0
        for ids, y in loader:
            with self.autocast():
                logits = self.model(ids)
            loss += F.cross_entropy(logits.float(), y, reduction="sum").item()
            right += (logits.argmax(-1) == y).sum().item()
            n += len(y)
        return loss / n, right / n

    def fit(self):
        for epoch in range(1, self.epochs + 1):
            self.model.train()
            loss = n = biggest = 0
            for window in windows(self.train_loader, self.k):
                l, m, norm = self.train_window(window)
                loss, n, biggest = loss + l, n + m, max(biggest, norm)
            vl, va = self.evaluate(self.val_loader)
            print(f"epoch {epoch:2d} step {self.step_count:4d} lr {self.scheduler.get_last_lr()[0]:.1e} "
                  f"max|g| {biggest:5.2f}  train {loss / n:.4f}  val {vl:.4f}  acc {va:.3f}", flush=True)
