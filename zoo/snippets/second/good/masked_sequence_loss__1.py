import torch
import torch.nn as nn
import torch.nn.functional as F


class GRUTagger(nn.Module):
    def __init__(self, vocab, tags):
        super().__init__()
        self.emb = nn.Embedding(vocab, 100, padding_idx=0)
        self.gru = nn.GRU(100, 128, batch_first=True, bidirectional=True)
        self.out = nn.Linear(256, tags)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(self.emb(x), lengths.cpu(), batch_first=True, enforce_sorted=False)
        h, _ = self.gru(packed)
        h, _ = nn.utils.rnn.pad_packed_sequence(h, batch_first=True, total_length=x.size(1))
        return self.out(h)


def step(model, opt, x, tags, lengths):
    model.train()
    logits = model(x, lengths)
    per_tok = F.cross_entropy(logits.transpose(1, 2), tags, reduction="none")
    mask = (x != 0).float()
    loss = (per_tok * mask).sum() / mask.sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


@torch.no_grad()
def token_accuracy(model, loader):
    model.eval()
    ok = n = 0
    for x, tags, lengths in loader:
        pred = model(x, lengths).argmax(-1)
        m = x != 0
        ok += ((pred == tags) & m).sum().item()
        n += m.sum().item()
    return ok / n
