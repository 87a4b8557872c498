import torch


def run_epoch(model, loaders, criterion, optimizer, device):
    stats = {}
    for phase in ("train", "val"):
        model.train() if phase == "train" else model.eval()
        loss_sum, ok, n = 0.0, 0, 0
        for x, y in loaders[phase]:
            x, y = x.to(device), y.to(device)
            with torch.set_grad_enabled(phase == "train"):
                out = model(x)
                loss = criterion(out, y)
            if phase == "train":
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            loss_sum += loss.item() * len(y)
            ok += (out.argmax(1) == y).sum().item()
            n += len(y)
        stats[phase] = (loss_sum / n, ok / n)
    return stats
