"""A stand-in for the server Abstract Play: it signs, challenges, keeps games and takes moves.

It shares nothing with the engine: the rules are those of scripts/check/strict_model.py. A script of faults makes it
as troublesome as a real network: it delays, repeats, damages and reorders its messages, and answers moves with 401,
429 and 500, before or after it has made them.
"""

import base64
import http.client
import json
import random
import secrets
import sys
import threading
import time
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "check"))
from strict_model import Board  # noqa: E402

BOARDS = {7: "#board", 11: "size-11", 15: "size-15", 19: "size-19"}
COLUMNS = "abcdefghijklmnopqrs"
SECONDS = 5  # how long a message may take


def dense(size):
    """Every second point from a1; the first player is black and a1 is the second player's."""
    places = range(0, size, 2)
    return {(x, y): "w" if (x // 2 + y // 2) % 2 == 0 else "b" for x in places for y in places}


def word(point):
    return f"{COLUMNS[point[0]]}{point[1] + 1}"


@dataclass
class Game:
    """A game of the bot against a player who plays at random."""

    id: str
    size: int
    bot: str  # "b" or "w"
    board: Board
    moves: list = field(default_factory=list)
    arrivals: dict = field(default_factory=dict)  # how often a move for a ply arrived
    answered: dict = field(default_factory=dict)  # when a ply's message was accepted and when its move came
    refused: list = field(default_factory=list)  # moves that were not taken, with the reason
    over: threading.Event = field(default_factory=threading.Event)

    def rounds(self):
        return [self.moves[i : i + 2] for i in range(0, len(self.moves), 2)]

    def play(self, point):
        self.board.play(point)
        self.moves.append(word(point))

    def winner(self):
        return self.board.winner()


class Faults:
    """What goes wrong, each with its probability; nothing by default."""

    KINDS = ("delay", "repeat", "damage", "old", "unauthorized", "busy", "broken", "broken_after", "hang_up_after")

    def __init__(self, seed=0, **shares):
        unknown = set(shares) - set(self.KINDS)
        assert not unknown, unknown
        self.random, self.shares, self.lock = random.Random(seed), shares, threading.Lock()
        self.happened = dict.fromkeys(self.KINDS, 0)

    def strike(self, kind):
        with self.lock:
            if self.random.random() >= self.shares.get(kind, 0):
                return False
            self.happened[kind] += 1
            return True


class StandIn:
    """The server. `register` tells it where the bot is."""

    def __init__(self, faults=None, seed=1):
        self.key = Ed25519PrivateKey.generate()
        self.client_id, self.client_secret = "bot-1", secrets.token_urlsafe(24)
        self.scope = "stand-in/move"
        self.faults = faults or Faults()
        self.random = random.Random(seed)
        self.games, self.tokens = {}, {}
        self.token_life = 3600
        self.tokens_given = self.keys_given = 0
        self.lock = threading.RLock()
        self.bot = None
        self.closed = False
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    # Where it is.

    def url(self, path):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{path}"

    def public_key(self):
        form = serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
        return self.key.public_key().public_bytes(*form).decode()

    def register(self, address):
        self.bot = address

    def close(self):
        self.closed = True
        self.server.shutdown()
        self.server.server_close()

    # What it sends.

    def signed(self, body, when=None, nonce=None):
        """The headers of a message."""
        when = str(int(when if when is not None else time.time()))
        nonce = nonce or str(uuid.uuid4())
        signature = self.key.sign(f"{when}.{nonce}.".encode() + body)
        return {
            "Content-Type": "application/json",
            "X-Signature-Timestamp": when,
            "X-Signature-Nonce": nonce,
            "X-Signature": base64.b64encode(signature).decode(),
        }

    def post(self, body, headers, seconds=SECONDS):
        """Sends a message as it is; returns the status, or 0 if there was no answer, and the body."""
        try:
            parts = urllib.parse.urlsplit(self.bot)
            connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=seconds)
            connection.request("POST", "/bot", body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError as error:
            return 0, str(error)
        except http.client.HTTPException as error:
            return 0, repr(error)
        finally:
            connection.close()

    def get(self, path):
        with urllib.request.urlopen(f"{self.bot}{path}", timeout=SECONDS) as answer:
            return answer.status, json.loads(answer.read())

    def challenge(self, size=7, **changes):
        """Sends a challenge; returns whether it was accepted."""
        message = {
            "verb": "challenge",
            "metaGame": "tanbo",
            "variants": [BOARDS[size]] if size in BOARDS else [f"size-{size}"],
            "clockStart": 72,
            "clockInc": 24,
            "clockMax": 168,
            "challengers": ["ann"],
        }
        body = json.dumps({**message, **changes}).encode()
        return self.post(body, self.signed(body))[0] == 200

    def message(self, game, moves=None):
        rounds = game.rounds() if moves is None else moves
        return json.dumps(
            {
                "verb": "move",
                "metaGame": "tanbo",
                "variants": [BOARDS[game.size]] if game.size != 7 or self.random.random() < 0.5 else [],
                "gameid": game.id,
                "clockCurr": 48.5,
                "numPlayers": 2,
                "moves": rounds,
                "context": [],
            }
        ).encode()

    def new_game(self, size, bot="b"):
        """A game in which it is the bot's turn, of which the bot does not know yet."""
        game = Game(str(uuid.uuid4()), size, bot, Board(size, dense(size)))
        with self.lock:
            self.games[game.id] = game
        if bot == "w":
            self.reply(game)
        game.answered[len(game.moves)] = [time.time(), None]
        return game

    def start(self, size, bot="b"):
        """Begins a game of a challenge that the bot has accepted."""
        game = self.new_game(size, bot)
        self.tell(game)
        return game

    def publish(self, game):
        """A finished game as the server publishes it."""
        won = [game.winner() == side for side in "bw"]
        return {
            "header": {
                "game": {"name": "Tanbo", "variants": [BOARDS[game.size]]},
                "site": {"name": "Stand-in", "gameid": game.id},
                "players": [{"name": name, "result": int(is_won)} for name, is_won in zip(("Ann", "Bo"), won)],
                "date-end": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            },
            "moves": game.rounds(),
        }

    def tell(self, game):
        """Sends the bot its turn, with the faults of the network; until the bot has accepted it."""
        with self.lock:
            body, ply = self.message(game), len(game.moves)
            old = self.message(game, game.rounds()[:-1]) if len(game.moves) > 2 else None
        if self.faults.strike("delay"):
            time.sleep(self.random.uniform(0.05, 0.5))
        if self.faults.strike("damage"):
            at = self.random.randrange(len(body))
            damaged = body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]
            status, _ = self.post(damaged, self.signed(body))
            assert status in (0, 401), f"a damaged message got {status}"
        headers = self.signed(body)
        while not self.closed:
            game.answered[ply] = [time.time(), None]
            status, text = self.post(body, headers)
            if status == 202:
                break
            # The bot was restarted in between, or has already seen the nonce and died before its answer.
            assert status in (0, 401, 503), f"a turn got {status}: {text}"
            time.sleep(0.1)
            headers = self.signed(body)
        if self.faults.strike("repeat"):
            status, _ = self.post(body, headers)
            assert status in (0, 401, 202), f"a repeated message got {status}"
            status, _ = self.post(body, self.signed(body))
            assert status in (0, 202), f"a message that was signed again got {status}"
        if old is not None and self.faults.strike("old"):
            status, _ = self.post(old, self.signed(old))
            assert status in (0, 202), f"an old message got {status}"

    # What it gets.

    def token(self, form):
        expected = {
            "grant_type": ["client_credentials"],
            "client_id": [self.client_id],
            "client_secret": [self.client_secret],
            "scope": [self.scope],
        }
        if form != expected:
            return 401, {"error": "invalid_client"}
        text = secrets.token_urlsafe(32)
        with self.lock:
            self.tokens_given += 1
            self.tokens[text] = time.time() + self.token_life
        return 200, {"access_token": text, "expires_in": self.token_life, "token_type": "Bearer"}

    def move(self, bearer, message):
        """Takes a move of the bot; returns a status, an answer, and what to do after it was sent."""
        token = bearer.removeprefix("Bearer ")
        with self.lock:
            if self.tokens.get(token, 0) < time.time():
                return 401, {"error": "the token is not valid"}, None
            if self.faults.strike("unauthorized"):
                del self.tokens[token]
                return 401, {"error": "the token is not valid"}, None
            if self.faults.strike("busy"):
                return 429, {"error": "too many requests"}, None
            if self.faults.strike("broken"):
                return 500, {"error": "broken"}, None
            game = self.games.get(message.get("gameid"))
            if message.get("verb") != "move" or message.get("metaGame") != "tanbo" or game is None:
                return 404, {"error": "no such game"}, None
            text, ply = message.get("move"), len(game.moves)
            game.arrivals[ply] = game.arrivals.get(ply, 0) + 1
            points = {word(point): point for point in game.board.legal(game.bot)}
            if game.winner() or game.board.to_move != game.bot or text not in points:
                reason = "over" if game.winner() else "not your turn" if game.board.to_move != game.bot else "illegal"
                game.refused.append((ply, text, reason))
                return 400, {"error": reason}, None
            game.play(points[text])
            game.answered[ply][1] = time.time()
            after = lambda: self.go_on(game)
            if self.faults.strike("broken_after"):
                return 500, {"error": "broken"}, after
            if self.faults.strike("hang_up_after"):
                return None, None, after
            return 200, {"id": game.id, "moves": game.rounds()}, after

    def reply(self, game):
        """The other player's move."""
        with self.lock:
            game.play(self.random.choice(sorted(game.board.legal(game.board.to_move))))

    def go_on(self, game):
        """Plays the other player's moves, and sends the bot its next turn."""
        with self.lock:
            if not game.winner():
                self.reply(game)
            is_over = game.winner() is not None
        if is_over:
            game.over.set()
        else:
            self.tell(game)

    def handler(stand_in):
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def answer(self, status, content):
                body = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                if status == 429:
                    self.send_header("Retry-After", "0")
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                stand_in.keys_given += 1
                self.answer(200, stand_in.public_key().encode())

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path == "/token":
                    return self.answer(*stand_in.token(urllib.parse.parse_qs(body.decode())))
                bearer = self.headers.get("Authorization", "")
                status, content, after = stand_in.move(bearer, json.loads(body))
                try:
                    if status is not None:
                        self.answer(status, content)
                except OSError:
                    pass  # The bot was killed.
                finally:
                    self.close_connection = True
                    if after:
                        threading.Thread(target=after, daemon=True).start()

        return Handler
