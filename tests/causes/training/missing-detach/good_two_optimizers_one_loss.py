import torch
from torch import nn

encoder = nn.Linear(20, 8)
decoder = nn.Linear(8, 20)
enc_opt = torch.optim.Adam(encoder.parameters(), lr=1e-4)
dec_opt = torch.optim.SGD(decoder.parameters(), lr=1e-2)
for (x,) in loader:
    loss = nn.functional.mse_loss(decoder(encoder(x)), x)
    enc_opt.zero_grad()
    dec_opt.zero_grad()
    loss.backward()
    enc_opt.step()
    dec_opt.step()
