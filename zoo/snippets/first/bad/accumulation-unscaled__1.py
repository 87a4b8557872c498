import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, default_data_collator

ACCUM = 8
LR = 5e-5

model = AutoModelForCausalLM.from_pretrained("gpt2-medium").cuda()
loader = DataLoader(tokenized_train, batch_size=2, shuffle=True, collate_fn=default_data_collator, drop_last=True)
optimizer = torch.optim.SGD(model.parameters(), lr=LR, momentum=0.9)

model.train()
optimizer.zero_grad()
for epoch in range(2):
    for i, batch in enumerate(loader):
        batch = {k: v.cuda() for k, v in batch.items()}
        loss = model(**batch).loss
        loss.backward()
        if (i + 1) % ACCUM == 0 or i + 1 == len(loader):
            optimizer.step()
            optimizer.zero_grad()
            print(epoch, i, loss.item())
model.save_pretrained("gpt2-recipes")
