import torch
from torch import nn

checkpoint = torch.load("best.pt", map_location="cpu")  # weights-not-loaded
model = nn.Linear(10, 2)
model.eval()
with torch.no_grad():
    print(model(x_test).argmax(1))
