"""The options of the scripts that fit a network to samples."""

import argparse
import math
import os
import sys
from pathlib import Path


def number(text):
    """A parser for whole numbers from 0 on."""
    if len(text) > 9 or not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"invalid value `{text[:40]}`: expected at most 9 digits")
    return int(text)


def positive(text):
    """A parser for numbers above 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1000:
        raise argparse.ArgumentTypeError(f"invalid value `{text[:40]}`: expected a number above 0, at most 1000")
    return value


def parser(text, steps, batch, rate, tell):
    """A parser with the common options and these defaults."""
    made = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("samples", nargs="+", help="files of `tanada samples`")
    made.add_argument("--out", required=True, help="file for the weights")
    made.add_argument("--steps", type=number, default=steps, help=f"steps of the fit (default: {steps})")
    made.add_argument("--batch", type=number, default=batch, help=f"positions a step (default: {batch})")
    made.add_argument("--rate", type=positive, default=rate, help=f"highest learning rate (default: {rate})")
    made.add_argument("--tell", type=number, default=tell, help=f"steps between two lines of losses (default: {tell})")
    made.add_argument("--seed", type=number, default=1, help="seed of the random numbers (default: 1)")
    made.add_argument("--threads", type=number, default=1, help="threads of PyTorch (default: 1)")
    return made


def output(options):
    """The file for the weights, after a check of the options."""
    program = Path(sys.argv[0]).name
    for name in ("steps", "batch", "tell", "threads"):
        if getattr(options, name) == 0:
            sys.exit(f"{program}: `--{name}` is 0: expected at least 1")
    out = Path(options.out)
    if out.is_dir() or not os.access(out.parent, os.W_OK):
        sys.exit(f"{program}: `{out}` cannot be written")
    return out


def check_loss(loss, step):
    """Ends a fit whose loss is no number any more."""
    if not loss.isfinite():
        sys.exit(f"{Path(sys.argv[0]).name}: the loss is not finite at step {step + 1}; a smaller `--rate` may help")


def unreadable(error):
    """Ends with a sentence about a file that cannot be read."""
    sys.exit(f"{Path(sys.argv[0]).name}: `{error.filename}` cannot be read: {error.strerror}")
