sampler = WeightedRandomSampler(w, len(w))
train_loader = DataLoader(train_set, batch_size=64, sampler=sampler)
val_loader = DataLoader(val_set, batch_size=64)
