class CharRNN(nn.Module):
    def __init__(self, v, h):
        super().__init__()
        self.emb = nn.Embedding(v, h)
        self.cell = nn.LSTMCell(h, h)
        self.out = nn.Linear(h, v)
    def forward(self, seq):
        b = seq.size(0)
        outs = []
        for t in range(seq.size(1)):
            h = torch.zeros(b, 128, device=seq.device)
            c = torch.zeros(b, 128, device=seq.device)
            h, c = self.cell(self.emb(seq[:, t]), (h, c))
            outs.append(self.out(h))
        return torch.stack(outs, 1)
