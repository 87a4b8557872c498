# iteration-based training as in the segmentation papers: 40k iterations, milestones in iterations
import torch

MAX_ITERS = 40_000
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[25_000, 35_000], gamma=0.1)


def cycle(loader):
    while True:
        yield from loader


batches = cycle(train_loader)
model.train()
for it in range(MAX_ITERS):
    img, gt = next(batches)
    loss = criterion(model(img.cuda()), gt.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if (it + 1) % 2000 == 0:
        model.eval()
        print(it + 1, evaluate(model, val_loader))
        model.train()
