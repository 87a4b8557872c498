import torch

model = torch.nn.Sequential(
    torch.nn.Linear(3, 24),
    torch.nn.Tanh(),
    torch.nn.Linear(24, 1),
    torch.nn.Tanh(),  # output-activation
)
x = torch.rand(256, 3)
y = 4 * x.sum(1, keepdim=True) + torch.randn(256, 1)
y = (y - y.mean()) / y.std()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(2000):
    loss = ((model(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
