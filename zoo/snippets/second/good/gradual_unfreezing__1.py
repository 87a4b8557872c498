import torch
import torch.nn as nn
from transformers import AutoModel


class Probe(nn.Module):
    def __init__(self, name, k):
        super().__init__()
        self.body = AutoModel.from_pretrained(name)
        self.head = nn.Linear(self.body.config.hidden_size, k)

    def forward(self, ids, mask):
        h = self.body(ids, attention_mask=mask).last_hidden_state
        m = mask.unsqueeze(-1).float()
        return self.head((h * m).sum(1) / m.sum(1).clamp(min=1.0))


def train(model, loader, device, head_epochs=1, full_epochs=2):
    model.to(device)
    for p in model.body.parameters():
        p.requires_grad = False
    opt = torch.optim.AdamW(model.head.parameters(), lr=1e-3)
    for epoch in range(head_epochs + full_epochs):
        if epoch == head_epochs:
            for p in model.body.parameters():
                p.requires_grad = True
            opt.add_param_group({"params": model.body.parameters(), "lr": 2e-5})
        model.train()
        for b in loader:
            opt.zero_grad()
            logits = model(b["input_ids"].to(device), b["attention_mask"].to(device))
            loss = nn.functional.cross_entropy(logits, b["labels"].to(device))
            loss.backward()
            opt.step()
