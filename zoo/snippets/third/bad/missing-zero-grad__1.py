import torch
import torch.nn as nn
from tqdm.auto import tqdm


def train_vit(vit, train_dataloader, n_epochs=10, lr=3e-4, device="cuda"):
    vit.to(device).train()
    loss_function = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.AdamW(vit.parameters(), lr=lr, weight_decay=0.05)
    history = []
    for epoch in range(n_epochs):
        with tqdm(train_dataloader, unit="batch") as bar:
            for data, target in bar:
                data, target = data.to(device), target.to(device)
                output = vit(data)
                loss = loss_function(output, target)
                loss.backward()
                optimizer.step()
                history.append(loss.item())
                bar.set_postfix(loss=loss.item())
    return history
