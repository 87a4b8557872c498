"""Small real scripts that attack a tracker while it records: one text, with the tracker's own three lines.

Each prints the number of steps it has handed over, so that what is on disk later can be held against it.
"""

from collections.abc import Mapping

WANDB = """
import wandb
run = wandb.init(mode='offline', dir=HOME, project=NAME, settings=wandb.Settings(silent=True))
"""
TENSORBOARD = """
import os
from torch.utils.tensorboard import SummaryWriter
writer = SummaryWriter(os.path.join(HOME, NAME))
"""
MLFLOW = """
import os
os.environ['MLFLOW_ALLOW_FILE_STORE'] = 'true'
import mlflow
mlflow.set_tracking_uri('file://' + HOME)
mlflow.set_experiment(NAME)
mlflow.start_run()
"""
# How each begins, takes a step (`n`, `loss`) and ends. Sleuth needs no line: it watches the same loop.
TRACKERS: Mapping[str, tuple[str, str, str]] = {
    "sleuth": ("", "pass", ""),
    "wandb": (WANDB, "run.log({'loss': loss}, step=n)", "run.finish()"),
    "tensorboard": (TENSORBOARD, "writer.add_scalar('loss', loss, n)", "writer.close()"),
    "mlflow": (MLFLOW, "mlflow.log_metric('loss', loss, step=n)", "mlflow.end_run()"),
}

# A model small enough that writing is most of the work; a step every five milliseconds.
LOOP = """
import sys, time, torch
HOME, NAME, STEPS = sys.argv[1], sys.argv[2], int(sys.argv[3])
{begin}
{before}
torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for n in range(STEPS):
    x = torch.randn(8, 4)
    value = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    value.backward()
    optimizer.step()
    loss = float(value)
    {step}
    print(n + 1, flush=True)
    time.sleep(0.005)
{end}
print("trained", flush=True)
"""

# A script that tidies up descriptors it believes to be nobody's, and opens a file of its own.
REUSE = """
import os
os.closerange(3, 256)
own = [open(os.path.join(os.path.dirname(HOME), f"own{k}.txt"), "w") for k in range(16)]
for file in own:
    file.write("own\\n")
    file.flush()
"""


def script(tracker: str, before: str = "") -> str:
    begin, step, end = TRACKERS[tracker]
    return LOOP.format(begin=begin, step=step, end=end, before=before)
