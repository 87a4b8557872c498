import torch
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.metrics import Accuracy, Loss


def run(model, train_loader, val_loader, optimizer, criterion, device, epochs):
    def update(engine, batch):
        model.train()
        optimizer.zero_grad()
        x, y = batch[0].to(device), batch[1].to(device)
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    trainer = Engine(update)
    evaluator = create_supervised_evaluator(model, {"acc": Accuracy(), "nll": Loss(criterion)}, device=device)
    sched = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)

    @trainer.on(Events.EPOCH_COMPLETED)
    def validate(engine):
        evaluator.run(val_loader)
        sched.step()
        print(engine.state.epoch, evaluator.state.metrics)

    trainer.run(train_loader, max_epochs=epochs)
