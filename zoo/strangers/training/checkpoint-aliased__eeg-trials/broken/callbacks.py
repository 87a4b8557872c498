import math


class KeepBest:
    """Remember the weights of the epoch with the lowest monitored value; stop after `patience` bad epochs."""

    def __init__(self, patience=10, min_delta=0.0):
        self.patience = patience
        self.min_delta = min_delta
        self.best_value = math.inf
        self.best_epoch = -1
        self.weights = None

    def update(self, epoch, value, model):
        if value < self.best_value - self.min_delta:
            self.best_value = value
            self.best_epoch = epoch
            self.weights = {name: t.detach() for name, t in model.state_dict().items()}
        return epoch - self.best_epoch >= self.patience

    def restore(self, model):
        model.load_state_dict(self.weights)
        return self.best_epoch


class History:
    def __init__(self, every=1):
        self.every, self.rows = every, []

    def add(self, epoch, **values):
        self.rows.append({"epoch": epoch, **values})
        if epoch % self.every == 0:
            print("  ".join([f"epoch {epoch:3d}"] + [f"{k} {v:.4f}" for k, v in values.items()]))
