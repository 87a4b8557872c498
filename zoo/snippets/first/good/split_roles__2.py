import torch


class NativeScaler:
    def __init__(self):
        self._scaler = torch.cuda.amp.GradScaler()

    def __call__(self, loss, optimizer, parameters, clip_grad=None, update_grad=True, create_graph=False):
        self._scaler.scale(loss).backward(create_graph=create_graph)
        if not update_grad:
            return None
        self._scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(parameters, clip_grad if clip_grad is not None else float("inf"))
        self._scaler.step(optimizer)
        self._scaler.update()
        return norm

    def state_dict(self):
        return self._scaler.state_dict()


def train_one_epoch(model, loader, optimizer, loss_scaler, device, accum=2):
    model.train()
    optimizer.zero_grad()
    usable = len(loader) // accum * accum
    for step, (x, _) in enumerate(loader):
        if step >= usable:
            break
        with torch.cuda.amp.autocast():
            loss, _, _ = model(x.to(device), mask_ratio=0.75)
        loss_value = loss.item()
        loss_scaler(loss / accum, optimizer, model.parameters(), update_grad=(step + 1) % accum == 0)
        if (step + 1) % accum == 0:
            optimizer.zero_grad()
            print(step, loss_value)
