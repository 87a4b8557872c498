def forward(self, frames):
    n, steps, width = frames.shape
    x = frames.view(steps, n, width)  # batch-mixing
    y, _ = self.rnn(x)
    return torch.tanh(self.head(y[-1]))
