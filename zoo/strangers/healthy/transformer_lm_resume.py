"""Character-level transformer language model, trained in two halves with a checkpoint between them.

The second half rebuilds every object from scratch and resumes from the file, as after a pre-emption.
"""
import argparse
import math
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

SUBJECTS = ["the cat", "a tall man", "my aunt", "the old dog", "one bird"]
VERBS = ["sees", "finds", "likes", "follows", "paints"]
OBJECTS = ["the river", "a red door", "seven stones", "the moon", "an empty box"]
ENDINGS = [".", " today.", " in spring.", " again."]


def write_corpus(n, gen):
    def pick(seq):
        return seq[torch.randint(len(seq), (1,), generator=gen).item()]
    return " ".join(f"{pick(SUBJECTS)} {pick(VERBS)} {pick(OBJECTS)}{pick(ENDINGS)}" for _ in range(n))


class CausalBlock(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim)
        self.ff = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, d))
        return x + self.ff(self.n2(x))


class CharLM(nn.Module):
    def __init__(self, vocab, context, dim=48, heads=4, depth=2):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(context, dim)
        self.blocks = nn.Sequential(*[CausalBlock(dim, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        nn.init.normal_(self.tok.weight, std=0.02)
        nn.init.normal_(self.pos.weight, std=0.02)

    def forward(self, ids):
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
        return F.linear(self.norm(self.blocks(x)), self.tok.weight)


def build(args, vocab):
    model = CharLM(vocab, args.context)
    decay = [p for p in model.parameters() if p.dim() > 1]
    plain = [p for p in model.parameters() if p.dim() <= 1]
    opt = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.05}, {"params": plain, "weight_decay": 0.0}],
        lr=args.lr, betas=(0.9, 0.98),
    )

    def shape(step):
        if step < args.warmup:
            return (step + 1) / args.warmup
        done = (step - args.warmup) / (args.steps - args.warmup)
        return 0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))

    return model, opt, torch.optim.lr_scheduler.LambdaLR(opt, shape)


@torch.no_grad()
def bits_per_char(model, data, context):
    model.eval()
    usable = (len(data) - 1) // context * context
    x = data[:usable].view(-1, context)
    y = data[1:usable + 1].view(-1, context)
    total = 0.0
    for xb, yb in zip(x.split(32), y.split(32)):
        total += F.cross_entropy(model(xb).flatten(0, 1), yb.flatten(), reduction="sum").item()
    return total / usable / math.log(2)


def run(args, train, valid, vocab, until, path):
    model, opt, sched = build(args, vocab)
    gen = torch.Generator().manual_seed(args.seed + 1)
    step = 0
    if os.path.exists(path):
        ckpt = torch.load(path, weights_only=True)
        model.load_state_dict(ckpt["model"])
        opt.load_state_dict(ckpt["opt"])
        sched.load_state_dict(ckpt["sched"])
        gen.set_state(ckpt["gen"])
        step = ckpt["step"]
        print(f"resumed at step {step}, lr {sched.get_last_lr()[0]:.2e}, "
              f"valid {bits_per_char(model, valid, args.context):.3f} bits/char")
    running = []
    while step < until:
        model.train()
        starts = torch.randint(len(train) - args.context - 1, (args.batch,), generator=gen)
        window = starts[:, None] + torch.arange(args.context + 1)
        chunk = train[window]
        loss = F.cross_entropy(model(chunk[:, :-1]).flatten(0, 1), chunk[:, 1:].flatten())
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        step += 1
        running.append(loss.item())
        if step % 75 == 0:
            print(f"step {step:4d}  train {sum(running) / len(running) / math.log(2):.3f}  "
                  f"valid {bits_per_char(model, valid, args.context):.3f} bits/char")
            running.clear()
    torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "sched": sched.state_dict(),
                "gen": gen.get_state(), "step": step}, path)
    return model


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=450)
    ap.add_argument("--warmup", type=int, default=40)
    ap.add_argument("--context", type=int, default=48)
    ap.add_argument("--batch", type=int, default=16)
    ap.add_argument("--lr", type=float, default=4e-3)
    ap.add_argument("--seed", type=int, default=17)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    gen = torch.Generator().manual_seed(args.seed)
    train_text, valid_text = write_corpus(3000, gen), write_corpus(120, gen)
    chars = sorted(set(train_text))
    index = {c: i for i, c in enumerate(chars)}
    train = torch.tensor([index[c] for c in train_text])
    valid = torch.tensor([index[c] for c in valid_text])

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lm.pt")
        run(args, train, valid, len(chars), args.steps // 2, path)
        model = run(args, train, valid, len(chars), args.steps, path)
    print(f"final validation: {bits_per_char(model, valid, args.context):.3f} bits/char")


if __name__ == "__main__":
    main()
