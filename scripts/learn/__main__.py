#!/usr/bin/env python3
"""Learns a network by self-play, on this machine or on many.

    python3 scripts/learn FOLDER [OPTIONS]
    python3 scripts/learn FOLDER --report
    python3 scripts/learn --show-plan [--plan FILE]

Each round plays games with the newest accepted network, fits a candidate to the newest games, and lets the candidate
play a match against that network; if it wins by enough, it plays the next round. The first round is played by the
linear evaluation, or by the network of --from, which is also where the first fit starts. The default plan takes about
three hours of two cores (AMD Zen 5). --rounds N ends after round N, before or beyond the plan's last, whose settings
stay. After the last round three more networks are fitted, for small (up to 9x9), middle (10x10 to 14x14) and large
boards, starting from the last candidate; each plays a match.

FOLDER gets a copy of the program, the games, the accepted networks (networks/NNN.txt, of which the last one plays all
boards, and networks/NNN-small.txt and so on), the refused ones, and a report with plots and costs. After a stop or a
kill at any time, the same command continues where it was, with that copy. The same settings, program and openings
(scripts/lab/openings, for the matches) give the same games as long as the fits compute the same, which takes the same
packages, processor and --threads.

Workers are processes on this machine. For many machines, start `dask scheduler` on one and
`dask worker tcp://HOST:8786 --nthreads CORES` on each, with the same packages, and use --scheduler. Games and matches
are played there, with the program and the networks that this script brings; the fit runs here. A worker that dies costs
its batch of games; a batch that fails five times ends the run.

Needs Python 3.11 and the packages of scripts/learn/requirements.txt.

Examples:
  python3 scripts/learn out/learn
  python3 scripts/learn out/long --plan plan.toml --scheduler tcp://10.0.0.1:8786 --threads 16

Exit status: 0 the run is finished or the report written, 1 not, 2 wrong arguments, 130 interrupted.
"""

import argparse
import os
import shutil
import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for place in (ROOT / "scripts/learn", ROOT / "python"):
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"{self.prog}: {message}", file=sys.stderr)
        sys.exit(2)


def whole(least, most):
    """A parser for whole numbers."""

    def parse(text):
        if len(text) > 20 or not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"invalid value `{text}`: expected a whole number from {least} to {most}")
        return int(text)

    return parse


def parser():
    made = Parser(
        prog="learn", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        usage="python3 scripts/learn FOLDER [options]",
    )
    made.add_argument("folder", metavar="FOLDER", nargs="?", help="folder of the run; --show-plan needs none")
    made.add_argument("--plan", metavar="FILE", help="TOML file that changes the plan; --show-plan prints the settings")
    made.add_argument("--show-plan", action="store_true", help="print the plan as TOML and do nothing else")
    made.add_argument("--rounds", metavar="N", type=whole(1, 9999), help="end after round N [the plan's last round]")
    made.add_argument("--seed", metavar="N", type=whole(0, 2**40), default=1, help="random seed [1]")
    made.add_argument("--from", dest="start", metavar="NETWORK", help="network that plays the first round")
    made.add_argument("--scheduler", metavar="ADDRESS", help="Dask scheduler [this machine only]")
    made.add_argument("--workers", metavar="N", type=whole(1, 4096), help="processes here [one for each core]")
    made.add_argument("--threads", metavar="N", type=whole(1, 1024), help="threads of the fit [one for each core]")
    made.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="where the fit runs; cuda is a GPU [cpu]"
    )
    made.add_argument("--nice", metavar="N", type=whole(0, 19), default=19, help="niceness of all that computes [19]")
    made.add_argument("--tanada", metavar="PATH", help="program [the run's copy, TANADA_BIN or target/release/tanada]")
    made.add_argument("--report", action="store_true", help="write FOLDER/report from what is there, and end")
    return made


def missing_packages(names):
    import importlib.util

    return [name for name in names if importlib.util.find_spec(name) is None]


def program_of(options, folder):
    """The program of the run: that of --tanada, or the whole copy that the run keeps, or what was built last."""
    from errors import Refused
    from files import digest
    from state import State

    state, kept = State.read(folder), folder / "tanada"
    if options.tanada is None and state is not None and kept.exists():
        content = kept.read_bytes()
        if digest(content) == state.settings["program"]:
            return content
    named = options.tanada or os.environ.get("TANADA_BIN") or str(ROOT / "target/release/tanada")
    program = shutil.which(named)
    if program is None:
        raise Refused(f"there is no program `{named}`; run `cargo build --release` or use `--tanada PATH`")
    return Path(program).read_bytes()


