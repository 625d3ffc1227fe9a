"""The learning rate of the fits."""

import math

WARM_UP = 200  # steps


def warmed_up(peak, step):
    """A rate that rises to its peak in the first steps and stays there. Steps count from 0."""
    return peak * min(1, (step + 1) / WARM_UP)


def cosine(peak, step, steps, least):
    """The same, falling with a cosine from the start to the share `least` of the peak in `steps` steps."""
    shape = (1 + math.cos(math.pi * step / steps)) / 2
    return warmed_up(peak, step) * (least + (1 - least) * shape)
