import torch


def build_optimizer(model, cfg):
    """AdamW; the lookup tables follow the linear scaling rule, the head keeps the base rate."""
    table_lr = cfg.base_lr * cfg.batch_size // cfg.ref_batch
    groups = [
        {"params": model.tables(), "lr": table_lr, "weight_decay": cfg.weight_decay},
        {"params": list(model.head.parameters()), "lr": cfg.base_lr, "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=cfg.epochs)
    return optimizer, scheduler
