import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

BASE_BATCH, BASE_LR = 256, 0.1


def main(model, dataset, per_gpu=128, epochs=90):
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.manual_seed(0)
    model = DistributedDataParallel(model.cuda())
    sampler = torch.utils.data.distributed.DistributedSampler(dataset)
    loader = torch.utils.data.DataLoader(dataset, batch_size=per_gpu, sampler=sampler, num_workers=8)
    lr = BASE_LR * per_gpu * world / BASE_BATCH
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
    warm = torch.optim.lr_scheduler.LinearLR(opt, 0.01, total_iters=5)
    cos = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs - 5)
    sched = torch.optim.lr_scheduler.SequentialLR(opt, [warm, cos], milestones=[5])
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        model.train()
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            opt.zero_grad()
            loss.backward()
            opt.step()
        sched.step()
        if rank == 0:
            torch.save(model.module.state_dict(), "last.pt")
