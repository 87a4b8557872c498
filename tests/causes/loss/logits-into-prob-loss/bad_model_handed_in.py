from torch import nn


class Tagger(nn.Module):
    def __init__(self, words, tags):
        super().__init__()
        self.table = nn.Embedding(words, 50)
        self.rnn = nn.GRU(50, 64, batch_first=True)
        self.score = nn.Linear(64, tags)

    def forward(self, ids):
        states, _ = self.rnn(self.table(ids))
        return self.score(states)


def fit(tagger, batches, opt, epochs=5):
    tagger.train()
    for _ in range(epochs):
        for ids, tags in batches:
            opt.zero_grad()
            loss = nn.NLLLoss()(tagger(ids).flatten(0, 1), tags.flatten())  # logits-into-prob-loss
            loss.backward()
            opt.step()
