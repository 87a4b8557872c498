import jsonlines
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, get_linear_schedule_with_warmup

tok = AutoTokenizer.from_pretrained("roberta-base")
model = AutoModelForSequenceClassification.from_pretrained("roberta-base", num_labels=4).cuda()
rows = list(jsonlines.open("tickets_train.jsonl"))
torch.manual_seed(42)


def collate(batch):
    enc = tok([b["text"] for b in batch], truncation=True, padding=True, max_length=256, return_tensors="pt")
    enc["labels"] = torch.tensor([b["queue"] for b in batch])
    return enc


loader = DataLoader(rows, batch_size=16, shuffle=True, collate_fn=collate)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5, weight_decay=0.01)
n_steps = 3 * len(loader)
scheduler = get_linear_schedule_with_warmup(optimizer, int(0.06 * n_steps), n_steps)

model.train()
for epoch in range(3):
    for step, batch in enumerate(loader):
        batch = {k: v.cuda() for k, v in batch.items()}
        loss = model(**batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.zero_grad()
        optimizer.step()
        scheduler.step()
        if step % 50 == 0:
            print(epoch, step, loss.item())
