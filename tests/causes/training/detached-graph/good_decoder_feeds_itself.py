import torch
import torch.nn.functional as F
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.embedding = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, state, start, length):
        token, outputs = start, []
        for _ in range(length):
            output, state = self.gru(F.relu(self.embedding(token)), state)
            logits = self.out(output)
            outputs.append(logits)
            token = logits.topk(1)[1].squeeze(-1).detach()
        return torch.cat(outputs, dim=1)


decoder = Decoder(50, 64)
opt = torch.optim.Adam(decoder.parameters())
for state, start, target in loader:
    logits = decoder(state, start, target.size(1))
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item(), logits.detach().cpu().numpy().max())
