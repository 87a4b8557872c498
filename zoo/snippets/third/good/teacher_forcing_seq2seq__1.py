import random
import torch
import torch.nn as nn


class Seq2Seq(nn.Module):
    def __init__(self, enc, dec, vocab):
        super().__init__()
        self.enc, self.dec, self.vocab = enc, dec, vocab

    def forward(self, src, trg, tf=0.5):
        T, B = trg.shape
        outputs = torch.zeros(T, B, self.vocab, device=src.device)
        h = self.enc(src)
        tok = trg[0]
        for t in range(1, T):
            out, h = self.dec(tok, h)
            outputs[t] = out
            tok = trg[t] if random.random() < tf else out.argmax(1)
        return outputs


def train(model, it, opt, pad, clip=1.0):
    crit = nn.CrossEntropyLoss(ignore_index=pad)
    model.train()
    total = 0.0
    for src, trg in it:
        opt.zero_grad()
        out = model(src, trg)
        loss = crit(out[1:].reshape(-1, out.size(-1)), trg[1:].reshape(-1))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        opt.step()
        total += loss.item()
    return total / len(it)
