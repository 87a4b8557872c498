import torch


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, "max", patience=1)  # lr-collapsed

    def train(self, epochs):
        for epoch in range(epochs):
            self.run_epoch()
            metrics = self.validate()
            self.scheduler.step(metrics["val_loss"])
