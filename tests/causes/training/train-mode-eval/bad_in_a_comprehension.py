from torch import nn, no_grad, optim


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.4)
        self.out = nn.Linear(30, 5)

    def forward(self, words):
        return self.out(self.drop(words))


tagger = Tagger()
optimizer = optim.AdamW(tagger.parameters())
criterion = nn.CrossEntropyLoss()
for turn in range(1, 40):
    for words, tags in learning_set:
        optimizer.zero_grad()
        criterion(tagger(words), tags).backward()
        optimizer.step()
    with no_grad():
        losses = [
            criterion(tagger(words), tags).item()  # train-mode-eval
            for words, tags in checking_set
        ]
    print(turn, sum(losses) / len(losses))
