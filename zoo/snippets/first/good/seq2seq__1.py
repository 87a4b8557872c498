import random
import torch
import torch.nn as nn


def train_pair(src, tgt, encoder, decoder, enc_opt, dec_opt, criterion, sos, teacher_ratio=0.5):
    enc_opt.zero_grad()
    dec_opt.zero_grad()
    memory, hidden = encoder(src)
    token = torch.full((src.size(0), 1), sos, device=src.device)
    loss = 0
    forced = random.random() < teacher_ratio
    for t in range(tgt.size(1)):
        logits, hidden = decoder(token, hidden, memory)
        loss += criterion(logits.squeeze(1), tgt[:, t])
        if forced:
            token = tgt[:, t:t + 1]
        else:
            token = logits.argmax(-1).detach()
    loss.backward()
    nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
    nn.utils.clip_grad_norm_(decoder.parameters(), 1.0)
    enc_opt.step()
    dec_opt.step()
    return loss.item() / tgt.size(1)
