# multi-scale training: one image pyramid, one update
import torch
import torch.nn.functional as F

scales = (0.75, 1.0, 1.25)
for epoch in range(40):
    net.train()
    for img, mask in train_loader:
        img, mask = img.cuda(), mask.cuda()
        optimizer.zero_grad()
        for s in scales:
            size = [int(d * s) // 32 * 32 for d in img.shape[-2:]]
            x = F.interpolate(img, size=size, mode="bilinear", align_corners=False)
            out = F.interpolate(net(x), size=mask.shape[-2:], mode="bilinear", align_corners=False)
            loss = F.cross_entropy(out, mask, ignore_index=255) / len(scales)
            loss.backward()
        optimizer.step()
    scheduler.step()
