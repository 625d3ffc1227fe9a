"""Starts the bot with a configuration for the stand-in, and ends it in the ways in which bots end."""

import json
import signal
import subprocess
import threading
from pathlib import Path


class BotProcess:
    """`tanada abstract-play`, configured in a folder. Its log is kept over restarts."""

    def __init__(self, program, folder, stand_in, policy=None, key=True):
        self.program, self.folder, self.stand_in = program, Path(folder), stand_in
        self.log_path = self.folder / "log"
        self.process = None
        self.restarts = 0
        self.lock = threading.Lock()
        self.secret = self.folder / "secret"
        self.secret.touch(mode=0o600)
        self.secret.write_text(stand_in.client_secret + "\n")
        settings = {
            "listen": "127.0.0.1:0",
            "client_id": stand_in.client_id,
            "client_secret_file": "secret",
            "token_url": stand_in.url("token"),
            "scope": stand_in.scope,
            "query_url": stand_in.url("query"),
            "state": "state",
        }
        if key:
            settings["public_key"] = stand_in.public_key()
        else:
            settings["public_key_url"] = stand_in.url("ap-public-key.txt")
        lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
        lines += ["[policy]", *(f"{name} = {json.dumps(value)}" for name, value in (policy or {}).items())]
        self.config = self.folder / "bot.toml"
        self.config.write_text("\n".join(lines) + "\n")

    def start(self):
        with open(self.log_path, "ab") as log:
            command = [self.program, "abstract-play", "--config", self.config]
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on http://"):
            self.process.wait()
            raise RuntimeError(f"the bot does not start: {line}{self.log_path.read_text()[-500:]}")
        self.stand_in.register(line.split()[-1])

    def kill(self):
        """Kills the bot as the system does when it runs out of memory, and starts it again."""
        with self.lock:
            self.end(signal.SIGKILL)
            self.start()
            self.restarts += 1

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        status = self.process.wait(timeout=60)
        self.process.stdout.close()
        return status

    def log(self):
        # The bot may be writing its last line.
        lines = self.log_path.read_text().rpartition("\n")[0].splitlines()
        return [json.loads(line) for line in lines]
