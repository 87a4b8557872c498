import torch
import torch.nn.functional as F


def train(model, fetch, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    tokens, targets = fetch("train")
    for step in range(steps):
        logits = model(tokens)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        tokens, targets = fetch("train")
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
