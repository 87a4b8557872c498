"""Ring-down simulator: an impulse excites a damped resonator, a microphone records it."""
import numpy as np

N_SAMPLES = 160
FS = 800.0

# prior ranges: frequency [Hz], decay rate [1/s], mass-loading ratio of the second mode
LOW = np.array([12.0, 4.0, 1.6])
HIGH = np.array([60.0, 30.0, 3.2])


def sample_prior(rng=np.random):
    return LOW + (HIGH - LOW) * rng.uniform(size=3)


def simulate(theta, rng=np.random):
    f0, decay, ratio = theta
    t = np.arange(N_SAMPLES) / FS
    onset = rng.uniform(0.0, 0.02)
    tt = np.clip(t - onset, 0.0, None)
    phase = rng.uniform(0, 2 * np.pi, size=2)
    amp2 = rng.uniform(0.4, 0.8)
    x = np.exp(-decay * tt) * np.sin(2 * np.pi * f0 * tt + phase[0])
    x += amp2 * np.exp(-1.5 * decay * tt) * np.sin(2 * np.pi * f0 * ratio * tt + phase[1])
    x *= t >= onset
    x += rng.normal(0, 0.08, size=N_SAMPLES)
    gain = rng.uniform(0.7, 1.4)
    return (gain * x).astype(np.float32)


def to_unit(theta):
    """Map parameters to roughly zero mean, unit spread."""
    return ((theta - LOW) / (HIGH - LOW) - 0.5) * np.sqrt(12.0)


def from_unit(z):
    return LOW + (HIGH - LOW) * (z / np.sqrt(12.0) + 0.5)
