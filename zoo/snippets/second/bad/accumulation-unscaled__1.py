import math

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, get_linear_schedule_with_warmup

ACCUM = 8
EPOCHS = 3

tokenizer = AutoTokenizer.from_pretrained("gpt2-medium")
model = AutoModelForCausalLM.from_pretrained("gpt2-medium").cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
total_steps = math.ceil(len(train_loader) / ACCUM) * EPOCHS
scheduler = get_linear_schedule_with_warmup(optimizer, int(0.05 * total_steps), total_steps)

model.train()
for epoch in range(EPOCHS):
    optimizer.zero_grad()
    for step, batch in enumerate(train_loader):
        ids = batch["input_ids"].cuda()
        out = model(input_ids=ids, labels=ids)
        loss = out.loss
        loss.backward()
        if (step + 1) % ACCUM == 0 or step + 1 == len(train_loader):
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        if step % 100 == 0:
            print(f"{epoch}/{step} loss {loss.item():.3f}")
