//! Positions as text, in setup files and in the answer to `showboard`.

use crate::game::{Game, Outcome};
use crate::taratibu::piece::{self, KINDS, Kind};
use crate::taratibu::position::{COLOURS, LAST_TURN, Position};
use crate::taratibu::square::{SIDE, Square};
use crate::util::quote::shorten;
use crate::variant::BoardView;

/// The most faults reported for one text.
const MOST_FAULTS: usize = 10;

/// The contents of the lines, before they become a position.
#[derive(Default)]
struct Reader {
    rows: Vec<Vec<char>>,
    row_count: usize,
    /// The turn and its steps left.
    turn: Option<(u8, u8)>,
    spent: Option<Vec<Square>>,
    faults: Vec<String>,
}

impl Position {
    /// Reads a position. The text is `start`, or
    /// - seven rows, rank 7 first, with the letters `s e b a f m d c t h`, upper case for White, and
    ///   `.` for an empty square;
    /// - a line such as `turn 3, white to move, 2 steps left`; only the number of the turn is
    ///   required, and on turn 1 the line may be missing;
    /// - a line such as `spent 31 44`: the squares of the pieces that captured in this turn.
    ///
    /// Spaces, `|`, digits in rows, and lines of `+` and `-` are ignored. An empty cell between two
    /// `|` is an empty square. `/` is a line end.
    ///
    /// If the side to move has no step, its turn passes, as in a game.
    ///
    /// # Errors
    /// Everything that is wrong, up to ten faults.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim().eq_ignore_ascii_case("start") {
            return Ok(Self::new_game());
        }
        let mut reader = Reader::default();
        for line in text.split(['\n', '/']) {
            let lower = line.trim().to_ascii_lowercase();
            // A hyphen here is an error, so it must not split the line.
            if lower.starts_with("turn") || lower.starts_with("spent") {
                reader.read(line.trim());
                continue;
            }
            for part in line.split(['+', '-']) {
                reader.read(part.trim());
            }
        }
        reader.finish()
    }

    /// The position in the form that [`Position::parse`] reads: rows, turn, spent squares.
    pub fn to_text(&self) -> String {
        format!("{}\n{}\n", self.rows().join("\n"), self.moment())
    }

    /// The position in the form that [`Position::parse`] reads, on one line.
    pub fn to_line(&self) -> String {
        self.to_text().trim_end().replace('\n', " / ")
    }

    /// The board with files and ranks on all sides, the turn and the spent squares. No line is
    /// empty.
    pub fn show(&self) -> String {
        drawn(self.rows()) + &self.moment()
    }

    fn rows(&self) -> Vec<String> {
        let view: &dyn BoardView = self;
        view.rows()
    }

    /// The lines with the turn and the spent squares.
    fn moment(&self) -> String {
        let turn = self.turn();
        let colour = COLOURS[self.mover()];
        match self.outcome() {
            Some(Outcome::Winner(seat)) => {
                return format!("turn {turn}, {} has won", COLOURS[seat.index() & 1]);
            }
            Some(Outcome::Draw) => return format!("turn {turn}, drawn"),
            None => {}
        }
        let steps = self.steps_left();
        let plural = if steps == 1 { "" } else { "s" };
        let mut text = format!("turn {turn}, {colour} to move, {steps} step{plural} left");
        let spent: Vec<String> = self.spent().iter().map(Square::to_string).collect();
        if !spent.is_empty() {
            text.push_str("\nspent ");
            text.push_str(&spent.join(" "));
        }
        text
    }
}

/// Rows of a board, from the top, with files and ranks on all sides.
pub(super) fn drawn(rows: impl IntoIterator<Item = String>) -> String {
    let files = "   1 2 3 4 5 6 7\n";
    let ranks = (1..=SIDE).rev().zip(rows);
    let rows: String = ranks
        .map(|(rank, row)| format!("{rank}  {row}  {rank}\n"))
        .collect();
    format!("{files}{rows}{files}")
}

impl Reader {
    fn add(&mut self, fault: String) {
        if self.faults.len() < MOST_FAULTS && !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    fn read(&mut self, line: &str) {
        let lower = line.to_ascii_lowercase();
        let mut words = lower
            .split(|c: char| c == ',' || c == ':' || c.is_whitespace())
            .filter(|word| !word.is_empty());
        match words.next() {
            Some("turn") if self.turn.is_none() => self.read_turn(line, words),
            Some("spent") if self.spent.is_none() => self.read_spent(words),
            Some("turn" | "spent") => self.add(format!(
                "`{}` is a second line of its kind: expected one",
                shorten(line, 60)
            )),
            _ => self.read_row(line),
        }
    }

    fn read_turn<'a>(&mut self, line: &str, words: impl Iterator<Item = &'a str>) {
        let mut words = words.peekable();
        let number = |word: &str| word.parse::<u64>().ok();
        let not_a_turn = || {
            format!(
                "invalid turn `{}`: expected, for example, `turn 3, white to move, 2 steps left`",
                shorten(line, 60)
            )
        };
        // After a wrong turn the search for other faults continues.
        self.turn = Some((1, 1));
        let Some(word) = words.next().filter(|w| number(w).is_some()) else {
            return self.add(not_a_turn());
        };
        let Some(turn) = number(word).filter(|n| (1..=u64::from(LAST_TURN)).contains(n)) else {
            let word = shorten(word, 20);
            return self.add(format!("there is no turn `{word}`: expected 1 to 10"));
        };
        let turn = turn as u8;
        let mut steps_left = turn;
        while let Some(word) = words.next() {
            let side = COLOURS.iter().position(|colour| *colour == word);
            if let Some(side) = side {
                let right = usize::from(turn + 1) & 1;
                if side != right {
                    let [right, found] = [right, side].map(|seat| COLOURS[seat]);
                    self.add(format!("turn {turn} belongs to {right}, not to `{found}`"));
                }
                words.next_if_eq(&"to");
                words.next_if_eq(&"move");
            } else if let Some(steps) = number(word) {
                if (1..=u64::from(turn)).contains(&steps) {
                    steps_left = steps as u8;
                } else {
                    let found = shorten(word, 20);
                    self.add(format!(
                        "turn {turn} cannot have `{found}` steps left: expected 1 to {turn}"
                    ));
                }
                words.next_if(|w| *w == "step" || *w == "steps");
                words.next_if_eq(&"left");
            } else {
                return self.add(not_a_turn());
            }
        }
        self.turn = Some((turn, steps_left));
    }

