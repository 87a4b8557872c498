def train_epoch(cfg, model, loader, optimizer, scheduler, device):
    model.train()
    meter = AverageMeter()
    for step, batch in enumerate(tqdm(loader)):
        ids = batch["ids"].to(device)
        labels = batch["labels"].to(device)
        with torch.cuda.amp.autocast(enabled=cfg.amp):
            logits = model(ids)
            loss = F.cross_entropy(logits, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), cfg.clip)
        optimizer.step()
        scheduler.step()
        meter.update(loss.item(), ids.size(0))
    return meter.avg
