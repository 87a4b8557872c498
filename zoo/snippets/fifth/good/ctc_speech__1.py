ctc = nn.CTCLoss(blank=0, zero_infinity=True)
for feats, feat_len, text, text_len in loader:
    logits = net(feats)                       # (batch, time, classes)
    logp = logits.log_softmax(-1).transpose(0, 1)
    loss = ctc(logp, text, feat_len // 4, text_len)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    opt.step()
