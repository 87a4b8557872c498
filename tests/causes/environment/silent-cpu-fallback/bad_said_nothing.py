device = "cuda" if torch.cuda.is_available() else "cpu"  # silent-cpu-fallback
model = build_model().to(device)
optimizer = optim.Adam(model.parameters(), lr=3e-4)

for epoch in range(num_epochs):
    for images, labels in train_loader:
        images, labels = images.to(device), labels.to(device)
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
