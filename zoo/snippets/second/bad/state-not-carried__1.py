import torch
import torch.nn as nn


class Decoder(nn.Module):
    def __init__(self, vocab, emb=128, hid=256):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.gru = nn.GRU(emb, hid, batch_first=True)
        self.out = nn.Linear(hid, vocab)

    def forward(self, tok, hidden):
        o, hidden = self.gru(self.emb(tok), hidden)
        return self.out(o[:, -1]), hidden


class Seq2Seq(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, emb=128, hid=256):
        super().__init__()
        self.src_emb = nn.Embedding(src_vocab, emb)
        self.encoder = nn.GRU(emb, hid, batch_first=True)
        self.decoder = Decoder(tgt_vocab, emb, hid)

    def forward(self, src, tgt):
        _, hidden = self.encoder(self.src_emb(src))
        logits = []
        for t in range(tgt.size(1) - 1):
            step, _ = self.decoder(tgt[:, t:t + 1], hidden)
            logits.append(step)
        return torch.stack(logits, dim=1)


def train_step(model, src, tgt, opt, pad=0):
    model.train()
    opt.zero_grad()
    logits = model(src, tgt)
    loss = nn.functional.cross_entropy(
        logits.reshape(-1, logits.size(-1)), tgt[:, 1:].reshape(-1), ignore_index=pad
    )
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    return loss.item()
