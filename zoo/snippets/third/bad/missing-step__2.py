import torch


class SegTrainer:
    def __init__(self, model, loaders, cfg):
        self.model = model
        self.loaders = loaders
        self.optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
        self.loss = torch.nn.CrossEntropyLoss(ignore_index=255)
        self.cfg = cfg

    def train_epoch(self, epoch):
        self.model.train()
        total = 0.0
        for batch in self.loaders["train"]:
            self.optimizer.zero_grad()
            logits = self.model(batch["image"])
            loss = self.loss(logits, batch["mask"])
            loss.backward()
            total += loss.item()
        print(f"[{epoch}] loss={total / len(self.loaders['train']):.4f}")

    def fit(self):
        for epoch in range(self.cfg.epochs):
            self.train_epoch(epoch)
