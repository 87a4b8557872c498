import logging
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

from curves import make_tasks
from layers import MLP, Block

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

HPARAMS = dict(dim=64, depth=1, heads=1, attn_dropout=0.3, lr=3e-3, epochs=30, batch_size=64)


class CurveCompleter(L.LightningModule):
    def __init__(self, dim, depth, heads, attn_dropout, lr, epochs, batch_size):
        super().__init__()
        self.save_hyperparameters()
        self.embed_ctx = MLP(2, dim, dim)
        self.embed_query = MLP(1, dim, dim)
        self.ctx_block = Block(dim, heads, attn_dropout)
        self.query_blocks = nn.ModuleList([Block(dim, heads, attn_dropout) for _ in range(depth)])
        self.out = MLP(dim, dim, 1)

    def forward(self, xc, yc, xq):
        ctx = self.embed_ctx(torch.cat([xc, yc], -1))
        ctx = self.ctx_block(ctx, ctx)
        h = self.embed_query(xq)
        for block in self.query_blocks:
            h = block(h, ctx)
        return self.out(h)

    def training_step(self, batch, _):
        xc, yc, xq, yq = batch
        loss = F.mse_loss(self(xc, yc, xq), yq)
        self.log("train_mse", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        xc, yc, xq, yq = batch
        self.log("val_mse", F.mse_loss(self(xc, yc, xq), yq))

    def test_step(self, batch, _):
        xc, yc, xq, yq = batch
        pred = self(xc, yc, xq)
        self.log_dict({"test_mse": F.mse_loss(pred, yq), "test_mae": F.l1_loss(pred, yq),
                       "test_within_0.1": ((pred - yq).abs() < 0.1).float().mean()})

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-4)
        sched = torch.optim.lr_scheduler.OneCycleLR(opt, self.hparams.lr, total_steps=self.trainer.estimated_stepping_batches)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


class Report(L.Callback):
    def on_train_epoch_end(self, trainer, module):
        m = trainer.callback_metrics
        if trainer.current_epoch % 3 == 0:
            print(f"epoch {trainer.current_epoch:2d}  train mse {m['train_mse']:.4f}  val mse {m['val_mse']:.4f}")


def main():
    L.seed_everything(3, verbose=False)
    bs = HPARAMS["batch_size"]
    train = DataLoader(make_tasks(2400, seed=100), batch_size=bs, shuffle=True)
    val = DataLoader(make_tasks(400, seed=101), batch_size=200)
    test = DataLoader(make_tasks(600, seed=102), batch_size=200)

    model = CurveCompleter(**HPARAMS)
    trainer = L.Trainer(max_epochs=HPARAMS["epochs"], accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
                        gradient_clip_val=1.0, callbacks=[Report()])
    trainer.fit(model, train, val)
    res = trainer.test(model, test, verbose=False)[0]
    print("test  " + "  ".join(f"{k.removeprefix('test_')} {v:.4f}" for k, v in res.items()))


if __name__ == "__main__":
    main()
