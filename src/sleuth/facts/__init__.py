"""What detectors may ask: observations, gathered once, judged elsewhere."""