def openings(board, first, count):
    """Some balanced openings of scripts/lab/openings, from the pair `first` on, or None if there are none."""
    ending = {"classic": "", "dense": "d"}.get(board["setup"])
    path = ROOT / "scripts/lab/openings" / f"{board['size']}{ending}.txt"
    if ending is None or not path.exists():
        return None
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [lines[(first - 1 + i) % len(lines)] for i in range(count)]


def learn(options, folder):
    """Runs or continues the loop in a locked folder."""
    import plan as plans
    import progress
    import trial
    from errors import Refused
    from files import digest, replace
    from loop import Loop, newest_network, range_networks
    from state import Journal, State

    from tanada.cluster import connect

    if options.device == "cuda":
        import torch

        if not torch.cuda.is_available():
            raise Refused("PyTorch finds no GPU; use `--device cpu`")
    plan = plans.read(options.plan)
    plan["last"] = options.rounds or plan["settings"]["rounds"]
    program = program_of(options, folder)
    options.openings = openings
    options.threads = options.threads or os.cpu_count()
    start = None
    if options.start is not None:
        try:
            start = Path(options.start).read_bytes()
        except OSError as error:
            raise Refused(f"cannot read `{options.start}`: {error.strerror}") from None
        plans.check_network(plan, options.start, start)
    settings = {
        "seed": options.seed, "from": None if start is None else digest(start),
        "program": digest(program), "plan": plan["settings"], "boards": plan["boards"],
    }
    if State.read(folder) is None:
        # What cannot be played would bind the folder to settings that no run can have.
        trial.play(plan, program, start, options.nice)
    state = State.begin(folder, settings)
    # A copy, so that a new build does not change a run.
    kept = folder / "tanada"
    if not kept.exists() or kept.read_bytes() != program:
        replace(kept, program)
    kept.chmod(0o755)
    options.program = str(kept)
    if start is not None and "from" not in state.content:
        replace(folder / "networks/000.txt", start)
        state.content["from"] = "networks/000.txt"
        state.save()
    with progress.display(plan) as display, connect(options.scheduler, options.workers) as workers:
        Loop(folder, plan, state, Journal(folder), options, workers, display).run()
    result = newest_network(state)
    print("no network of all boards was accepted" if result is None else folder / result)
    for name in range_networks(state):
        print(folder / name)


def interrupt(*_):
    raise KeyboardInterrupt


def report(folder):
    """Writes the report of a run that may be unfinished. Returns the exit status."""
    import report as reports
    from errors import Refused
    from state import State, locked

    if State.read(folder) is None:
        raise Refused(f"`{folder}` has no run")
    # Whoever holds the lock writes the report.
    with locked(folder):
        reports.write(folder, State.read(folder), print)
    return 0


def run(options, folder):
    """Locks the folder, and learns in it. Returns the exit status."""
    from errors import Damaged, Stop
    from state import locked

    from tanada.cluster import ClusterError

    with locked(folder):
        signal.signal(signal.SIGTERM, interrupt)
        try:
            learn(options, folder)
            return 0
        except Damaged:
            raise
        except (Stop, ClusterError, OSError) as stop:
            return failed(f"{stop}; the same command continues")
        except KeyboardInterrupt:
            return failed("interrupted; the same command continues", 130)


def failed(sentence, status=1):
    print(f"learn: {sentence}", file=sys.stderr)
    return status


def main(words=None, fit=None):
    """Runs the command line. Tests replace the fit."""
    made = parser()
    options = made.parse_args(words)
    options.fit = fit or [sys.executable, str(ROOT / "scripts/learn/fit.py")]
    if sys.version_info < (3, 11):
        made.error("Python 3.11 or newer is needed")
    if options.scheduler and options.workers is not None:
        made.error("`--workers` and `--scheduler` exclude each other")
    if options.folder is None and not options.show_plan:
        made.error("there is no FOLDER: expected the folder of the run")
    import plan as plans
    from errors import Damaged, Refused

    try:
        if options.show_plan:
            print(plans.toml(plans.read(options.plan)), end="")
            return 0
        folder = Path(options.folder).absolute()
        if options.report:
            return report(folder)
        needed = ["distributed"] if fit else ["distributed", "rich", "torch", "numpy", "matplotlib"]
        if missing := missing_packages(needed):
            install = f"{sys.executable} -m pip install -r scripts/learn/requirements.txt"
            raise Refused(f"there is no package `{missing[0]}`; run: {install}")
        return run(options, folder)
    except Refused as refused:
        made.error(str(refused))
    except Damaged as damaged:
        return failed(f"{damaged}; restore it from a copy, or use another folder")
    except OSError as error:
        return failed(error if error.filename is None else f"cannot use `{error.filename}`: {error.strerror}")
    except KeyboardInterrupt:
        return failed("interrupted", 130)


if __name__ == "__main__":
    sys.exit(main())
