import torch


class Plan:
    """Called once an epoch, and says so: it counts the steps of an epoch itself."""

    def begin(self, trainer):
        batches = len(trainer.train_loader)
        total = trainer.epochs * batches

        def factor(epoch):
            return 1 - epoch * batches / total

        self.schedule = torch.optim.lr_scheduler.LambdaLR(trainer.optimizer, factor)

    def epoch_done(self, trainer):
        self.schedule.step()
