import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


class RetrievalEvaluator:
    def __init__(self, model, query_ds, gallery_ds, batch_size=128):
        self.model = model
        self.query = DataLoader(query_ds, batch_size=batch_size, num_workers=4)
        self.gallery = DataLoader(gallery_ds, batch_size=batch_size, num_workers=4)

    def embed(self, loader):
        feats, ids = [], []
        for img, pid in loader:
            feats.append(F.normalize(self.model(img.cuda()), dim=1))
            ids.append(pid)
        return torch.cat(feats), torch.cat(ids)

    def recall_at_1(self):
        self.model.eval()
        q, qid = self.embed(self.query)
        g, gid = self.embed(self.gallery)
        nearest = (q @ g.t()).argmax(dim=1).cpu()
        return float(np.mean((gid[nearest] == qid).numpy()))


if __name__ == "__main__":
    model = torch.load("reid.pt").cuda()
    print("R@1", RetrievalEvaluator(model, query_set, gallery_set).recall_at_1())
