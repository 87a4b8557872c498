import torch
import torch.nn as nn


class DeepMLP(nn.Module):
    def __init__(self, in_dim, hidden, out_dim, n_layers=4):
        super().__init__()
        self.input_layer = nn.Linear(in_dim, hidden)
        self.layers = []
        for _ in range(n_layers):
            self.layers.append(nn.Linear(hidden, hidden))
        self.output_layer = nn.Linear(hidden, out_dim)

    def forward(self, x):
        x = torch.relu(self.input_layer(x))
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.output_layer(x)


net = DeepMLP(10, 64, 3)
print(sum(p.numel() for p in net.parameters()))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(50):
    for xb, yb in train_dl:
        opt.zero_grad()
        loss = loss_fn(net(xb), yb)
        loss.backward()
        opt.step()
