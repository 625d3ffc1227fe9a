"""The examples of python/README.md run as they stand."""

import re

import tanada
from conftest import ROOT

BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "python" / "README.md").read_text(), re.DOTALL)


def test_the_examples_run_one_after_the_other():
    assert len(BLOCKS) >= 4
    names = {"__name__": "__main__"}
    for block in BLOCKS:
        exec(block, names)
    assert names["winner"] in ("black", "white")


def test_every_error_is_in_the_table():
    text = (ROOT / "python" / "README.md").read_text()
    for name in tanada.__all__:
        found = getattr(tanada, name)
        if isinstance(found, type) and issubclass(found, tanada.TanadaError):
            assert f"{name}`" in text, name
