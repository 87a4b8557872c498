import math
import torch


def main(model, loader, opt, lossf, epochs):
    try:
        for epoch in range(epochs):
            model.train()
            for x, y in loader:
                opt.zero_grad()
                loss = lossf(model(x), y)
                if not math.isfinite(loss.item()):
                    raise FloatingPointError(f"loss is {loss.item()} in epoch {epoch}")
                loss.backward()
                opt.step()
    except KeyboardInterrupt:
        print("stopped by hand, saving")
    except torch.cuda.OutOfMemoryError:
        torch.cuda.empty_cache()
        print("out of memory: lower the batch size")
        raise
    finally:
        torch.save(model.state_dict(), "last.pt")
