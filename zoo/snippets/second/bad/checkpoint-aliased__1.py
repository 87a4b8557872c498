import torch


class EarlyStopping:
    def __init__(self, patience=7):
        self.patience = patience
        self.best = float("inf")
        self.bad_epochs = 0
        self.best_weights = None

    def update(self, val_loss, model):
        if val_loss < self.best:
            self.best = val_loss
            self.bad_epochs = 0
            self.best_weights = model.state_dict()
        else:
            self.bad_epochs += 1
        return self.bad_epochs >= self.patience


def train(model, train_fn, valid_fn, max_epochs=100):
    stopper = EarlyStopping()
    for epoch in range(max_epochs):
        train_loss = train_fn(model)
        val_loss = valid_fn(model)
        print(f"{epoch:3d} train {train_loss:.4f} val {val_loss:.4f}")
        if stopper.update(val_loss, model):
            print("early stop")
            break
    model.load_state_dict(stopper.best_weights)
    torch.save(model.state_dict(), "best.pt")
    return model
