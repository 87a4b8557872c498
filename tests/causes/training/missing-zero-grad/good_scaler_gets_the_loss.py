import torch


class Scaler:
    def __init__(self):
        self.inner = torch.amp.GradScaler("cuda")

    def __call__(self, loss, optimizer, clip=None, parameters=None):
        self.inner.scale(loss).backward()
        if clip is not None:
            self.inner.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(parameters, clip)
        self.inner.step(optimizer)
        self.inner.update()
