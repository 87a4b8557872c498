import numpy as np
import torch


def train(model, optimizer, images, labels, steps, batch_size=64):
    for step in range(steps):
        rng = np.random.default_rng(0)  # repeated-batch
        chosen = rng.choice(len(images), batch_size, replace=False)
        scores = model(torch.as_tensor(images[chosen]))
        loss = torch.nn.functional.cross_entropy(scores, torch.as_tensor(labels[chosen]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
