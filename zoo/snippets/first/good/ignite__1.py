import torch
import torch.nn as nn
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.metrics import Accuracy, Loss


def run(model, train_loader, val_loader, epochs, lr, device):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.5)
    criterion = nn.CrossEntropyLoss()
    trainer = create_supervised_trainer(model, optimizer, criterion, device=device)
    evaluator = create_supervised_evaluator(model, {"acc": Accuracy(), "nll": Loss(criterion)}, device=device)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.3)

    @trainer.on(Events.EPOCH_COMPLETED)
    def log_validation(engine):
        evaluator.run(val_loader)
        m = evaluator.state.metrics
        print(engine.state.epoch, m["acc"], m["nll"])
        scheduler.step()

    trainer.run(train_loader, max_epochs=epochs)
