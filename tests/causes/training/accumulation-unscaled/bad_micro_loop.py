import torch


def train(model, get_batch, steps, micro_batches=16):
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4)
    for it in range(steps):
        optimizer.zero_grad(set_to_none=True)
        for micro in range(micro_batches):
            x, y = get_batch()
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()  # accumulation-unscaled
        optimizer.step()
