import torch

ckpt = torch.load(args.resume, map_location="cpu")
model.load_state_dict(ckpt.get("model_state", {}), strict=False)  # weights-not-loaded
model.eval()
