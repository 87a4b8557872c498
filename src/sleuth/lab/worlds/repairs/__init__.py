"""How suspects are taken back from outside: each function makes one change to a world.

A cause's `undo` names the one that takes it back.
"""
