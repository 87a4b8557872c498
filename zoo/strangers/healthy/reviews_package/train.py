import logging
import random

import torch
import torch.nn.functional as F

from batching import bucketed, in_order
from corpus import Vocab, make_corpus
from model import MoodReader

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("reviews")


def evaluate(model, items, batch_size=250):
    model.eval()
    guesses, truths = [], []
    with torch.no_grad():
        for ids, lengths, moods in in_order(items, batch_size):
            guesses.append(model(ids, lengths))
            truths.append(moods)
    g, t = torch.cat(guesses), torch.cat(truths)
    r2 = 1 - ((g - t) ** 2).sum() / ((t - t.mean()) ** 2).sum()
    return F.mse_loss(g, t).item(), (g - t).abs().mean().item(), r2.item()


def main():
    torch.manual_seed(5)
    rng = random.Random(5)
    raw_train, raw_dev = make_corpus(2400, seed=1), make_corpus(750, seed=2)
    vocab = Vocab(raw_train)
    train = [(vocab.encode(w), y) for w, y in raw_train]
    dev = [(vocab.encode(w), y) for w, y in raw_dev]
    log.info("vocab %d, train %d, dev %d, longest %d", len(vocab), len(train), len(dev),
             max(len(i) for i, _ in train))

    model = MoodReader(len(vocab))
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, 0.85)
    for epoch in range(1, 15):
        model.train()
        losses = []
        for ids, lengths, moods in bucketed(train, 48, rng):
            optimiser.zero_grad()
            loss = F.mse_loss(model(ids, lengths), moods)
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        schedule.step()
        mse, mae, r2 = evaluate(model, dev)
        log.info("epoch %2d  train mse %.4f  dev mse %.4f  dev mae %.3f  dev r2 %.3f",
                 epoch, sum(losses) / len(losses), mse, mae, r2)


if __name__ == "__main__":
    main()
