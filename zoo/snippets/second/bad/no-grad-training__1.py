import torch
import torch.nn as nn
from tqdm import tqdm


class Runner:
    def __init__(self, model, optimizer, device):
        self.model = model.to(device)
        self.opt = optimizer
        self.device = device
        self.criterion = nn.CrossEntropyLoss()

    def train_epoch(self, loader):
        self.model.train()
        losses = []
        for wav, label in tqdm(loader):
            wav, label = wav.to(self.device), label.to(self.device)
            self.opt.zero_grad()
            with torch.no_grad():  # saves a lot of GPU memory
                logits = self.model(wav)
            loss = self.criterion(logits, label)
            loss.requires_grad = True
            loss.backward()
            self.opt.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    @torch.no_grad()
    def eval_epoch(self, loader):
        self.model.eval()
        ok, n = 0, 0
        for wav, label in loader:
            pred = self.model(wav.to(self.device)).argmax(1).cpu()
            ok += (pred == label).sum().item()
            n += len(label)
        return ok / n
