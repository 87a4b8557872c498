import torch
import torch.nn as nn
from tqdm import tqdm

class BiLSTM(nn.Module):
    def __init__(self, vocab, emb=128, hid=256, layers=2, p=0.3, classes=5):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb)
        self.rnn = nn.LSTM(emb, hid, num_layers=layers, dropout=p, bidirectional=True, batch_first=True)
        self.drop = nn.Dropout(p)
        self.fc = nn.Linear(2 * hid, classes)
    def forward(self, x):
        o, _ = self.rnn(self.embedding(x))
        return self.fc(self.drop(o.mean(1)))

model = BiLSTM(30000).cuda()
opt = torch.optim.Adam(model.parameters(), 1e-3)
lossf = nn.CrossEntropyLoss()

for ep in range(6):
    model.train()
    for xb, yb in tqdm(train_dl):
        opt.zero_grad()
        l = lossf(model(xb.cuda()), yb.cuda())
        l.backward()
        opt.step()

    model.eval
    val_loss, seen = 0.0, 0
    with torch.no_grad():
        for xb, yb in val_dl:
            val_loss += lossf(model(xb.cuda()), yb.cuda()).item() * len(yb)
            seen += len(yb)
    print(ep, val_loss / seen)
