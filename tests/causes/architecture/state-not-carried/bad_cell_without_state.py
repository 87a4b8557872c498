import torch

cell = torch.nn.GRUCell(12, 24)
head = torch.nn.Linear(24, 3)
opt = torch.optim.Adam([*cell.parameters(), *head.parameters()])

for seq, label in loader:
    for x_t in seq.unbind(1):
        h = cell(x_t)  # state-not-carried
    loss = torch.nn.functional.cross_entropy(head(h), label)
    opt.zero_grad()
    loss.backward()
    opt.step()
