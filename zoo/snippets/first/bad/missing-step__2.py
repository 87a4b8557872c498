import random
import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)

    def forward(self, src):
        return self.gru(self.emb(src))[1]


class Decoder(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, tok, h):
        o, h = self.gru(self.emb(tok), h)
        return self.out(o), h


def train_iters(pairs, src_vocab, tgt_vocab, n_iters=20000, hidden=256):
    encoder, decoder = Encoder(src_vocab, hidden), Decoder(tgt_vocab, hidden)
    encoder_opt = torch.optim.Adam(encoder.parameters(), lr=1e-3)
    decoder_opt = torch.optim.Adam(decoder.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss(ignore_index=0)
    for it in range(1, n_iters + 1):
        src, tgt = random.choice(pairs)
        encoder_opt.zero_grad()
        decoder_opt.zero_grad()
        logits, _ = decoder(tgt[:, :-1], encoder(src))
        loss = criterion(logits.transpose(1, 2), tgt[:, 1:])
        loss.backward()
        encoder_opt.step()
        if it % 1000 == 0:
            print(it, loss.item())
    return encoder, decoder
