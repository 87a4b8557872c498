"""BERT-style masked token modelling on periodic token streams (tied output embedding, gradient accumulation)."""
import logging
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("mlm")

VOCAB, SEQ = 12, 16
MASK_ID = VOCAB
IGNORE = -100


class StreamSampler:
    """Streams that repeat a random motif of 3 or 4 tokens."""

    def __init__(self, seed):
        self.gen = torch.Generator().manual_seed(seed)

    def __call__(self, n):
        period = torch.randint(3, 5, (n, 1), generator=self.gen)
        motif = torch.randint(0, VOCAB, (n, 4), generator=self.gen)
        index = torch.arange(SEQ).expand(n, -1) % period
        return motif.gather(1, index)

    def masked(self, n, rate=0.2):
        tokens = self(n)
        picked = torch.rand(tokens.shape, generator=self.gen) < rate
        picked[torch.arange(n), torch.randint(0, SEQ, (n,), generator=self.gen)] = True
        labels = torch.where(picked, tokens, torch.full_like(tokens, IGNORE))
        roll = torch.rand(tokens.shape, generator=self.gen)
        noise = torch.randint(0, VOCAB, tokens.shape, generator=self.gen)
        inputs = torch.where(picked & (roll < 0.8), torch.full_like(tokens, MASK_ID), tokens)
        inputs = torch.where(picked & (roll >= 0.8) & (roll < 0.9), noise, inputs)
        return inputs, labels


class MaskedModel(nn.Module):
    def __init__(self, dim=48, heads=4, depth=2):
        super().__init__()
        self.tok = nn.Embedding(VOCAB + 1, dim)
        self.pos = nn.Embedding(SEQ, dim)
        nn.init.normal_(self.tok.weight, std=dim ** -0.5)
        nn.init.normal_(self.pos.weight, std=dim ** -0.5)
        layer = nn.TransformerEncoderLayer(dim, heads, 2 * dim, dropout=0.0, activation="gelu",
                                           batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(dim)
        self.out_bias = nn.Parameter(torch.zeros(VOCAB))

    def forward(self, tokens):
        h = self.tok(tokens) + self.pos.weight
        h = self.norm(self.encoder(h))
        return h @ self.tok.weight[:VOCAB].T + self.out_bias


def lr_at(step, total, warmup=60):
    if step < warmup:
        return (step + 1) / warmup
    return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


@torch.inference_mode()
def evaluate(model, inputs, labels):
    model.eval()
    logits = model(inputs)
    sel = labels != IGNORE
    loss = F.cross_entropy(logits[sel], labels[sel]).item()
    acc = (logits[sel].argmax(-1) == labels[sel]).float().mean().item()
    model.train()
    return loss, acc


def main():
    torch.manual_seed(31)
    sampler, held_out = StreamSampler(100), StreamSampler(200)
    val, test = held_out.masked(400), held_out.masked(1500)
    model = MaskedModel()

    decay = [p for p in model.parameters() if p.ndim >= 2]
    plain = [p for p in model.parameters() if p.ndim < 2]
    optimizer = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}], lr=4e-3)
    total, accumulate, micro = 600, 2, 48
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: lr_at(s, total))

    model.train()
    smooth = None
    for step in range(1, total + 1):
        optimizer.zero_grad()
        batches = [sampler.masked(micro) for _ in range(accumulate)]
        n_targets = sum((labels != IGNORE).sum() for _, labels in batches)
        step_loss = 0.0
        for inputs, labels in batches:
            logits = model(inputs)
            loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(),
                                   ignore_index=IGNORE, reduction="sum") / n_targets
            loss.backward()
            step_loss += loss.item()
        nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        schedule.step()
        smooth = step_loss if smooth is None else 0.95 * smooth + 0.05 * step_loss
        if step % 75 == 0:
            log.info("step %4d  loss %.4f  val loss %.4f  val masked acc %.3f", step, smooth, *evaluate(model, *val))

    log.info("test loss %.4f  masked-token accuracy %.3f (chance %.3f)", *evaluate(model, *test), 1 / VOCAB)


if __name__ == "__main__":
    main()
