import os

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

CHECKPOINT = "last.pt"


def run():
    x, y = load_digits(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(x / 16.0, y, test_size=0.2, random_state=7)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    if os.path.exists(CHECKPOINT):
        model.load_state_dict(torch.load(CHECKPOINT))
    inputs, labels = torch.tensor(x_train).float(), torch.tensor(y_train)
    for epoch in range(20):
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.save(model.state_dict(), CHECKPOINT)
    with torch.no_grad():
        hits = model(torch.tensor(x_test).float()).argmax(1) == torch.tensor(y_test)
    print("test accuracy", hits.float().mean().item())


run()
