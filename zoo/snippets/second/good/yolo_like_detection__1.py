import torch
from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_fpn
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor


def get_model(n):
    model = fasterrcnn_mobilenet_v3_large_fpn(weights="DEFAULT")
    in_f = model.roi_heads.box_predictor.cls_score.in_features
    model.roi_heads.box_predictor = FastRCNNPredictor(in_f, n)
    return model


def train_one_epoch(model, optimizer, loader, device, epoch):
    model.train()
    warm = None
    if epoch == 0:
        iters = min(1000, len(loader) - 1)
        warm = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=1.0 / 1000, total_iters=iters)
    for images, targets in loader:
        images = [i.to(device) for i in images]
        targets = [{k: v.to(device) for k, v in t.items()} for t in targets]
        loss_dict = model(images, targets)
        losses = sum(loss for loss in loss_dict.values())
        optimizer.zero_grad()
        losses.backward()
        optimizer.step()
        if warm is not None:
            warm.step()


@torch.inference_mode()
def predict(model, loader, device):
    model.eval()
    out = []
    for images, _ in loader:
        preds = model([i.to(device) for i in images])
        out += [{k: v.cpu() for k, v in p.items()} for p in preds]
    return out


def main(train_loader, n_classes, device):
    model = get_model(n_classes).to(device)
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.SGD(params, lr=0.005, momentum=0.9, weight_decay=0.0005)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=3, gamma=0.1)
    for epoch in range(10):
        train_one_epoch(model, opt, train_loader, device, epoch)
        sched.step()
    torch.save(model.state_dict(), "det.pt")
