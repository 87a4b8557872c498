import torch
import torch.nn as nn
from torch.utils.data import DataLoader
from transformers import AutoModel


class SpamHead(nn.Module):
    def __init__(self, name="distilbert-base-uncased"):
        super().__init__()
        self.encoder = AutoModel.from_pretrained(name)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(self.encoder.config.hidden_size, 1)

    def forward(self, input_ids, attention_mask):
        h = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state[:, 0]
        return self.out(self.drop(h))


def train(train_dataset, epochs=3):
    torch.manual_seed(0)
    model = SpamHead().cuda()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    loader = DataLoader(train_dataset, batch_size=16, shuffle=True)
    model.train()
    for epoch in range(epochs):
        for batch in loader:
            batch = {k: v.cuda() for k, v in batch.items()}
            logits = model(batch["input_ids"], batch["attention_mask"])
            loss = criterion(logits, batch["label"].unsqueeze(1).float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model
