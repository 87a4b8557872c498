import torch
import torch.nn as nn


def train_eval(model, tr, va, epochs=5):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        model.train()
        for b in tr:
            optimizer.zero_grad()
            loss = criterion(model(b["input_ids"]), b["labels"])
            loss.backward()
            optimizer.step()
        model.eval()
        preds, gold, vloss = [], [], 0.0
        for b in va:
            logits = model(b["input_ids"])
            vloss += criterion(logits, b["labels"]).item()
            preds.extend(logits.argmax(-1).tolist())
            gold.extend(b["labels"].tolist())
        acc = sum(p == g for p, g in zip(preds, gold)) / len(gold)
        print(f"{epoch} val loss {vloss / len(va):.4f} acc {acc:.3f}")
