import gymnasium
from library import TabularLearner

world = gymnasium.make("Taxi-v3")
learner = TabularLearner(world.observation_space.n, world.action_space.n)
place, info = world.reset(seed=1)
while learner.updates < 50_000:
    move = learner.choose(place)
    there, payment, ended, cut_off, info = world.step(move)  # the next line goes on from a dead end
    learner.update_table(place, move, payment, there, ended)
    place = there  # episode-not-reset
