class TextClassifier(nn.Module):
    def __init__(self, vocab, dim, n_cls):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim)
        self.fc1 = nn.Linear(dim, 128)
        self.fc2 = nn.Linear(128, n_cls)

    def forward(self, text, offsets):
        h = F.relu(self.fc1(self.emb(text, offsets)))
        return F.softmax(self.fc2(h), dim=-1)

model = TextClassifier(len(vocab), 64, 4).to(device)
optimizer = torch.optim.Adam(model.parameters())
for label, text, offsets in dataloader:
    optimizer.zero_grad()
    pred = model(text, offsets)
    loss = F.cross_entropy(pred, label)
    loss.backward()
    optimizer.step()
