import torch
import torch.nn as N


class Experts(N.Module):
    def __init__(self, languages, width=64):
        super().__init__()
        self.shared = N.Embedding(8000, width)
        self.adapters = dict()  # unregistered-modules
        for language in languages:
            self.adapters[language] = N.Linear(width, width)
        self.out = N.Linear(width, 8000)

    def forward(self, tokens, language):
        hidden = self.shared(tokens)
        return self.out(hidden + torch.relu(self.adapters[language](hidden)))
