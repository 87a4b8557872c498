import torch
import torch.nn.functional as F


class SparseDense:
    """Embedding tables use SparseAdam, the rest AdamW."""

    def __init__(self, model):
        sparse = [p for n, p in model.named_parameters() if "emb" in n]
        dense = [p for n, p in model.named_parameters() if "emb" not in n]
        self.model = model
        self.opts = [torch.optim.SparseAdam(sparse, lr=1e-3), torch.optim.AdamW(dense, lr=1e-3)]

    def __enter__(self):
        for o in self.opts:
            o.zero_grad(set_to_none=True)
        return self

    def __exit__(self, exc_type, *_):
        if exc_type is None:
            for o in self.opts:
                o.step()

    def train_epoch(self, loader):
        self.model.train()
        for users, items, y in loader:
            with self:
                loss = F.binary_cross_entropy_with_logits(self.model(users, items), y)
                loss.backward()
