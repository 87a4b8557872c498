import torch
import torch.nn as nn


class CRNN(nn.Module):
    def __init__(self, n_chars):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(1, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(64, 128, 3, padding=1), nn.BatchNorm2d(128), nn.ReLU(), nn.MaxPool2d((2, 1)),
        )
        self.rnn = nn.LSTM(128 * 8, 256, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(512, n_chars + 1)

    def forward(self, x):                       # (B, 1, 32, W)
        f = self.cnn(x)                         # (B, 128, 8, W/2)
        f = f.permute(0, 3, 1, 2).flatten(2)    # (B, W/2, 1024)
        h, _ = self.rnn(f)
        return self.fc(h).log_softmax(-1)


def train(model, loader, device, epochs=20):
    model.to(device)
    ctc = nn.CTCLoss(blank=0, zero_infinity=True)
    opt = torch.optim.Adam(model.parameters(), lr=5e-4)
    for ep in range(epochs):
        model.train()
        for img, target, target_len in loader:
            logp = model(img.to(device)).permute(1, 0, 2)
            in_len = torch.full((img.size(0),), logp.size(0), dtype=torch.long)
            loss = ctc(logp, target.to(device), in_len, target_len)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5)
            opt.step()
        print(ep, loss.item())
