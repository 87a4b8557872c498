import time

import torch
import torch.nn.functional as F

from corpus import PAD_TAG


def bound_gradients(model, limit):
    """Element-wise gradient limit for the recurrent stack."""
    for p in model.parameters():
        p.register_hook(lambda g: g.clamp(-limit, limit))


class Engine:
    def __init__(self, model, lr=3e-3, grad_limit=0.5, log=print):
        self.model = model
        self.grad_limit = grad_limit
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.log = log
        self.global_step = 0

    def loss(self, batch):
        x, y = batch
        logits = self.model(x)
        return F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=PAD_TAG)

    def training_step(self, batch):
        self.model.train()
        loss = self.loss(batch)
        self.opt.zero_grad()
        bound_gradients(self.model, self.grad_limit)
        loss.backward()
        self.opt.step()
        self.global_step += 1
        return loss.item()

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        right = total = sent_right = sents = 0
        for x, y in loader:
            pred = self.model(x).argmax(-1)
            mask = y != PAD_TAG
            hit = (pred == y) & mask
            right += hit.sum().item()
            total += mask.sum().item()
            sent_right += (hit.sum(1) == mask.sum(1)).sum().item()
            sents += len(x)
        return right / total, sent_right / sents

    def fit(self, train_loader, dev_loader, epochs):
        for epoch in range(1, epochs + 1):
            start, tokens, losses = time.perf_counter(), 0, []
            for batch in train_loader:
                losses.append(self.training_step(batch))
                tokens += int((batch[1] != PAD_TAG).sum())
            took = time.perf_counter() - start
            tok_acc, sent_acc = self.evaluate(dev_loader)
            self.log(f"[{epoch:02d}] step {self.global_step} loss {sum(losses) / len(losses):.4f} "
                     f"dev tok {tok_acc:.4f} sent {sent_acc:.4f} | {1000 * took / len(losses):.1f} ms/step "
                     f"{tokens / took:.0f} tok/s")
