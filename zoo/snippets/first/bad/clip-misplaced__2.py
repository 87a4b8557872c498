import torch
from torch.amp import GradScaler, autocast
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


def worker(rank, world, model, dataset, args):
    torch.distributed.init_process_group("nccl", rank=rank, world_size=world)
    torch.cuda.set_device(rank)
    torch.manual_seed(args.seed)
    net = DDP(model.cuda(rank), device_ids=[rank])
    sampler = DistributedSampler(dataset, shuffle=True, seed=args.seed)
    loader = DataLoader(dataset, batch_size=args.batch, sampler=sampler, num_workers=4, pin_memory=True)
    opt = torch.optim.AdamW(net.parameters(), lr=args.lr)
    scaler = GradScaler("cuda")
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        net.train()
        for wav, txt, wav_len, txt_len in loader:
            with autocast("cuda"):
                logp = net(wav.cuda(rank), wav_len)
                loss = torch.nn.functional.ctc_loss(logp.float().transpose(0, 1), txt, wav_len // 4, txt_len)
            opt.zero_grad(set_to_none=True)
            scaler.scale(loss).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), args.max_norm)
            scaler.step(opt)
            scaler.update()
        if rank == 0:
            torch.save(net.module.state_dict(), f"asr_{epoch}.pt")
    torch.distributed.destroy_process_group()
