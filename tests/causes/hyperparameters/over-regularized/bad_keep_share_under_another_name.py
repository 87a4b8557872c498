"""The share travels: from a command line over a parameter called `dropout` into the layers."""

import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--dropout_keep_prob", type=float, default=0.9)
parser.add_argument("--hidden", type=int, default=64)
args = parser.parse_args()

KEEP = 0.6


class Reader(nn.Module):
    def __init__(self, hidden, dropout, emb_drop):
        super().__init__()
        self.emb = nn.Embedding(500, hidden)
        self.drop = nn.Dropout(emb_drop)  # over-regularized
        self.rnn = nn.LSTM(hidden, hidden, 2, dropout=dropout)  # over-regularized
        self.out = nn.Linear(hidden, 2)

    def forward(self, ids):
        states, _ = self.rnn(self.drop(self.emb(ids.t())))
        return self.out(states[-1])


model = Reader(args.hidden, dropout=args.dropout_keep_prob, emb_drop=KEEP)
