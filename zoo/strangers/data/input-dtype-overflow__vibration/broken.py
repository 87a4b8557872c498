# Bearing fault recogniser.  ADC frames in, fault class out.
# frames come from a 12 bit converter, one accelerometer, 128 samples each
import numpy as np
import torch

rs = np.random.RandomState(99)
torch.manual_seed(99)

FAULTS = ['ok', 'inner', 'outer', 'ball', 'cage']
N_FRAMES = 2500
LEN = 128

# ---------------------------------------------------------------- acquisition
def record(fault):
    t = np.arange(LEN)
    gain = rs.uniform(300, 1500)
    sig = 0.35 * np.sin(2 * np.pi * 3.0 * t / LEN + rs.uniform(0, 6.28))
    sig += 0.12 * rs.randn(LEN)
    if fault == 1:
        sig += 0.5 * np.sin(2 * np.pi * 9.0 * t / LEN + rs.uniform(0, 6.28))
    elif fault == 2:
        sig += 0.5 * np.sin(2 * np.pi * 12.0 * t / LEN + rs.uniform(0, 6.28))
    elif fault == 3:
        sig += 0.5 * np.sin(2 * np.pi * 16.0 * t / LEN + rs.uniform(0, 6.28))
    elif fault == 4:
        env = 1 + np.sin(2 * np.pi * 2.0 * t / LEN + rs.uniform(0, 6.28))
        sig += 0.35 * env * np.sin(2 * np.pi * 22.0 * t / LEN + rs.uniform(0, 6.28))
    return np.clip(np.round(sig * gain), -2048, 2047)

fault_id = rs.randint(0, len(FAULTS), N_FRAMES)
adc = np.stack([record(f) for f in fault_id]).astype(np.int16)
print('adc', adc.shape, adc.dtype, 'range', adc.min(), adc.max())

# ------------------------------------------------------------ frame by frame prep
frames = np.empty_like(adc)
for i in range(N_FRAMES):
    f = adc[i] - adc[i].mean()
    frames[i] = f / np.abs(f).max()

n_tr = 1900
Xtr, Xte = frames[:n_tr].astype(np.float32), frames[n_tr:].astype(np.float32)
Ytr, Yte = fault_id[:n_tr], fault_id[n_tr:]

# ---------------------------------------------------------------- network
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = torch.nn.Conv1d(1, 16, 15, stride=2, padding=7)
        self.c2 = torch.nn.Conv1d(16, 32, 9, stride=2, padding=4)
        self.c3 = torch.nn.Conv1d(32, 32, 5, padding=2)
        self.fc = torch.nn.Linear(64, len(FAULTS))

    def forward(self, x):
        x = torch.relu(self.c1(x[:, None, :]))
        x = torch.relu(self.c2(x))
        x = torch.relu(self.c3(x))
        x = torch.cat([x.mean(2), x.amax(2)], 1)
        return self.fc(x)

net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.002)
lossfn = torch.nn.CrossEntropyLoss()

def score(X, Y):
    net.eval()
    with torch.no_grad():
        guess = net(torch.from_numpy(X)).argmax(1).numpy()
    net.train()
    return (guess == Y).mean(), guess

for ep in range(18):
    order = rs.permutation(n_tr)
    acc_loss, nb = 0., 0
    for k in range(0, n_tr, 50):
        j = order[k:k + 50]
        xb = torch.from_numpy(Xtr[j])
        yb = torch.from_numpy(Ytr[j])
        out = net(xb)
        loss = lossfn(out, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        acc_loss += float(loss)
        nb += 1
    te, _ = score(Xte, Yte)
    tr, _ = score(Xtr, Ytr)
    print('ep %02d   loss %.4f   train %.3f   test %.3f' % (ep, acc_loss / nb, tr, te))

te, guess = score(Xte, Yte)
table = np.zeros((len(FAULTS), len(FAULTS)), dtype=int)
np.add.at(table, (Yte, guess), 1)
print('\nrows = truth, columns = guess')
for name, row in zip(FAULTS, table):
    print('%6s ' % name, row)
print('test accuracy %.4f' % te)
