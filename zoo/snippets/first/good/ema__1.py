import torch


class EMA:
    def __init__(self, model, decay=0.9999):
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in model.state_dict().items()}
        self.backup = None

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
            if v.dtype.is_floating_point:
                self.shadow[k].mul_(self.decay).add_(v, alpha=1 - self.decay)
            else:
                self.shadow[k].copy_(v)

    def swap_in(self, model):
        self.backup = {k: v.clone() for k, v in model.state_dict().items()}
        model.load_state_dict(self.shadow)

    def swap_out(self, model):
        model.load_state_dict(self.backup)
        self.backup = None


def fit(model, ema, train_loader, val_fn, opt, lossf, epochs):
    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            opt.zero_grad()
            lossf(model(x), y).backward()
            opt.step()
            ema.update(model)
        ema.swap_in(model)
        print(epoch, val_fn(model))
        ema.swap_out(model)
