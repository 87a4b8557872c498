import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from transformers import get_cosine_schedule_with_warmup


def main(model, train_dl, eval_dl, epochs=3, lr=3e-5):
    set_seed(11)
    accelerator = Accelerator(gradient_accumulation_steps=8, mixed_precision="bf16")
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    sched = get_cosine_schedule_with_warmup(opt, 100, len(train_dl) * epochs // 8)
    model, opt, train_dl, eval_dl, sched = accelerator.prepare(model, opt, train_dl, eval_dl, sched)
    for epoch in range(epochs):
        model.train()
        for batch in train_dl:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                sched.step()
                opt.zero_grad()
        model.eval()
        losses = []
        for batch in eval_dl:
            with torch.no_grad():
                out = model(**batch)
            losses.append(accelerator.gather_for_metrics(out.loss.repeat(batch["input_ids"].size(0))))
        accelerator.print(epoch, torch.cat(losses).mean().item())
