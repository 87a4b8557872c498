import torch


def sequence_step(cell, readout, optimizer, inputs, targets):
    state = torch.zeros(inputs.shape[1], 32)
    loss = 0.0
    for x, y in zip(inputs, targets):
        state = cell(x, state)
        loss = loss + torch.nn.functional.mse_loss(readout(state), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def multitask(model, optimizer, batches, criteria):
    for batch in batches:
        total = 0
        for head, criterion in criteria.items():
            total += criterion(model(batch, head), batch[head])
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
