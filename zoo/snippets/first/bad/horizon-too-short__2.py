from dataclasses import dataclass

from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
import gymnasium as gym


@dataclass
class PPOArgs:
    env_id: str = "MiniGrid-KeyCorridorS6R3-v0"
    max_steps: int = 1000
    total_timesteps: int = 5_000_000
    learning_rate: float = 3e-4
    n_steps: int = 512
    gamma: float = 0.6
    gae_lambda: float = 0.95
    ent_coef: float = 0.01
    seed: int = 0


def make(args: PPOArgs):
    # reward 1 on reaching the goal, 0 everywhere else
    return Monitor(gym.make(args.env_id, max_episode_steps=args.max_steps))


def main(args: PPOArgs):
    vec = make_vec_env(lambda: make(args), n_envs=16, seed=args.seed)
    agent = PPO("MultiInputPolicy", vec, learning_rate=args.learning_rate, n_steps=args.n_steps, gamma=args.gamma,
                gae_lambda=args.gae_lambda, ent_coef=args.ent_coef, seed=args.seed, verbose=1)
    agent.learn(args.total_timesteps)
    agent.save("keycorridor_ppo")


if __name__ == "__main__":
    main(PPOArgs())
