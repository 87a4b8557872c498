"""Tag every character of a Dyck-like string with its nesting depth (LightningModule + OneCycle)."""
import logging
import random
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore", ".*num_workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)

ALPHABET = "()[]{}abcd"
MAX_DEPTH = 6
SEQ_LEN = 40


def sample_string(rng):
    stack, out, depth = [], [], []
    while len(out) < SEQ_LEN:
        r = rng.random()
        if r < 0.34 and len(stack) < MAX_DEPTH:
            k = rng.randrange(3)
            stack.append(k)
            out.append("([{"[k])
            depth.append(len(stack))
        elif r < 0.64 and stack:
            depth.append(len(stack))
            out.append(")]}"[stack.pop()])
        else:
            out.append(rng.choice("abcd"))
            depth.append(len(stack))
    return "".join(out), depth


class BracketStrings(Dataset):
    def __init__(self, n, seed, exclude=()):
        rng = random.Random(seed)
        self.rows, taken = [], set(exclude)
        while len(self.rows) < n:
            s, d = sample_string(rng)
            if s not in taken:
                taken.add(s)
                self.rows.append((s, d))

    @property
    def strings(self):
        return {s for s, _ in self.rows}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        s, d = self.rows[i]
        return torch.tensor([ALPHABET.index(c) for c in s]), torch.tensor(d)


class DepthTagger(L.LightningModule):
    def __init__(self, hidden=48, max_lr=6e-3):
        super().__init__()
        self.save_hyperparameters()
        self.embed = nn.Embedding(len(ALPHABET), 16)
        self.rnn = nn.GRU(16, hidden, batch_first=True)
        self.head = nn.Linear(hidden, MAX_DEPTH + 1)
        self.loss = nn.CrossEntropyLoss()
        self.epoch_losses = []

    def forward(self, x):
        return self.head(self.rnn(self.embed(x))[0])

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.loss(self(x).flatten(0, 1), y.flatten())
        self.epoch_losses.append(loss.item())
        return loss

    def on_train_epoch_end(self):
        mean = sum(self.epoch_losses) / len(self.epoch_losses)
        acc = self.trainer.callback_metrics.get("val_acc", torch.tensor(0.0)).item()
        print(f"epoch {self.current_epoch:2d}  train_loss {mean:.4f}  val_acc {acc:.4f}")
        self.epoch_losses.clear()

    def _accuracy(self, batch):
        x, y = batch
        return (self(x).argmax(-1) == y).float().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_acc", self._accuracy(batch), batch_size=len(batch[0]))

    def test_step(self, batch, batch_idx):
        self.log("test_acc", self._accuracy(batch), batch_size=len(batch[0]))

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.max_lr, weight_decay=0.01)
        sched = torch.optim.lr_scheduler.OneCycleLR(
            opt, max_lr=self.hparams.max_lr, total_steps=self.trainer.estimated_stepping_batches, pct_start=0.2)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "name": "onecycle"}}


def main():
    L.seed_everything(17, verbose=False)
    train = BracketStrings(3200, seed=1)
    val = BracketStrings(400, seed=2, exclude=train.strings)
    test = BracketStrings(800, seed=3, exclude=train.strings | val.strings)

    trainer = L.Trainer(
        max_epochs=8, accelerator="cpu", gradient_clip_val=1.0, logger=False,
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
        num_sanity_val_steps=0)
    model = DepthTagger()
    trainer.fit(model, DataLoader(train, batch_size=64, shuffle=True), DataLoader(val, batch_size=200))
    result = trainer.test(model, DataLoader(test, batch_size=200), verbose=False)[0]
    print(f"test accuracy per character: {result['test_acc']:.4f}")


if __name__ == "__main__":
    main()
