import torch
import torch.nn.functional as F


class TokenTrainer:
    """Gradients are summed over tokens and rescaled once per update."""

    def __init__(self, model, lr, micro_batches):
        self.model = model
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)
        self.micro_batches = micro_batches

    def micro_step(self, ids):
        logits = self.model(ids[:, :-1])
        target = ids[:, 1:]
        loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-100, reduction="sum")
        loss.backward()
        return loss.item(), int((target != -100).sum())

    def update(self, batches):
        self.model.train()
        total, tokens = 0.0, 0
        for ids in batches:
            l, n = self.micro_step(ids)
            total += l
            tokens += n
        for p in self.model.parameters():
            if p.grad is not None:
                p.grad.div_(max(tokens, 1))
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.opt.step()
        self.opt.zero_grad()
        return total / max(tokens, 1)
