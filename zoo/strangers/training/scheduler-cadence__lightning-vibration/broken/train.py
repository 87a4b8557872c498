"""Train the spindle state classifier."""
import logging
import warnings

import lightning as L

from data import STATES, SpindleData
from module import SpindleNet
from settings import Settings

warnings.filterwarnings("ignore", ".*does not have many workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def main():
    cfg = Settings()
    L.seed_everything(cfg.seed, workers=True)
    data = SpindleData(cfg)
    model = SpindleNet(cfg, n_states=len(STATES))
    trainer = L.Trainer(
        max_epochs=cfg.max_epochs,
        accelerator="cpu",
        devices=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
        deterministic=True,
    )
    trainer.fit(model, datamodule=data)
    result = trainer.test(model, datamodule=data, verbose=False)[0]
    print({k: round(v, 4) for k, v in result.items()})


if __name__ == "__main__":
    main()
