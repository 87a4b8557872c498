import numpy as np
from torch.utils.data import DataLoader

loader = DataLoader(
    train_set,
    batch_size=8,
    shuffle=True,
    num_workers=2,
    worker_init_fn=lambda worker: np.random.seed(worker),  # duplicate-worker-seed
)
