import torch
from transformers import AutoModelForSequenceClassification

model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=2)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
for batch in train_loader:
    outputs = model(**batch)  # eval-mode-training
    outputs.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
