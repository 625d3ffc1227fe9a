"""Random lines for scripts/check/strict_client.py: valid commands, invalid commands, and nonsense."""

import re

from strict_model import COLOURS, name

SIZES = [5, 6, 7, 8, 9]
LAST_ID = 2**31 - 1
# The commands whose answers the client can check.
COMMANDS = """protocol_version name version cputime gomill-cpu_time gogui-interrupt gogui-rules_game_id clear_cache kata-list-params
gogui-analyze_commands tanada-evaluation known_command komi boardsize clear_board play gogui-play_sequence genmove
reg_genmove undo gg-undo tanada-leave showboard gogui-rules_board gogui-rules_board_size gogui-rules_side_to_move
gogui-rules_legal_moves tanada-legal_points gogui-rules_final_result final_score gogui-rules_captured_count
final_status_list gogui-setup set_position gogui-setup_player gogui-rules_board_gfx tanada-root tanada-bounded
time_settings time_left tanada-param kata-get-param help list_commands""".split()


class Chooser:
    """Chooses random lines."""

    def __init__(self, chance):
        self.chance = chance

    def pick(self, *things):
        return self.chance.choice(things)

    def vertex(self, board):
        return name((self.chance.randrange(board.size), self.chance.randrange(board.size)))

    def colour(self, board):
        word = self.pick(board.to_move, board.to_move, *"bw", *"bwrg")
        return self.pick(word, word, COLOURS[word], COLOURS[word].upper(), word.upper())

    def legal(self, board):
        legal = sorted(board.legal(board.to_move))
        return name(self.chance.choice(legal)) if legal else "pass"

    def setup(self, board):
        count = self.chance.randrange(0, 8)
        stones = [f"{self.pick(*'bbbwwwrg')} {self.vertex(board)}" for _ in range(count)]
        return " ".join(stones)

    def number(self):
        return self.pick("0", "1", "2", "3", "5", "6.5", "-1", "1e3", "x", "9999999999", "nan", "", "0.5", "60")

    def arguments(self, command, game):
        board = game.board
        if command == "play":
            move = self.pick(self.vertex(board), self.vertex(board).lower(), "pass", "null", "Z9", "I5", "A0", "")
            return f"{self.colour(board)} {move}"
        if command == "gogui-play_sequence":
            after, moves = game.copy(), []
            for _ in range(self.chance.randrange(0, 6)):
                colour, vertex = after.board.to_move, self.legal(after.board)
                moves.append(f"{colour} {vertex}")
                if not after.play(colour, after.board.vertex(vertex) or "pass"):
                    break
            return " ".join(moves + self.chance.choices([f"b {self.vertex(board)}", "w", ""], [1, 1, 4]))
        if command in ("genmove", "reg_genmove", "tanada-bounded", "tanada-legal_points", "gogui-setup_player", "tanada-leave"):
            return self.pick(self.colour(board), self.colour(board), self.colour(board), "", "x")
        if command in ("gogui-setup", "set_position"):
            return self.setup(board) + self.pick("", "", "", " b", " w K19")
        if command == "boardsize":
            return self.pick("5", "6", "7", "8", "9", "3", "22", "-9", "99999999999999999999", "", "x", "7.5")
        if command == "gg-undo":
            return self.pick("", "1", "2", "3", "5", "-1", "x", "4294967296", "1000000")
        if command == "time_settings":
            return f"{self.number()} {self.number()} {self.number()}"
        if command == "time_left":
            return f"{self.colour(board)} {self.number()} {self.number()}"
        if command == "tanada-root":
            return self.pick(self.vertex(board), self.vertex(board), "", "Z1")
        if command == "tanada-param":
            return self.pick("", "setup_echo", "setup_echo 0", "setup_echo 1", "setup_echo true", "setup_echo false", "setup_echo 2", "speed", "resign 2", "a b c")
        if command == "kata-get-param":
            return self.pick("", "setup_echo", "maxVisits")
        if command == "final_status_list":
            return self.pick("alive", "dead", "seki", "", "Alive", "dame")
        if command in ("known_command", "help"):
            return self.pick("", *COMMANDS, "frob", "Play", "heatmap", "stop_it")
        return self.pick("", "", "", self.number(), "b A1 x")

    def line(self, game):
        """A command, valid or not, or nonsense."""
        board = game.board
        kind = self.chance.random()
        if kind < 0.35:
            return f"play {board.to_move} {self.legal(board)}"
        if kind < 0.40:
            return f"{self.pick('genmove', 'genmove', 'reg_genmove')} {board.to_move}"
        if kind < 0.46 and board.winner():
            return self.pick("clear_board", f"boardsize {self.pick(*SIZES)}", "gg-undo 3")
        if kind < 0.88:
            # Commands that start a new game are rarer, or no game would last.
            command = self.pick(*COMMANDS)
            if command in ("clear_board", "boardsize", "gogui-setup", "set_position", "tanada-leave") and self.pick(True, True, False):
                command = self.pick("showboard", "gogui-rules_board", "gogui-rules_legal_moves", "undo")
            return f"{command} {self.arguments(command, game)}"
        if kind < 0.92:
            return self.pick("frob", "Play b A1", "PLAY b A1", "quit_", "-1 name", "2147483648 name", "genmove_b", "", "7", "? x", "= 3", "name\u00a0", "list_commands\u3000")
        if kind < 0.93:
            return "gogui-play_sequence" + " b A1" * self.chance.randrange(1, 20000)
        letters = "abcdefghiABC0123456789 _-=?\\/\"'`\u00e9\u4e2d~!"
        return "".join(self.chance.choices(letters, k=self.chance.randrange(0, 40)))

    def bytes(self, text):
        """The bytes of the line as a careless client would send it."""
        if self.chance.random() < 0.5:
            ids = [0, 1, self.chance.randrange(1000), self.chance.randrange(LAST_ID + 1), LAST_ID]
            text = f"{self.pick('', '', '0', '00')}{self.chance.choice(ids)} {text}"
        if self.chance.random() < 0.2:
            text = re.sub(" ", lambda _: self.pick(" ", "  ", "\t", " \t "), text)
        if self.chance.random() < 0.1:
            text = self.pick(" ", "\t", "   ") + text + self.pick(" ", "\t", "")
        if self.chance.random() < 0.1:
            text += self.pick("#", " # quit", "# interrupted", "#\t= 1", "# \u00e9")
        line = text.encode()
        if self.chance.random() < 0.1:
            at = self.chance.randrange(len(line) + 1)
            line = line[:at] + self.pick(b"\x00", b"\x07", b"\x1b", b"\x7f", b"\r", b"\x0b\x0c") + line[at:]
        if self.chance.random() < 0.02:
            line += self.pick(b" \xff", b" \xc3\x28", b" \xf0\x9f")
        if self.chance.random() < 0.05:
            line = self.pick(b"", b"# comment", b"\t# 3 quit", b"   ", b"\x00\x01") + b"\n" + line
        return line + self.pick(b"\n", b"\n", b"\n", b"\r\n")
