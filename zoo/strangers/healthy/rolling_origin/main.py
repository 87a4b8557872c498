"""
Rolling-origin evaluation of a day-ahead quantile forecast.

At every origin: fit on the past only, take the last four weeks before the origin as a calibration window (never trained on), widen or
narrow the interval by the conformal amount found there, then forecast the three weeks after the origin.  A new network at every origin.
"""
import json
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from net import QuantileNet, pinball
from series import make_series, make_table

CFG = json.loads((Path(__file__).parent / "config.json").read_text())


class PastScaler:
    def __init__(self, amounts, y):
        self.m, self.s = amounts.mean(0), amounts.std(0)
        self.ym, self.ys = float(y.mean()), float(y.std())

    def x(self, amounts, clock):
        return torch.from_numpy(np.concatenate([(amounts - self.m) / self.s, clock], 1).astype(np.float32))

    def y(self, y):
        return torch.from_numpy((y - self.ym) / self.ys)

    def back(self, p):
        return p.numpy() * self.ys + self.ym


def fit(x, y, x_cal, y_cal, q):
    torch.manual_seed(CFG["seed"])
    net = QuantileNet(x.shape[1], CFG["hidden"])
    # rows are complete (lags already inside), so their order within the past does not matter and may be shuffled
    loader = DataLoader(TensorDataset(x, y), batch_size=CFG["batch_size"], shuffle=True)
    opt = torch.optim.Adam(net.parameters(), lr=CFG["lr"])
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=CFG["epochs"], eta_min=1e-4)
    for epoch in range(CFG["epochs"]):
        net.train()
        running, seen = 0.0, 0
        for xb, yb in loader:
            opt.zero_grad(set_to_none=True)
            loss = pinball(net(xb), yb, q)
            loss.backward()
            opt.step()
            running += loss.item() * len(xb)
            seen += len(xb)
        sched.step()
        if epoch % 4 == 1 or epoch == CFG["epochs"] - 1:
            net.eval()
            with torch.no_grad():
                held = pinball(net(x_cal), y_cal, q).item()
            print(f"    epoch {epoch + 1:2d}  pinball past {running / seen:.4f}  calibration window {held:.4f}")
    return net.eval()


@torch.no_grad()
def forecast(net, x, scaler):
    return scaler.back(net(x))


def main():
    series = make_series(CFG["hours"], CFG["seed"])
    target, amounts, clock = make_table(series, CFG["horizon"])
    y = series[target]
    q = torch.tensor(CFG["quantiles"])
    lo_q, hi_q = CFG["quantiles"][0], CFG["quantiles"][-1]
    rows = []
    for origin in CFG["origins"]:
        begin_cal = origin - CFG["calibration_hours"]
        past = target < begin_cal
        # a day-ahead row of hour h is issued at h - 24; the gap keeps calibration and test rows issued after the past has ended
        cal = (target >= begin_cal + CFG["horizon"]) & (target < origin)
        ahead = (target >= origin + CFG["horizon"]) & (target < origin + CFG["test_hours"])
        scaler = PastScaler(amounts[past], y[past])
        xs = {k: scaler.x(amounts[m], clock[m]) for k, m in dict(past=past, cal=cal, ahead=ahead).items()}
        print(f"origin {origin}: {past.sum()} past rows, {cal.sum()} calibration rows, {ahead.sum()} rows ahead")
        net = fit(xs["past"], scaler.y(y[past]), xs["cal"], scaler.y(y[cal]), q)

        pc = forecast(net, xs["cal"], scaler)
        miss = np.maximum(pc[:, 0] - y[cal], y[cal] - pc[:, 2])
        n = len(miss)
        widen = np.quantile(miss, min(1.0, np.ceil((n + 1) * (hi_q - lo_q)) / n), method="higher")

        pa = forecast(net, xs["ahead"], scaler)
        inside = (y[ahead] >= pa[:, 0] - widen) & (y[ahead] <= pa[:, 2] + widen)
        mae = np.abs(pa[:, 1] - y[ahead]).mean()
        naive = np.abs(series[target[ahead] - 168] - y[ahead]).mean()
        yesterday = np.abs(series[target[ahead] - 24] - y[ahead]).mean()
        rows.append((mae, naive, yesterday, inside.mean(), widen))
        print(f"    ahead: MAE {mae:.2f}  last week {naive:.2f}  yesterday {yesterday:.2f}  coverage {inside.mean():.3f}  conformal widening {widen:+.2f}")
    r = np.array(rows).mean(0)
    print(f"\nmean of {len(rows)} origins: MAE {r[0]:.2f} (last week {r[1]:.2f}, yesterday {r[2]:.2f}), coverage {r[3]:.3f} of nominal {hi_q - lo_q:.2f}")


if __name__ == "__main__":
    main()
