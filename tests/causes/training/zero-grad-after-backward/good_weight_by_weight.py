import torch


def skips_broken_gradients(network, batches, objective, optimizer):
    """Only what is not finite is emptied."""
    network.train()
    for rows, answers in batches:
        optimizer.zero_grad()
        objective(network(rows), answers).backward()
        for weight in network.parameters():
            if weight.grad is not None and not torch.isfinite(weight.grad).all():
                weight.grad.zero_()
        optimizer.step()


def keeps_the_first_layer(network, batches, objective, optimizer):
    network.train()
    for rows, answers in batches:
        optimizer.zero_grad()
        objective(network(rows), answers).backward()
        for name, weight in network.named_parameters():
            if name.startswith("stem"):
                weight.grad = None
        optimizer.step()


def scores_weights_first(network, batches, objective, optimizer, scores):
    network.train()
    for rows, answers in batches:
        objective(network(rows), answers).backward()
        for weight, score in zip(network.parameters(), scores):
            score += weight.grad.abs()
            weight.grad.zero_()
        objective(network(rows), answers).backward()
        optimizer.step()
        optimizer.zero_grad()


def empties_one_part(body, head, batches, objective, optimizer):
    head.train()
    for rows, answers in batches:
        optimizer.zero_grad()
        objective(head(body(rows)), answers).backward()
        for weight in body.parameters():
            weight.grad = None
        optimizer.step()
