"""Files that a kill leaves whole."""

import hashlib
import os
from pathlib import Path


def digest(content):
    return hashlib.sha256(content).hexdigest()


def replace(path, content):
    """Writes a file so that a kill leaves the old or the new content."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with open(part, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
