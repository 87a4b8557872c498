from torch.optim import AdamW
from transformers import get_linear_schedule_with_warmup


def finetune(model, train_dl, epochs=4):
    optim = AdamW(model.parameters(), lr=2e-5)
    total = len(train_dl) * epochs
    lr_sched = get_linear_schedule_with_warmup(
        optim, num_warmup_steps=int(0.1 * total), num_training_steps=total
    )
    for _ in range(epochs):
        for batch in train_dl:
            optim.zero_grad()
            model(**batch).loss.backward()
            optim.step()
        lr_sched.step()  # scheduler-cadence
