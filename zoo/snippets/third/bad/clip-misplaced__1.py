import torch
from torch.nn.utils import clip_grad_norm_


def train_lm(model, optimizer, stream, criterion, max_norm=0.25):
    model.train()
    for i, (src, tgt) in enumerate(stream):
        optimizer.zero_grad()
        out = model(src)
        loss = criterion(out.view(-1, out.size(-1)), tgt.reshape(-1))
        loss.backward()
        optimizer.step()
        clip_grad_norm_(model.parameters(), max_norm)
        if i % 200 == 0:
            print(f"{i:6d} {loss.item():.3f}")
