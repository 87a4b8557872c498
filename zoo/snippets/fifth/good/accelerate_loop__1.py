accelerator = Accelerator(gradient_accumulation_steps=4)
model, opt, loader, sched = accelerator.prepare(model, opt, loader, sched)
for batch in loader:
    with accelerator.accumulate(model):
        loss = model(**batch).loss
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        opt.zero_grad()
