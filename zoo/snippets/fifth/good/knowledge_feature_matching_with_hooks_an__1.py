vgg = torchvision.models.vgg16(weights="DEFAULT").features[:16].eval()
for p in vgg.parameters():
    p.requires_grad = False
def perceptual(a, b):
    return F.l1_loss(vgg(a), vgg(b).detach())
opt = torch.optim.Adam(sr.parameters(), 1e-4)
for lo, hi in loader:
    sr.train()
    out = sr(lo)
    loss = F.l1_loss(out, hi) + 0.1 * perceptual(out, hi)
    opt.zero_grad()
    loss.backward()
    opt.step()