    fn read_spent<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        let mut squares = Vec::new();
        for word in words {
            match Square::parse(word) {
                Some(square) if squares.contains(&square) => {}
                Some(square) => squares.push(square),
                None => self.add(format!(
                    "invalid square `{}`: expected a file and a rank from 1 to 7",
                    shorten(word, 20)
                )),
            }
        }
        self.spent = Some(squares);
    }

    fn read_row(&mut self, line: &str) {
        let kept = |c: &char| !c.is_whitespace() && *c != '|' && !c.is_ascii_digit();
        let mut row: Vec<char> = line.chars().filter(kept).collect();
        if row.is_empty() && !line.contains('|') {
            return;
        }
        if row.len() != SIDE && line.contains('|') {
            // As on the inventor's page, an empty cell is an empty square.
            let cells: Vec<&str> = line.split('|').collect();
            let inner = match cells.len() {
                SIDE => &cells[..],
                n if n > 2 => &cells[1..n - 1],
                _ => &cells[..0],
            };
            let read = |cell: &&str| {
                let kept: Vec<char> = cell.chars().filter(kept).collect();
                if kept.is_empty() { vec!['.'] } else { kept }
            };
            row = inner.iter().flat_map(read).collect();
        }
        self.row_count += 1;
        if row.len() != SIDE {
            let (text, found) = (shorten(line, 40), row.len());
            self.add(format!("the row `{text}` has {found} squares: expected 7"));
        }
        if self.row_count <= SIDE {
            self.rows.push(row);
        }
    }

    fn place(&mut self, position: &mut Position) {
        for (from_top, row) in std::mem::take(&mut self.rows).iter().enumerate() {
            for (file, &c) in row.iter().enumerate() {
                if c == '.' {
                    continue;
                }
                let Some(kind) = Kind::from_letter(c) else {
                    self.add(format!(
                        "unknown letter `{}`: expected `.` or one of {} for black pieces, \
                         upper case for white ones",
                        c.escape_debug(),
                        Kind::LETTERS
                    ));
                    continue;
                };
                let seat = usize::from(c.is_ascii_lowercase());
                if position.alive(seat) & 1 << kind.index() != 0 {
                    let colour = COLOURS[seat];
                    self.add(format!(
                        "{colour} has more than one {kind:?}: expected at most one"
                    ));
                } else if let Some(square) = Square::at(file + 1, SIDE - from_top) {
                    position.put(seat, kind.index(), square.index());
                }
            }
        }
    }

    fn spend(&mut self, position: &mut Position) {
        let mover = position.mover();
        let colour = COLOURS[mover];
        let mut kinds = 0u16;
        for square in self.spent.take().unwrap_or_default() {
            match position.piece_at(square) {
                Some((seat, kind)) if seat.index() == mover => kinds |= 1 << kind.index(),
                _ => self.add(format!(
                    "the piece on `{square}` cannot be spent: there is no {colour} piece"
                )),
            }
        }
        let made = usize::from(position.turn() - position.steps_left());
        let missing = KINDS - position.alive(1 - mover).count_ones() as usize;
        let spent = kinds.count_ones() as usize;
        // Each capture takes a step and a piece.
        let most = made.min(missing);
        if spent > most {
            self.add(format!(
                "{spent} pieces cannot be spent: {colour} can have made at most {most} captures \
                 in this turn"
            ));
        }
        position.spend(kinds);
    }

    fn finish(mut self) -> Result<Position, String> {
        if self.row_count != SIDE {
            self.add(format!(
                "the board has {} rows: expected 7, rank 7 first",
                self.row_count
            ));
        }
        let (turn, steps_left) = self.turn.unwrap_or((1, 1));
        let mut position = Position::empty(turn, steps_left);
        // Faults of the pieces are reported only for a complete board.
        let whole = self.faults.is_empty();
        self.place(&mut position);
        if whole {
            self.spend(&mut position);
            for (seat, colour) in COLOURS.iter().enumerate() {
                if piece::is_lost(position.alive(1 - seat)) {
                    self.add(format!("{colour} has won already"));
                }
            }
        }
        if self.faults.is_empty() {
            position.pass_finished_turns();
            if position.outcome().is_some() {
                self.add("nobody can step in the turns that are left".to_string());
            }
        }
        if self.faults.is_empty() {
            Ok(position)
        } else {
            Err(self.faults.join("; "))
        }
    }
}

#[cfg(test)]
mod tests;
