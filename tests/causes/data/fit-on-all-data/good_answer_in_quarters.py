import numpy as np
import torch


def stretched(pred, truth):
    """One map of answers, brought to 0..1 before it is compared."""
    truth = truth > 128
    pred = pred / 255
    if pred.max() != pred.min():
        pred = (pred - pred.min()) / (pred.max() - pred.min())
    return pred, truth


class Likeness:
    def __init__(self):
        self.scores = []

    def add(self, pred, truth):
        pred, truth = stretched(pred, truth)
        row, column = self.middle(truth)
        quarters = self.quarters(pred, truth, row, column)
        self.scores.append(np.mean([np.mean(a * b) for a, b in quarters]))

    def add_as_it_is(self, pred, truth):
        row, column = self.middle(truth)
        quarters = self.quarters(pred, truth, row, column)
        self.scores.append(np.mean([np.mean(a * b) for a, b in quarters]))

    def middle(self, truth):
        row, column = np.argwhere(truth).mean(axis=0).round()
        return int(row) + 1, int(column) + 1

    def quarters(self, pred, truth, row, column):
        height, width = truth.shape
        upper_left = truth[0:row, 0:column]
        upper_right = truth[0:row, column:width]
        lower_left = truth[row:height, 0:column]
        lower_right = truth[row:height, column:width]
        ours_upper_left = pred[0:row, 0:column]
        ours_upper_right = pred[0:row, column:width]
        ours_lower_left = pred[row:height, 0:column]
        ours_lower_right = pred[row:height, column:width]
        return [
            (upper_left, ours_upper_left),
            (upper_right, ours_upper_right),
            (lower_left, ours_lower_left),
            (lower_right, ours_lower_right),
        ]

    def result(self):
        return torch.tensor(self.scores).mean()
