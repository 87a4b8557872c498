import argparse, torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
import torchvision.transforms.functional as TF
import random

class Seg(Dataset):
    def __init__(self, pairs, train):
        self.pairs, self.train = pairs, train
    def __len__(self):
        return len(self.pairs)
    def __getitem__(self, i):
        img, mask = self.pairs[i]
        if self.train and random.random() < 0.5:
            img, mask = TF.hflip(img), TF.hflip(mask)
        return TF.to_tensor(img), torch.as_tensor(mask, dtype=torch.long)

def iou(pred, y, n):
    inter = torch.stack([((pred == c) & (y == c)).sum() for c in range(n)]).float()
    union = torch.stack([((pred == c) | (y == c)).sum() for c in range(n)]).float()
    return (inter / union.clamp(min=1)).mean()

def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    random.seed(args.seed)
    net = build_unet(3, 5)
    w = torch.tensor([0.1, 1, 1, 1, 1.0])
    crit = nn.CrossEntropyLoss(weight=w, ignore_index=255)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    tl = DataLoader(Seg(train_pairs, True), 8, shuffle=True, num_workers=4)
    vl = DataLoader(Seg(val_pairs, False), 8)
    best = 0.0
    for epoch in range(50):
        net.train()
        for x, y in tl:
            opt.zero_grad()
            loss = crit(net(x), y)
            loss.backward()
            opt.step()
        net.eval()
        scores = []
        with torch.no_grad():
            for x, y in vl:
                scores.append(iou(net(x).argmax(1), y, 5).item())
        score = sum(scores) / len(scores)
        if score > best:
            best = score
            torch.save(net.state_dict(), "best.pt")

if __name__ == "__main__":
    main()
