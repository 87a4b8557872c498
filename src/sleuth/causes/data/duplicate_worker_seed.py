"""Loader workers draw identical random numbers, so augmentation repeats.

## What happens
The famous version of this bug is fixed, a quieter one is not. Since torch 1.9 every `DataLoader`
worker gets its own seed for Python's `random`, for torch and for NumPy's *global* generator, anew
in each epoch. What nobody reseeds is a generator object that your data set owns. Workers receive a
copy of the data set, and with it a copy of the generator in the same state.

```python
class Noisy(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)       # copied into every worker
    def __getitem__(self, i):
        return x[i] + self.rng.normal(size=x[i].shape)
```

With two workers, batches 1 and 2 get the same noise, then 3 and 4, and so on. Unless
`persistent_workers=True`, every epoch starts again from the same copy, so epoch 2 repeats epoch 1
exactly. `random.Random(0)`, `RandomState(0)` and a `torch.Generator` kept in the data set behave
alike. A `worker_init_fn` that calls `np.random.seed(0)` brings the old bug back, and
`np.random.seed(worker_id)` separates the workers but repeats in each epoch. With `num_workers=0`
all is well, which is why small tests pass.

Training works; you just have less augmentation than you pay for. An `IterableDataset` that does not
split its work is the loud cousin: with two workers each example arrives twice.

## How to tell
- **lint**: a generator created in `__init__` or at module level and used in `__getitem__`, together
  with `num_workers > 0`; a constant seed, or the bare worker id, in `worker_init_fn`.
- **watch**: random parts of consecutive batches coincide, or those of one epoch with the next.
- **refuted by**: `num_workers=0`, or only the global generators are used and nobody reseeds them.

## How to fix
Seed from what torch gives each worker, inside the worker.

```python
def worker_init_fn(worker_id):
    info = torch.utils.data.get_worker_info()
    info.dataset.rng = np.random.default_rng(info.seed)      # differs by worker and epoch

loader = DataLoader(ds, num_workers=4, worker_init_fn=worker_init_fn)
```

Or draw from `torch.rand` and skip private generators. For an evaluation set with fixed noise, seed
by the index of the example, not by the worker.

## Often mistaken for
- `repeated-batch`: the examples themselves repeat.
- `unseeded`: the opposite wish: nothing repeats, not even between runs.

## Sources
- parnamaa-2021: the whole post, identical NumPy draws in workers of older releases, and a count of
  affected projects.
- pytorch-data: "Randomness in multi-process data loading" and the note on duplicates in
  `IterableDataset`.
- pytorch-faq: "My data loader workers return identical random numbers".
"""
