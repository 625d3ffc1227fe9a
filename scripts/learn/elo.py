"""Elo of a match from its pentanomial counts: how many pairs scored 0, 0.5, 1, 1.5 and 2 points."""

import math
from statistics import NormalDist


def elo(score):
    score = min(max(score, 1e-6), 1 - 1e-6)
    return 400 * math.log10(score / (1 - score))


def score(counts):
    """The mean score of a game and its standard error. Half a pair is spread over the outcomes beforehand, so that
    the error of few equal pairs is not 0."""
    counts = [count + 0.1 for count in counts]
    pairs = sum(counts)
    mean = sum(count * i / 4 for i, count in enumerate(counts)) / pairs
    variance = sum(count * (i / 4 - mean) ** 2 for i, count in enumerate(counts)) / pairs
    return mean, math.sqrt(variance / pairs)


def interval(counts, deviations):
    """The Elo with its bounds at so many standard errors."""
    mean, error = score(counts)
    return elo(mean - deviations * error), elo(mean), elo(mean + deviations * error)


def verdict(rule, boards):
    """Judges a candidate by its pairs on each board. All pairs count alike: a board has as many as it matters. A slight
    lead is enough, since a refusal costs a round; the bound keeps luck of few games out, and the last rule refuses a
    network that forgot a board. Its 95 % are for all boards together (Bonferroni); with 95 % for each, one of the
    default plan's boards would refuse an equal network in about a fifth of all gates. Without any pairs everything is
    accepted."""
    total = [sum(counts) for counts in zip([0] * 5, *boards.values())]
    low, middle, high = interval(total, 1)
    worst, deviations = {}, NormalDist().inv_cdf(1 - 0.05 / max(1, len(boards)))
    for name, counts in boards.items():
        _, own, above = interval(counts, deviations)
        if above < rule["worst_board"]:
            worst[name] = round(own, 1)
    accepted = not sum(total) or middle > rule["least_elo"] and low > rule["least_bound"] and not worst
    return {
        "pairs": boards, "elo": round(middle, 1), "low": round(low, 1), "high": round(high, 1), "worse": worst,
        "accepted": accepted,
    }
