import torch
import torch.nn as nn


class FactorizedEmbedding(nn.Module):
    """ALBERT-style: vocab x small, then small x hidden."""

    def __init__(self, vocab, small=128, hidden=768):
        super().__init__()
        self.word = nn.Embedding(vocab, small, padding_idx=0)
        self.up = nn.Linear(small, hidden, bias=False)
        self.norm = nn.LayerNorm(hidden)
        self.drop = nn.Dropout(0.1)

    def forward(self, ids):
        return self.drop(self.norm(self.up(self.word(ids))))


class Ranker(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.emb = FactorizedEmbedding(vocab)
        layer = nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 6)
        self.score = nn.Linear(768, 1)

    def forward(self, ids):
        pad = ids == 0
        h = self.enc(self.emb(ids), src_key_padding_mask=pad)
        return self.score(h[:, 0]).squeeze(-1)


def pairwise_step(model, opt, better, worse):
    model.train()
    margin = model(better) - model(worse)
    loss = -nn.functional.logsigmoid(margin).mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    return loss.item(), (margin > 0).float().mean().item()
