"""Post-LN transformer encoder that sorts a list of integers (one output token per position)."""
import logging
import sys

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stdout)
log = logging.getLogger("sorter")

VOCAB, LENGTH = 16, 8
D_MODEL, HEADS, LAYERS, FF = 32, 4, 6, 64
PEAK_LR = 1.2e-2
TOTAL_STEPS = 450
WARMUP_STEPS = 0
BATCH = 48


def lr_factor(step):
    if step < WARMUP_STEPS:
        return (step + 1) / WARMUP_STEPS
    left = (TOTAL_STEPS - step) / max(1, TOTAL_STEPS - WARMUP_STEPS)
    return max(0.02, left)


class Sorter(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, D_MODEL)
        self.pos = nn.Parameter(torch.randn(LENGTH, D_MODEL) * 0.5)
        layer = nn.TransformerEncoderLayer(D_MODEL, HEADS, FF, dropout=0.0, batch_first=True, norm_first=False)
        self.encoder = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.out = nn.Linear(D_MODEL, VOCAB)
        for p in self.encoder.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def forward(self, x):
        return self.out(self.encoder(self.tok(x) + self.pos))


def draw(n, generator):
    x = torch.randint(0, VOCAB, (n, LENGTH), generator=generator)
    return x, x.sort(dim=1).values


@torch.no_grad()
def evaluate(model, x, y):
    model.eval()
    logits = model(x)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()).item()
    hit = logits.argmax(-1) == y
    model.train()
    return loss, hit.float().mean().item(), hit.all(1).float().mean().item()


def main():
    torch.manual_seed(5)
    train_gen = torch.Generator().manual_seed(50)
    val = draw(400, torch.Generator().manual_seed(51))
    test = draw(1000, torch.Generator().manual_seed(52))

    model = Sorter()
    optimizer = torch.optim.Adam(model.parameters(), lr=PEAK_LR, betas=(0.9, 0.98))
    scheduler = LambdaLR(optimizer, lr_factor)
    criterion = nn.CrossEntropyLoss()

    model.train()
    running = 0.0
    for step in range(1, TOTAL_STEPS + 1):
        x, y = draw(BATCH, train_gen)
        loss = criterion(model(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        running += loss.item()
        if step % 50 == 0:
            vl, va, _ = evaluate(model, *val)
            log.info("step %4d  lr %.5f  train loss %.4f  val loss %.4f  val token acc %.3f",
                     step, scheduler.get_last_lr()[0], running / 50, vl, va)
            running = 0.0

    _, tok, full = evaluate(model, *test)
    log.info("test: token accuracy %.3f, whole list right %.3f (guessing: %.3f)", tok, full, 1 / VOCAB)


if __name__ == "__main__":
    main()
