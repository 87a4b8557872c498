CONFIG = {
    "seed": 8,
    "data": {"n_train": 3000, "n_val": 600, "n_test": 900, "arms": 3, "turns": 1.25, "noise": 0.06},
    "model": {"depth": 10, "width": 48, "activation": "sigmoid"},
    "train": {"epochs": 30, "batch_size": 64, "lr": 1e-3, "weight_decay": 1e-4},
}
