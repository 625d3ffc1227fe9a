"""The losses of a fit.

The soft policy, the opponent's reply, the short-term value and the error of the value are KataGo's (Wu, "Accelerating
self-play learning in Go", 2019, and KataGo's document on its methods).
"""

import torch
import torch.nn.functional as F


def mean_where(values, mask):
    """The mean of the values where the mask holds; 0 if it holds nowhere."""
    return (values * mask).sum() / mask.sum().clamp_min(1)


def cross_entropy(logits, target):
    return -(target * torch.log_softmax(logits, 1)).sum(1)


def value_target(batch, shares):
    """The chance to predict: a mix of the result, the search's value and the short-term value. Positions that were not
    played or whose winner is proved have the search's value alone; games without a result lack its share."""
    result, search = shares["result"] * batch.has_result, shares["search"]
    short = 1 - shares["result"] - search
    mixed = result * batch.won + search * batch.value + short * batch.short
    mixed = mixed / (result + search + short).clamp_min(1e-6)
    return torch.where(batch.played & ~batch.proved, mixed, batch.value)


def softened(target):
    """The target to the power 1/4, so that good moves that were not played count too."""
    soft = target**0.25
    return soft / soft.sum(1, keepdim=True).clamp_min(1e-9)


def with_teacher(batch, chance, visits, labels, weight):
    """Mixes the teacher's value and policy into the targets. Where there are no visits, the policy is the teacher's."""
    taught_chance, taught_moves = labels
    chance = (1 - weight) * chance + weight * taught_chance
    share = torch.where(batch.has_policy, weight, 1.0)[:, None]
    return chance, (1 - share) * visits + share * taught_moves


def parts(value, moves, heads, batch, shares, labels=None, weight=0.0):
    """Each loss by its name in the plan."""
    chance, visits, has_policy = value_target(batch, shares), batch.visits, batch.has_policy
    if labels is not None:
        chance, visits = with_teacher(batch, chance, visits, labels, weight)
        has_policy = torch.ones_like(has_policy)
    played = batch.played
    found = {"value": F.binary_cross_entropy_with_logits(value, chance)}
    # The loss for a mixed target differs from the KL divergence of each part only by a constant.
    found["policy"] = mean_where(cross_entropy(moves, visits), has_policy)
    found["soft_policy"] = mean_where(cross_entropy(heads["soft_policy"], softened(batch.visits)), batch.has_policy)
    has_reply = batch.reply >= 0
    reply = F.cross_entropy(heads["reply"], batch.reply.clamp_min(0), reduction="none")
    found["reply"] = mean_where(reply, has_reply)
    for name, target in (("first", batch.first), ("holder", batch.holder)):
        each = F.cross_entropy(heads[name], target, reduction="none").mean(1)
        found[name] = mean_where(each, played)
    survival = F.binary_cross_entropy_with_logits(heads["survival"], batch.survives, reduction="none")
    found["survival"] = mean_where(survival, batch.occupied & played[:, None])
    plies = F.huber_loss(heads["plies"], torch.log1p(batch.plies), reduction="none")
    found["plies"] = mean_where(plies, played)
    wrong = (torch.sigmoid(value.detach()) - batch.short) ** 2
    found["error"] = mean_where(F.huber_loss(F.softplus(heads["error"]), wrong, reduction="none"), played)
    return found


def total(found, weights):
    return sum(weights[name] * loss for name, loss in found.items())


def measures(value, moves, batch):
    """Log losses of the result, by the network and by the search, and the policy's divergence from the visits, of
    held-out games. Returns sums and counts."""
    known, has_policy = batch.has_result, batch.has_policy
    result = F.binary_cross_entropy_with_logits(value, batch.won, reduction="none")
    searched = batch.value.clamp(1 / 256, 255 / 256)
    search = F.binary_cross_entropy(searched, batch.won, reduction="none")
    entropy = -(batch.visits * torch.log(batch.visits.clamp_min(1e-9))).sum(1)
    divergence = cross_entropy(moves, batch.visits) - entropy
    sums = [(result * known).sum(), (search * known).sum(), (divergence * has_policy).sum()]
    return [float(x) for x in sums], [int(known.sum()), int(known.sum()), int(has_policy.sum())]
