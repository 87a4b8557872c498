T = 4.0
alpha = 0.7

teacher.load_state_dict(torch.load('teacher.pth', map_location=device))
teacher.eval()
optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)

for epoch in range(epochs):
    student.train()
    for x, y in train_loader:
        x, y = x.to(device), y.to(device)
        with torch.no_grad():
            t_logits = teacher(x)
        s_logits = student(x)
        kd = F.kl_div(F.log_softmax(s_logits / T, dim=1),
                      F.softmax(t_logits / T, dim=1),
                      reduction='batchmean') * (T * T)
        ce = F.cross_entropy(s_logits, y)
        loss = alpha * kd + (1 - alpha) * ce
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
