"""From a script that does not learn to a confirmed cause: clues, hypotheses, experiments, verdict."""
