"""Masked language modelling on a toy grammar with agreement.

   S  -> NP V NP [ADV]      the verb agrees with the number of its subject, the adjective with the number of its noun,
   NP -> DET [ADJ] N [REL]  the relative clause may stand between subject and verb

A tiny pre-LN transformer encoder, input embedding tied to the output layer, 15 % of the words hidden (80/10/10 as in BERT).
Blocks run under activation checkpointing because this file is the template for the large run.
"""
import argparse
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

PAD, MASK = 0, 1
NOUNS = {"sg": "dog cat child king robot girl".split(), "pl": "dogs cats children kings robots girls".split()}
VERBS = {"sg": "sees likes finds hears helps".split(), "pl": "see like find hear help".split()}
DETS = {"sg": ["a", "every", "this"], "pl": ["some", "many", "these"]}
ADJS = "old small brave red quiet".split()
ADVS = "often today quickly".split()
WORDS = ["<pad>", "<mask>", "that", "."] + sum([*NOUNS.values(), *VERBS.values(), *DETS.values()], []) + ADJS + ADVS
ID = {w: i for i, w in enumerate(WORDS)}
LEN = 16


def noun_phrase(rnd, rel):
    num = rnd.choice(["sg", "pl"])
    ws = [rnd.choice(DETS[num])] + ([rnd.choice(ADJS)] if rnd.random() < 0.4 else []) + [rnd.choice(NOUNS[num])]
    if rel and rnd.random() < 0.4:
        ws += ["that", rnd.choice(VERBS[num])] + noun_phrase(rnd, False)[0]
    return ws, num


def sentence(rnd):
    subj, num = noun_phrase(rnd, True)
    verb_at = len(subj)
    ws = subj + [rnd.choice(VERBS[num])] + noun_phrase(rnd, False)[0]
    if rnd.random() < 0.3:
        ws.append(rnd.choice(ADVS))
    ws.append(".")
    return tuple(ws), verb_at, num


def corpus(n, seed):
    """n different sentences"""
    rnd, seen = random.Random(seed), {}
    while len(seen) < n:
        ws, at, num = sentence(rnd)
        seen.setdefault(ws, (at, num))
    ids = torch.full((n, LEN), PAD)
    for row, ws in zip(ids, seen):
        row[:len(ws)] = torch.tensor([ID[w] for w in ws])
    at = torch.tensor([a for a, _ in seen.values()])
    plural = torch.tensor([num == "pl" for _, num in seen.values()])
    order = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    return ids[order], at[order], plural[order]


def hide(ids, gen, rate=0.15):
    labels = ids.clone()
    chosen = (torch.rand(ids.shape, generator=gen) < rate) & (ids != PAD)
    labels[~chosen] = -100
    dice = torch.rand(ids.shape, generator=gen)
    noise = torch.randint(2, len(WORDS), ids.shape, generator=gen)
    seen = torch.where(chosen & (dice < 0.8), MASK, ids)
    seen = torch.where(chosen & (dice >= 0.9), noise, seen)
    return seen, labels


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.ff = nn.Sequential(nn.Linear(d, 3 * d), nn.GELU(), nn.Linear(3 * d, d))
        self.heads = heads

    def forward(self, x, keep):
        b, t, d = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=keep)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, d))
        return x + self.ff(self.n2(x))


class TinyBert(nn.Module):
    def __init__(self, vocab, d=40, depth=2, heads=4):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(LEN, d)
        self.blocks = nn.ModuleList(Block(d, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(d)
        self.lm = nn.Linear(d, vocab)
        nn.init.normal_(self.tok.weight, std=0.05)
        nn.init.normal_(self.pos.weight, std=0.05)
        nn.init.zeros_(self.lm.bias)
        self.lm.weight = self.tok.weight                       # tied

    def forward(self, ids):
        keep = (ids != PAD)[:, None, None, :]                   # both directions: this is not a causal model
        x = (self.tok(ids) + self.pos.weight[: ids.shape[1]]) * math.sqrt(self.tok.embedding_dim)
        for blk in self.blocks:
            x = checkpoint(blk, x, keep, use_reentrant=False) if self.training else blk(x, keep)
        return self.lm(self.norm(x))


def mlm_loss(model, seen, labels):
    return F.cross_entropy(model(seen).flatten(0, 1), labels.flatten(), ignore_index=-100)


@torch.no_grad()
def held_out_loss(model, ids, seed):
    model.eval()
    seen, labels = hide(ids, torch.Generator().manual_seed(seed))    # the same words hidden at every evaluation
    return mlm_loss(model, seen, labels).item()


@torch.no_grad()
def agreement(model, ids, at, plural):
    """hide the main verb: does the probability mass go to verbs of the right number?"""
    model.eval()
    rows = torch.arange(len(ids))
    seen = ids.clone()
    seen[rows, at] = MASK
    p = model(seen)[rows, at].softmax(-1)
    sg = p[:, [ID[v] for v in VERBS["sg"]]].sum(1)
    pl = p[:, [ID[v] for v in VERBS["pl"]]].sum(1)
    right = torch.where(plural, pl, sg)
    far = ids.eq(ID["that"]).any(1)
    ok = torch.where(plural, pl > sg, sg > pl).float()
    return ok.mean().item(), ok[far].mean().item(), right.mean().item()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=600)
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--lr", type=float, default=5e-3)
    ap.add_argument("--seed", type=int, default=0)
    a = ap.parse_args()
    torch.manual_seed(a.seed)

    ids, at, plural = corpus(16000, seed=a.seed + 1)
    train = ids[:14000]
    val, test = slice(14000, 15000), slice(15000, 16000)
    model = TinyBert(len(WORDS))
    opt = torch.optim.AdamW(model.parameters(), lr=a.lr, betas=(0.9, 0.98), weight_decay=0.01)
    warm = 60
    sched = torch.optim.lr_scheduler.LambdaLR(
        opt, lambda s: min((s + 1) / warm, 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1, max(0, s - warm) / (a.steps - warm))))))
    gen = torch.Generator().manual_seed(a.seed + 2)
    print(f"{len(WORDS)} words, uniform loss {math.log(len(WORDS)):.3f}, at start {held_out_loss(model, ids[val], 77):.3f}")
    run, order = [], iter(())
    for step in range(1, a.steps + 1):
        batch = next(order, None)
        if batch is None:                                        # new pass over the corpus
            order = iter(torch.randperm(len(train), generator=gen)[: len(train) // a.batch * a.batch].view(-1, a.batch))
            batch = next(order)
        model.train()
        seen, labels = hide(train[batch], gen)                   # fresh masks every time
        loss = mlm_loss(model, seen, labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        run.append(loss.item())
        if step % 100 == 0:
            acc, far, mass = agreement(model, ids[val], at[val], plural[val])
            print(f"step {step:4d}  train {sum(run[-100:]) / 100:.3f}  val {held_out_loss(model, ids[val], 77):.3f}   agreement {acc:.3f} (with relative clause {far:.3f})")
    acc, far, mass = agreement(model, ids[test], at[test], plural[test])
    print(f"\ntest: mlm loss {held_out_loss(model, ids[test], 78):.3f}, agreement {acc:.3f}, with a relative clause in the sentence {far:.3f}, mass on verbs of the right number {mass:.3f}")
