import torch
import torch.nn as nn

rnn = nn.GRU(12, 32, batch_first=True)
head = nn.Linear(32, 1)
params = list(rnn.parameters()) + list(head.parameters())
optimizer = torch.optim.Adam(params, lr=5e-4)
criterion = nn.L1Loss()

for epoch in range(30):
    for seq, nxt in windows:
        out, _ = rnn(seq)
        pred = head(out[:, -1]).squeeze(-1)
        loss = criterion(pred, nxt)
        optimizer.step()
        optimizer.zero_grad()
        loss.backward()
