import torch


def run(model, criterion, batches, accum):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for update in range(1000):
        for micro in range(accum):
            inputs, target = next(batches)
            loss = criterion(model(inputs), target) / accum
            loss.backward()  # missing-zero-grad
        optimizer.step()
