import torch
import torch.nn as nn


class TicketTransformer(nn.Module):
    def __init__(self, vocab_size, n_labels, dim=48, heads=4, layers=2, max_len=40, dropout=0.1):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.pos = nn.Embedding(max_len, dim)
        layer = nn.TransformerEncoderLayer(dim, heads, 4 * dim, dropout, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.out = nn.Linear(dim, n_labels)

    def forward(self, ids):
        pad = ids.eq(0)
        h = self.tok(ids) + self.pos(torch.arange(ids.shape[1], device=ids.device))
        h = self.encoder(h, src_key_padding_mask=pad)
        h = h.masked_fill(pad.unsqueeze(-1), 0.0).sum(1) / (~pad).sum(1, keepdim=True).clamp(min=1)
        return self.out(h)
