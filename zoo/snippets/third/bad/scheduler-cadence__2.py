import torch
from transformers import get_linear_schedule_with_warmup


def train_bert(model, train_dataloader, epochs=4):
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5, eps=1e-8)
    total_steps = len(train_dataloader) * epochs
    scheduler = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=0, num_training_steps=total_steps)
    for epoch_i in range(epochs):
        model.train()
        for step, batch in enumerate(train_dataloader):
            model.zero_grad()
            loss = model(**batch).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        scheduler.step()
