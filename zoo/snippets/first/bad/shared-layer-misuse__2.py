import torch
import torch.nn as nn
import torch.nn.functional as F


class DuplicateQuestion(nn.Module):
    def __init__(self, vocab, dim=300, hid=256):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hid, batch_first=True, bidirectional=True)
        self.drop_a = nn.Dropout(0.5)
        self.drop_b = nn.Dropout(0.1)
        self.scale = nn.Parameter(torch.tensor(10.0))

    def encode(self, ids, drop):
        h, _ = self.lstm(drop(self.emb(ids)))
        return F.normalize(h.mean(1), dim=-1)

    def forward(self, q1, q2):
        a = self.encode(q1, self.drop_a)
        b = self.encode(q2, self.drop_b)
        return self.scale * (a * b).sum(-1)


model = DuplicateQuestion(40000)
opt = torch.optim.Adam(model.parameters(), 1e-3)
for epoch in range(4):
    model.train()
    for q1, q2, dup in quora_loader:
        loss = F.binary_cross_entropy_with_logits(model(q1, q2), dup.float())
        opt.zero_grad()
        loss.backward()
        opt.step()
