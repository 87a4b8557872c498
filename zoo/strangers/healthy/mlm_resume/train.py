"""Masked LM, interrupted half-way and picked up again from its checkpoint."""
import math
import os
import tempfile

import torch
import torch.nn.functional as F

from grammar import MASK, build_vocab, corpora
from rotary import RotaryMLM

STEPS, BATCH, P_MASK, WARM = 500, 64, 0.15, 50


def pack(sentences, vocab):
    T = max(map(len, sentences))
    ids = torch.zeros(len(sentences), T, dtype=torch.long)
    for i, s in enumerate(sentences):
        ids[i, : len(s)] = torch.tensor([vocab[w] for w in s])
    return ids


def corrupt(ids, vocab_size, mask_id, gen):
    maskable = ids > 3
    pick = (torch.rand(ids.shape, generator=gen) < P_MASK) & maskable
    labels = ids.masked_fill(~pick, -100)
    dice = torch.rand(ids.shape, generator=gen)
    noise = torch.randint(4, vocab_size, ids.shape, generator=gen)
    x = torch.where(pick & (dice < 0.8), torch.full_like(ids, mask_id), ids)
    x = torch.where(pick & (dice >= 0.9), noise, x)
    return x, labels


def lr_lambda(step):
    if step < WARM:
        return (step + 1) / WARM
    return 0.5 * (1 + math.cos(math.pi * (step - WARM) / (STEPS - WARM)))


def build(n_vocab):
    model = RotaryMLM(n_vocab)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    return model, opt, torch.optim.lr_scheduler.LambdaLR(opt, lr_lambda)


@torch.no_grad()
def evaluate(model, ids, mask_id, n_vocab):
    model.eval()
    x, y = corrupt(ids, n_vocab, mask_id, torch.Generator().manual_seed(4242))
    logits = model(x)
    m = y != -100
    return math.exp(F.cross_entropy(logits[m], y[m]).item()), (logits[m].argmax(-1) == y[m]).float().mean().item()


def session(path, until, data, vocab):
    tr, va = data
    V, mask_id = len(vocab), vocab[MASK]
    torch.manual_seed(18)
    model, opt, sched = build(V)
    gen = torch.Generator().manual_seed(18)
    step = 0
    if os.path.exists(path):
        ck = torch.load(path, weights_only=True)
        model.load_state_dict(ck["model"])
        opt.load_state_dict(ck["opt"])
        sched.load_state_dict(ck["sched"])
        gen.set_state(ck["gen"])
        torch.set_rng_state(ck["torch_rng"])
        step = ck["step"]
        print(f"-- resumed at step {step}, lr {opt.param_groups[0]['lr']:.2e}, "
              f"val ppl {evaluate(model, va, mask_id, V)[0]:.3f}")
    run = []
    while step < until:
        model.train()
        idx = torch.randint(len(tr), (BATCH,), generator=gen)
        x, y = corrupt(tr[idx], V, mask_id, gen)
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten(), ignore_index=-100)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        run.append(loss.item())
        step += 1
        if step % 50 == 0:
            ppl, acc = evaluate(model, va, mask_id, V)
            print(f"step {step:4d} mlm {sum(run[-50:]) / len(run[-50:]):.3f} | val ppl {ppl:.3f} masked-acc {acc:.3f}")
    torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "sched": sched.state_dict(),
                "gen": gen.get_state(), "torch_rng": torch.get_rng_state(), "step": step}, path)
    return model


def main():
    train, valid, test = corpora((2500, 300, 400), seed=18)
    vocab = build_vocab(train)
    tr, va, te = (pack(s, vocab) for s in (train, valid, test))
    print(f"vocabulary {len(vocab)}, train sentences {len(train)}")
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "mlm.pt")
        session(path, STEPS // 2, (tr, va), vocab)
        print("-- interrupted, checkpoint written")
        model = session(path, STEPS, (tr, va), vocab)
    ppl, acc = evaluate(model, te, vocab[MASK], len(vocab))
    print(f"test: masked perplexity {ppl:.3f}, masked accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
