import torch.nn.functional as F


def fit(model, optimizer, train, val, epochs):
    best, kept = 0.0, {}
    for epoch in range(epochs):
        model.train()
        for x, y in train:
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        acc = accuracy(model, val)
        if acc > best:
            best = acc
            kept = {k: v.detach() for k, v in model.state_dict().items()}  # checkpoint-aliased
    model.load_state_dict(kept)
    return model
