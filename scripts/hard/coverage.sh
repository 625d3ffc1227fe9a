#!/usr/bin/env bash
# Measures which lines the tests run, and prints the share for each module (cargo-llvm-cov).
# Usage: scripts/hard/coverage.sh [--report | --files]
#
#   --report    print the table of the last run again
#   --files     the same for each file
#
# All tests run once, and the programs that they start count too. A failed test is printed, but neither ends the run nor
# changes the exit status. The build is apart from the usual one, below
# target/llvm-cov-target, and takes several minutes.
#
# Needs cargo-llvm-cov and LLVM's tools: cargo install --locked --root target/tools cargo-llvm-cov,
# rustup component add llvm-tools
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
cd "$(dirname "$0")/../.."

run=true depth=1
case ${1:-} in
    "") ;;
    --report) run=false ;;
    --files) run=false depth=9 ;;
    *)
        echo "coverage.sh: unexpected argument \`$1\`; \`--help\` lists the options" >&2
        exit 2
        ;;
esac
PATH=$PWD/target/tools/bin:$PATH
if ! command -v cargo-llvm-cov >/dev/null; then
    echo "coverage.sh: there is no \`cargo-llvm-cov\`; cargo install --locked --root target/tools cargo-llvm-cov" >&2
    exit 2
fi
# The regions of the code come with the instrumentation; debug information only makes the build larger.
export CARGO_PROFILE_DEV_DEBUG=none
if $run; then
    # Counts of earlier runs would be added.
    cargo llvm-cov clean --workspace
    cargo llvm-cov test --locked --no-report --ignore-run-fail --lib --bins --tests >&2
fi
cargo llvm-cov report --failure-mode all --json --summary-only | DEPTH=$depth python3 -c '
import collections, json, os, sys

depth = int(os.environ["DEPTH"])
modules = collections.defaultdict(lambda: [0, 0])
for file in json.load(sys.stdin)["data"][0]["files"]:
    below = os.path.relpath(file["filename"], "src")
    if below.startswith(".."):
        continue
    lines = file["summary"]["lines"]
    for name in ("/".join(below.split("/")[:depth]), "all"):
        modules[name][0] += lines["covered"]
        modules[name][1] += lines["count"]
print("%-40s %7s %8s %8s" % ("module", "lines", "covered", "share"))
for name, (covered, count) in sorted(modules.items(), key=lambda entry: (entry[0] == "all", entry[0])):
    print("%-40s %7d %8d %6.1f %%" % (name, count, covered, 100 * covered / max(count, 1)))
'
