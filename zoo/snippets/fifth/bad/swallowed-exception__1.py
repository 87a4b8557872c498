for epoch in range(100):
    for batch in loader:
        try:
            optimizer.zero_grad()
            loss = model(batch["input"].to(device), batch["label"].to(device))
            loss.backward()
            optimizer.step()
        except Exception as e:
            continue
