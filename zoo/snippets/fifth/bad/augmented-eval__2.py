class Cells(Dataset):
    def __init__(self, files, train=True):
        self.files = files
        self.aug = A.Compose([A.HorizontalFlip(), A.RandomRotate90(), A.GaussNoise()])
    def __len__(self):
        return len(self.files)
    def __getitem__(self, i):
        img = np.load(self.files[i])
        img = self.aug(image=img)["image"]
        return torch.tensor(img)

train_dl = DataLoader(Cells(train_files), batch_size=8, shuffle=True)
val_dl = DataLoader(Cells(val_files, train=False), batch_size=8)
