import argparse
import time

import gymnasium as gym
import numpy as np
import scipy.signal
import torch
import torch.nn as nn
from torch.distributions.categorical import Categorical
from torch.optim import Adam


def mlp(sizes, activation, output_activation=nn.Identity):
    layers = []
    for j in range(len(sizes) - 1):
        act = activation if j < len(sizes) - 2 else output_activation
        layers += [nn.Linear(sizes[j], sizes[j + 1]), act()]
    return nn.Sequential(*layers)


def discount_cumsum(x, discount):
    return scipy.signal.lfilter([1], [1, float(-discount)], x[::-1], axis=0)[::-1]


class MLPActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_sizes=(64, 64), activation=nn.Tanh):
        super().__init__()
        self.logits_net = mlp([obs_dim] + list(hidden_sizes) + [act_dim], activation)
        self.v_net = mlp([obs_dim] + list(hidden_sizes) + [1], activation)

    def pi(self, obs, act=None):
        dist = Categorical(logits=self.logits_net(obs))
        return dist, (None if act is None else dist.log_prob(act))

    def v(self, obs):
        return self.v_net(obs).squeeze(-1)

    def step(self, obs):
        with torch.no_grad():
            dist, _ = self.pi(obs)
            a = dist.sample()
            return dist.sample().item(), self.v(obs).item(), dist.log_prob(a).item()


class PPOBuffer:
    """Stores trajectories of one epoch; GAE-lambda advantages, rewards-to-go as value targets."""

    def __init__(self, obs_dim, size, gamma, lam):
        self.obs_buf = np.zeros((size, obs_dim), dtype=np.float32)
        self.act_buf = np.zeros(size, dtype=np.int64)
        self.adv_buf = np.zeros(size, dtype=np.float32)
        self.rew_buf = np.zeros(size, dtype=np.float32)
        self.ret_buf = np.zeros(size, dtype=np.float32)
        self.val_buf = np.zeros(size, dtype=np.float32)
        self.logp_buf = np.zeros(size, dtype=np.float32)
        self.gamma, self.lam = gamma, lam
        self.ptr, self.path_start_idx, self.max_size = 0, 0, size

    def store(self, obs, act, rew, val, logp):
        assert self.ptr < self.max_size
        self.obs_buf[self.ptr] = obs
        self.act_buf[self.ptr] = act
        self.rew_buf[self.ptr] = rew
        self.val_buf[self.ptr] = val
        self.logp_buf[self.ptr] = logp
        self.ptr += 1

    def finish_path(self, last_val=0.0):
        path_slice = slice(self.path_start_idx, self.ptr)
        rews = np.append(self.rew_buf[path_slice], last_val)
        vals = np.append(self.val_buf[path_slice], last_val)
        deltas = rews[:-1] + self.gamma * vals[1:] - vals[:-1]
        self.adv_buf[path_slice] = discount_cumsum(deltas, self.gamma * self.lam)
        self.ret_buf[path_slice] = discount_cumsum(rews, self.gamma)[:-1]
        self.path_start_idx = self.ptr

    def get(self):
        assert self.ptr == self.max_size
        self.ptr, self.path_start_idx = 0, 0
        adv = (self.adv_buf - self.adv_buf.mean()) / (self.adv_buf.std() + 1e-8)
        data = dict(obs=self.obs_buf, act=self.act_buf, ret=self.ret_buf, adv=adv, logp=self.logp_buf)
        return {k: torch.as_tensor(v.copy()) for k, v in data.items()}


def ppo(env_fn, total_steps, seed=0, steps_per_epoch=2000, gamma=0.99, lam=0.95, clip_ratio=0.2, pi_lr=1e-3, vf_lr=2e-3,
        train_pi_iters=40, train_v_iters=40, target_kl=0.02, max_ep_len=1000):
    torch.manual_seed(seed)
    np.random.seed(seed)

    env = env_fn()
    obs_dim = int(np.prod(env.observation_space.shape))
    ac = MLPActorCritic(obs_dim, env.action_space.n)
    buf = PPOBuffer(obs_dim, steps_per_epoch, gamma, lam)
    pi_optimizer = Adam(ac.logits_net.parameters(), lr=pi_lr)
    vf_optimizer = Adam(ac.v_net.parameters(), lr=vf_lr)

    def compute_loss_pi(data):
        pi, logp = ac.pi(data["obs"], data["act"])
        ratio = torch.exp(logp - data["logp"])
        clip_adv = torch.clamp(ratio, 1 - clip_ratio, 1 + clip_ratio) * data["adv"]
        loss_pi = -(torch.min(ratio * data["adv"], clip_adv)).mean()
        approx_kl = (data["logp"] - logp).mean().item()
        return loss_pi, dict(kl=approx_kl, ent=pi.entropy().mean().item())

    def compute_loss_v(data):
        return ((ac.v(data["obs"]) - data["ret"]) ** 2).mean()

    def update():
        data = buf.get()
        for i in range(train_pi_iters):
            pi_optimizer.zero_grad()
            loss_pi, pi_info = compute_loss_pi(data)
            if pi_info["kl"] > 1.5 * target_kl:
                break
            loss_pi.backward()
            pi_optimizer.step()
        for _ in range(train_v_iters):
            vf_optimizer.zero_grad()
            loss_v = compute_loss_v(data)
            loss_v.backward()
            vf_optimizer.step()
        return loss_v.item(), pi_info, i

    def to_tensor(o):
        return torch.as_tensor(np.asarray(o), dtype=torch.float32).flatten()

    start_time = time.time()
    o, _ = env.reset(seed=seed)
    ep_ret, ep_len = 0.0, 0
    for epoch in range(max(1, total_steps // steps_per_epoch)):
        ep_rets = []
        for t in range(steps_per_epoch):
            x = to_tensor(o)
            a, v, logp = ac.step(x)
            next_o, r, terminated, truncated, _ = env.step(a)
            ep_ret += float(r)
            ep_len += 1
            buf.store(x.numpy(), a, r, v, logp)
            o = next_o

            timeout = truncated or ep_len == max_ep_len
            epoch_ended = t == steps_per_epoch - 1
            if terminated or timeout or epoch_ended:
                last_val = 0.0 if terminated else ac.step(to_tensor(o))[1]
                buf.finish_path(last_val)
                if terminated or timeout:
                    ep_rets.append(ep_ret)
                    o, _ = env.reset()
                    ep_ret, ep_len = 0.0, 0

        loss_v, info, stop_iter = update()
        avg = np.mean(ep_rets) if ep_rets else float("nan")
        print("Epoch %3d | AverageEpRet %8.2f | Episodes %4d | LossV %9.3f | KL %.4f | Entropy %.3f | StopIter %2d | Time %.1f"
              % (epoch, avg, len(ep_rets), loss_v, info["kl"], info["ent"], stop_iter, time.time() - start_time))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", type=str, default="CartPole-v1")
    parser.add_argument("--total-steps", type=int, default=40000)
    parser.add_argument("--steps-per-epoch", type=int, default=2000)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--seed", "-s", type=int, default=0)
    args = parser.parse_args()

    ppo(lambda: gym.make(args.env), args.total_steps, seed=args.seed, steps_per_epoch=args.steps_per_epoch, gamma=args.gamma)
