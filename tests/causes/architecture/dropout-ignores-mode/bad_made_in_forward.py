import torch.nn as N


class Classifier(N.Module):
    def __init__(self, n):
        super().__init__()
        self.a = N.Linear(n, 100)
        self.b = N.Linear(100, 5)

    def hidden(self, x):
        return N.Dropout(p=0.4)(self.a(x).relu())  # dropout-ignores-mode

    def forward(self, x):
        return self.b(self.hidden(x))
