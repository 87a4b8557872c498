model = UNet(3, 1)
ckpt = torch.load("unet_ddp.pth")  # was saved from DistributedDataParallel
model.load_state_dict(ckpt["state_dict"], strict=False)
model.eval()
with torch.no_grad():
    pred = torch.sigmoid(model(img)) > 0.5
