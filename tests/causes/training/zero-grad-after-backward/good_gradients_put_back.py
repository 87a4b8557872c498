import torch


def conflict_free(model, optimizer, losses):
    stored = []
    for loss in losses:
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        stored.append([p.grad.clone() for p in model.parameters()])
    optimizer.zero_grad()
    for p, parts in zip(model.parameters(), zip(*stored)):
        p.grad = torch.stack(parts).mean(0)
    optimizer.step()
