import numpy as np
import torch


def softmax(z):
    return np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)  # unstable-exp


def logistic_loss(score, sign):
    return torch.log(1 + torch.exp(-sign * score)).mean()  # unstable-exp


def gate(z):
    return 1.0 / (1.0 + torch.exp(-z))  # unstable-exp
