import torch


def train_step(model, optimizer, loss_fn, x, y):
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)  # clip-misplaced
    loss.backward()
    optimizer.step()
    return loss.item()
