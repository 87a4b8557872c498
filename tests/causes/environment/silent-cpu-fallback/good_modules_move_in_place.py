import torch


class Trainer:
    def __init__(self, encoder, decoder, device):
        self.encoder, self.decoder = encoder, decoder
        self.device = device
        self.encoder.to(device)
        self.decoder.cuda()
        self.optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])

    def step(self, batch):
        batch.to(self.device)
        out = self.decoder(self.encoder(batch.x))
        loss = (out - batch.x).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()
