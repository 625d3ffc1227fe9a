"""Writes FOLDER/report: the costs of each round as a table, and plots of losses and Elo."""

import io

from files import replace
from plan import PARTS

NO_PLAY = {"boards": {}, "positions": 0, "cpu": 0, "wall": 0}  # of a range of sizes


def write(folder, state, say):
    """Writes what can be written; a plot that fails does not stop a run."""
    whole = [record for record in state.rounds if "gate" in record]
    replace(folder / "report/costs.md", costs(whole, state.ranges).encode())
    try:
        plots(folder / "report", whole)
    except Exception as error:
        say(f"the plots are not written: {error}")


def costs(rounds, ranges):
    """A table of games, positions and hours by round, and of the ranges of sizes after the last one."""
    lines = [
        "| round | network | games | positions | play, CPU h | fit, CPU h | gate, CPU h | hours | Elo (68 %) |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    sums = [0, 0, 0.0, 0.0, 0.0, 0.0]
    named = [(record["round"], record) for record in rounds]
    named += [(f"{record['round']}, {name} boards", record) for name, record in ranges.items()]
    for name, record in named:
        play, gate = record.get("play", NO_PLAY), record["gate"]
        games = sum(board["games"] for board in play["boards"].values())
        parts = [play, record["fit"], gate]
        hours = [part["cpu"] / 3600 for part in parts]
        wall = sum(part["wall"] for part in parts) / 3600
        values = [games, play["positions"], *hours, wall]
        sums = [total + value for total, value in zip(sums, values)]
        verdict = "accepted" if gate["accepted"] else "refused"
        cells = numbers(values)
        elo = f"{gate['elo']:+.0f} ({gate['low']:+.0f} to {gate['high']:+.0f})"
        lines.append(f"| {name} | {verdict} | {cells} | {elo} |")
    lines.append(f"| all | | {numbers(sums)} | {elo_sums(rounds)[-1] if rounds else 0:+.0f} |")
    return "\n".join(lines) + "\n"


def numbers(values):
    return " | ".join(f"{value:,}" if isinstance(value, int) else f"{value:,.2f}" for value in values)


def elo_sums(rounds):
    """The sum of the accepted networks' Elo after each round. It is biased upward: luck makes a network more likely to
    be accepted."""
    total, sums = 0.0, []
    for record in rounds:
        if record["gate"]["accepted"]:
            total += record["gate"]["elo"]
        sums.append(total)
    return sums


def plots(folder, rounds):
    import matplotlib

    matplotlib.use("Agg")
    # The same data give the same file.
    matplotlib.rcParams["svg.hashsalt"] = "tanada"
    from matplotlib import pyplot

    def save(figure, name):
        figure.tight_layout()
        drawn = io.BytesIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
        replace(folder / f"{name}.svg", drawn.getvalue())
        pyplot.close(figure)

    numbers = [record["round"] for record in rounds]
    # Room for a legend beside the plots, and a colour for each of many boards.
    figure, axes = pyplot.subplots(1, 2, figsize=(13, 4.5))
    for axis, kind, title in zip(axes, ("result", "moves"), ("log loss of the result", "divergence from the visits")):
        axis.set_prop_cycle(color=pyplot.get_cmap("tab20").colors)
        for board in sorted({name for record in rounds for name in record["fit"]["losses"]}):
            found = [record["fit"]["losses"].get(board, {}).get(kind) for record in rounds]
            axis.plot(numbers, [float("nan") if loss is None else loss for loss in found], marker=".", label=board)
        axis.set(title=f"{title}, held-out games", xlabel="round", ylabel="nats")
    if axes[1].get_legend_handles_labels()[1]:
        axes[1].legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, "losses")

    hours, total = [], 0.0
    for record in rounds:
        total += sum(record[part]["wall"] for part in PARTS) / 3600
        hours.append(total)
    sums = elo_sums(rounds)
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.5), sharey=True)
    for axis, at, name in zip(axes, (numbers, hours), ("round", "hours")):
        axis.plot([0, *at], [0, *sums], drawstyle="steps-post", marker=".")
        refused = [i for i, record in enumerate(rounds) if not record["gate"]["accepted"]]
        axis.plot([at[i] for i in refused], [sums[i] for i in refused], "x", color="tab:red", label="refused")
        axis.set(xlabel=name, ylabel="sum of the accepted networks' Elo")
        if refused:
            axis.legend()
    save(figure, "elo")
