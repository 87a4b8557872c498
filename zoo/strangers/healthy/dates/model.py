import torch
from torch import nn

from corpus import BOS, PAD


class DateTransformer(nn.Module):
    def __init__(self, n_src, n_tgt, d=48, heads=4, ff=96, max_len=24):
        super().__init__()
        self.src_emb = nn.Embedding(n_src, d, padding_idx=PAD)
        self.tgt_emb = nn.Embedding(n_tgt, d, padding_idx=PAD)
        self.src_pos = nn.Embedding(max_len, d)
        self.tgt_pos = nn.Embedding(max_len, d)
        self.core = nn.Transformer(d, heads, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=ff,
                                   dropout=0.0, batch_first=True)
        self.out = nn.Linear(d, n_tgt)

    def embed(self, emb, pos, ids):
        return emb(ids) + pos(torch.arange(ids.shape[1]))

    def forward(self, src, tgt):
        pad = src == PAD
        causal = torch.triu(torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool), diagonal=1)
        h = self.core(self.embed(self.src_emb, self.src_pos, src), self.embed(self.tgt_emb, self.tgt_pos, tgt),
                      tgt_mask=causal, src_key_padding_mask=pad, memory_key_padding_mask=pad,
                      tgt_key_padding_mask=tgt == PAD)
        return self.out(h)

    @torch.no_grad()
    def translate(self, src, steps):
        ids = torch.full((len(src), 1), BOS)
        for _ in range(steps):
            nxt = self(src, ids)[:, -1].argmax(-1, keepdim=True)
            ids = torch.cat([ids, nxt], dim=1)
        return ids[:, 1:]
