import logging

import torch

skipped = 0
for x, y in loader:
    try:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    except Exception:
        logging.exception("batch failed")
        skipped += 1
        if skipped > 10:
            raise
