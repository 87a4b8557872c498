"""The places of torch through which a running script can be seen and changed, and how they are put back.

An observer (`watching`) and a changed world (`lab.worlds`) stand at the same doors, by one engine: each hands
in a function that gets the original and returns what stands in its place.
"""
