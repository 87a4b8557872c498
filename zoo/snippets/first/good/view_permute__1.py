import torch
import torch.nn as nn


class AudioNet(nn.Module):
    def __init__(self, n_mels=80, hid=256, n_tokens=40):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 32, 3, stride=(2, 1), padding=1), nn.ReLU(),
                                  nn.Conv2d(32, 32, 3, stride=(2, 1), padding=1), nn.ReLU())
        self.rnn = nn.LSTM(32 * n_mels // 4, hid, num_layers=2, bidirectional=True)
        self.fc = nn.Linear(2 * hid, n_tokens)

    def forward(self, spec):                    # (B, 1, F, T)
        h = self.conv(spec)                     # (B, C, F/4, T)
        b, c, f, t = h.shape
        h = h.view(b, c * f, t)                 # channels and bins become one feature axis
        h = h.permute(2, 0, 1).contiguous()     # (T, B, C*F/4)
        h, _ = self.rnn(h)
        return self.fc(h.view(t * b, -1)).view(t, b, -1).log_softmax(dim=2)


def patchify(img, p=16):
    b, c, h, w = img.shape
    x = img.reshape(b, c, h // p, p, w // p, p)
    return x.permute(0, 2, 4, 3, 5, 1).reshape(b, (h // p) * (w // p), p * p * c)


def train_step(net, opt, spec, text, spec_len, text_len):
    loss = nn.functional.ctc_loss(net(spec), text, spec_len, text_len, zero_infinity=True)
    opt.zero_grad()
    loss.backward()
    opt.step()
