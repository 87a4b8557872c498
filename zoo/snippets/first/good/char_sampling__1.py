import torch
import torch.nn.functional as F


@torch.no_grad()
def generate(model, idx, max_new_tokens, block_size, temperature=1.0, top_k=None):
    model.eval()
    for _ in range(max_new_tokens):
        cond = idx if idx.size(1) <= block_size else idx[:, -block_size:]
        logits = model(cond)[:, -1, :] / temperature
        if top_k is not None:
            v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
            logits[logits < v[:, [-1]]] = -float("inf")
        probs = F.softmax(logits, dim=-1)
        idx = torch.cat((idx, torch.multinomial(probs, num_samples=1)), dim=1)
    return idx


def sample_rnn(model, start, n, temperature=0.8):
    model.eval()
    out, hidden, tok = [start], None, torch.tensor([[start]])
    with torch.no_grad():
        for _ in range(n):
            logits, hidden = model(tok, hidden)
            p = (logits[0, -1] / temperature).softmax(dim=0)
            tok = torch.multinomial(p, 1).view(1, 1)
            out.append(tok.item())
    return out
