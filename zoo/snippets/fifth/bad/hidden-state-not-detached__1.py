hidden = model.init_hidden(batch_size)
for i in range(0, train_data.size(0) - 1, bptt):
    data, targets = get_batch(train_data, i)
    optimizer.zero_grad()
    output, hidden = model(data, hidden)
    loss = criterion(output.view(-1, ntokens), targets)
    loss.backward(retain_graph=True)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    optimizer.step()
