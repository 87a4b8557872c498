import torch
from torch import nn


class ResidualReranker(nn.Module):
    """Keeps the first-stage score and learns a correction on top of it."""

    def __init__(self, q_dim, d_dim, width=48):
        super().__init__()
        self.query_enc = nn.Linear(q_dim, width)
        self.doc_enc = nn.Linear(d_dim, width)
        self.head = nn.Sequential(
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
            nn.Linear(width, 1),
        )

    def forward(self, q, d, first_stage):
        # q [B, q_dim]   d [B, K, d_dim]   first_stage [B, K]
        state = self.query_enc(q).unsqueeze(1) + self.doc_enc(d).mean(1, keepdim=True)
        correction = self.head(state).squeeze(-1)
        return first_stage + correction.expand_as(first_stage)
