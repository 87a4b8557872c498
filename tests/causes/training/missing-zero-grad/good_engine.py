import deepspeed

engine, optimizer, loader, _ = deepspeed.initialize(args=args, model=model, training_data=data)
for batch in loader:
    loss = engine(batch)
    engine.backward(loss)
    engine.step()
