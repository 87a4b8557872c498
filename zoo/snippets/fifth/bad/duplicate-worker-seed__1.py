class Crops(Dataset):
    def __init__(self, images):
        self.images = images
        self.rng = np.random.RandomState(0)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        im = self.images[i]
        x = self.rng.randint(0, im.shape[1] - 64)
        y = self.rng.randint(0, im.shape[0] - 64)
        return torch.from_numpy(im[y:y + 64, x:x + 64])

loader = DataLoader(Crops(imgs), batch_size=16, shuffle=True, num_workers=8)
