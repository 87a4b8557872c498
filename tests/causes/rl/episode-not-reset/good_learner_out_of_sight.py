import gymnasium
from library import TabularLearner

world = gymnasium.make("Taxi-v3")
learner = TabularLearner(world.observation_space.n, world.action_space.n)
place, info = world.reset(seed=1)
while learner.updates < 50_000:
    move = learner.choose(place)
    there, payment, ended, cut_off, info = world.step(move)
    learner.update_table(place, move, payment, there, ended)
    place = world.reset()[0] if ended or cut_off else there

show = gymnasium.make("Taxi-v3", render_mode="human")
place, info = show.reset(seed=2)
for _ in range(100):
    place, payment, *rest = show.step(learner.choose(place))
    print(place, payment)
