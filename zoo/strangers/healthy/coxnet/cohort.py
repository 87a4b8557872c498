"""Simulated oncology cohort with proportional hazards and administrative censoring."""
import numpy as np

FEATURES = ["age", "stage", "ldh", "albumin", "bmi", "marker_a", "marker_b", "site"]


def simulate(n, seed):
    rng = np.random.default_rng(seed)
    age = rng.normal(63, 11, n)
    stage = rng.integers(1, 5, n).astype(float)
    ldh = rng.lognormal(5.3, 0.35, n)
    albumin = rng.normal(38, 5, n)
    bmi = rng.normal(26, 4, n)
    a, b = rng.normal(0, 1, n), rng.normal(0, 1, n)
    site = rng.integers(0, 2, n).astype(float)
    log_risk = (0.03 * (age - 63) + 0.5 * (stage - 2.5) + 0.9 * np.log(ldh / 200)
                - 0.06 * (albumin - 38) + 0.02 * (bmi - 26) ** 2 * 0.5 + 0.7 * a * b)
    scale = 40.0 * np.exp(-log_risk / 1.3)
    event_time = scale * rng.weibull(1.3, n)
    censor_time = np.minimum(rng.exponential(70.0, n), 60.0)
    time = np.minimum(event_time, censor_time)
    event = event_time <= censor_time
    x = np.stack([age, stage, ldh, albumin, bmi, a, b, site], axis=1)
    return x.astype(np.float32), time.astype(np.float32), event, log_risk


def concordance(risk, time, event):
    """Harrell's C: among comparable pairs, how often does the earlier event carry the higher risk."""
    earlier = (time[:, None] < time[None, :]) & event[:, None]
    diff = risk[:, None] - risk[None, :]
    return ((diff > 0) & earlier).sum() / earlier.sum() + 0.5 * ((diff == 0) & earlier).sum() / earlier.sum()
