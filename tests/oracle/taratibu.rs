//! A naive Taratibu rules oracle: a map of pieces and nothing clever.
//!
//! Written from the rules text alone, shares no code with the library, and exists to be compared
//! with. Squares are `(file, rank)`, both from 1, with `(1, 1)` for 11, the lower left corner.

use std::collections::{BTreeMap, BTreeSet};

use super::SplitMix;

/// A square: file and rank, both from 1.
pub(crate) type Square = (i32, i32);

/// From and to.
pub(crate) type Step = (Square, Square);

/// The last turn.
pub(crate) const TURNS: u32 = 10;

/// The two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Side {
    /// Plays the odd turns.
    White,
    /// Plays the even turns.
    Black,
}

impl Side {
    /// Both, in the order of play.
    pub(crate) const ALL: [Side; 2] = [Side::White, Side::Black];

    /// The other player.
    pub(crate) fn other(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }

    /// The whole word, in lower case.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Side::White => "white",
            Side::Black => "black",
        }
    }
}

/// What a piece belongs to; each order is one way to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Order {
    /// Two squares along a row or column.
    Aquatic,
    /// One square along a diagonal.
    Basic,
    /// One square along a row or column.
    Human,
    /// The knight's leap of chess.
    Quadruped,
    /// Two squares along a diagonal.
    Winged,
}

impl Order {
    /// All orders by name.
    pub(crate) const ALL: [Order; 5] = [
        Order::Aquatic,
        Order::Basic,
        Order::Human,
        Order::Quadruped,
        Order::Winged,
    ];

    /// Whoever loses the Man and every piece of one of these orders loses the game.
    pub(crate) const DECISIVE: [Order; 3] = [Order::Aquatic, Order::Quadruped, Order::Winged];

    /// How far its steps go along the two axes, the shorter way first.
    pub(crate) fn lengths(self) -> (i32, i32) {
        match self {
            Order::Human => (0, 1),
            Order::Basic => (1, 1),
            Order::Aquatic => (0, 2),
            Order::Quadruped => (1, 2),
            Order::Winged => (2, 2),
        }
    }
}

/// The ten kinds, by the letter of White's piece.
pub(crate) const KINDS: [(char, [Order; 2]); 10] = [
    ('A', [Order::Human, Order::Winged]),
    ('B', [Order::Basic, Order::Winged]),
    ('C', [Order::Aquatic, Order::Human]),
    ('D', [Order::Aquatic, Order::Winged]),
    ('E', [Order::Basic, Order::Quadruped]),
    ('F', [Order::Basic, Order::Aquatic]),
    ('H', [Order::Human, Order::Quadruped]),
    ('M', [Order::Basic, Order::Human]),
    ('S', [Order::Quadruped, Order::Winged]),
    ('T', [Order::Aquatic, Order::Quadruped]),
];

/// The orders of a kind.
pub(crate) fn orders(kind: char) -> [Order; 2] {
    KINDS.into_iter().find(|&(k, _)| k == kind).unwrap().1
}

/// A piece: whose it is and its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Piece {
    /// The owner.
    pub(crate) side: Side,
    /// The letter in upper case.
    pub(crate) kind: char,
}

impl Piece {
    /// The piece of a letter, White's in upper case.
    fn from_letter(letter: char) -> Option<Piece> {
        let kind = letter.to_ascii_uppercase();
        let side = if letter == kind {
            Side::White
        } else {
            Side::Black
        };
        let known = KINDS.iter().any(|&(k, _)| k == kind);
        known.then_some(Piece { side, kind })
    }

    fn letter(self) -> char {
        match self.side {
            Side::White => self.kind,
            Side::Black => self.kind.to_ascii_lowercase(),
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// This side won.
    Won(Side),
    /// Nobody won.
    Drawn,
}

/// A position.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Board {
    /// The pieces still in the game.
    pub(crate) pieces: BTreeMap<Square, Piece>,
    /// Where the pieces stand that captured in this turn.
    pub(crate) spent: BTreeSet<Square>,
    /// The number of the turn from 1; 11 after the last.
    pub(crate) turn: u32,
    /// Steps left in this turn, the next one counted.
    pub(crate) steps_left: u32,
}

/// All squares, row by row from 11.
pub(crate) fn squares() -> Vec<Square> {
    (1..=7)
        .flat_map(|rank| (1..=7).map(move |file| (file, rank)))
        .collect()
}

/// Where a piece of this kind gets to in one step on an empty board, sorted.
pub(crate) fn targets(kind: char, from: Square) -> Vec<Square> {
    let mut targets = squares();
    targets.retain(|&to| {
        let (dx, dy) = ((to.0 - from.0).abs(), (to.1 - from.1).abs());
        let lengths = (dx.min(dy), dx.max(dy));
        orders(kind).iter().any(|order| order.lengths() == lengths)
    });
    targets.sort();
    targets
}

impl Board {
    /// The start of the game.
    pub(crate) fn new_game() -> Board {
        Board::parse(
            "dmfabes\nhtc....\n.......\n.......\n.......\n....CTH\nSEBAFMD\n\
             turn 1, white to move, 1 step left",
        )
    }

    /// The side whose turn it is.
    pub(crate) fn to_move(&self) -> Side {
        match self.turn % 2 {
            1 => Side::White,
            _ => Side::Black,
        }
    }

    /// Whether a piece is still in the game.
    pub(crate) fn has(&self, side: Side, kind: char) -> bool {
        self.pieces.values().any(|&p| p == Piece { side, kind })
    }

    /// The kinds that a side has lost, by letter.
    pub(crate) fn lost(&self, side: Side) -> Vec<char> {
        let kinds = KINDS.iter().map(|&(kind, _)| kind);
        kinds.filter(|&kind| !self.has(side, kind)).collect()
    }

    /// Whether a side is beaten: its Man is gone, and all of a decisive order.
    pub(crate) fn beaten(&self, side: Side) -> bool {
        let gone = |order: Order| {
            KINDS
                .iter()
                .filter(|(_, orders)| orders.contains(&order))
                .all(|&(kind, _)| !self.has(side, kind))
        };
        !self.has(side, 'M') && Order::DECISIVE.into_iter().any(gone)
    }

    /// How the game ended, `None` while it runs.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        for side in Side::ALL {
            if self.beaten(side.other()) {
                return Some(Outcome::Won(side));
            }
        }
        (self.turn > TURNS).then_some(Outcome::Drawn)
    }

    /// The legal steps of the side to move, sorted.
    pub(crate) fn legal_steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        if self.outcome().is_some() {
            return steps;
        }
        let own = |square| {
            self.pieces
                .get(&square)
                .filter(|p| p.side == self.to_move())
        };
        for (&from, piece) in &self.pieces {
            if own(from).is_some() && !self.spent.contains(&from) {
                for to in targets(piece.kind, from) {
                    if own(to).is_none() {
                        steps.push((from, to));
                    }
                }
            }
        }
        steps
    }

    /// Plays a legal step, and ends the turn if nothing is left of it.
    ///
    /// # Panics
    /// If the step is not legal.
    pub(crate) fn play(&mut self, step: Step) -> Option<Piece> {
        assert!(
            self.legal_steps().contains(&step),
            "illegal step {}\n{}",
            name(step),
            self.to_text()
        );
        let (from, to) = step;
        let piece = self.pieces.remove(&from).unwrap();
        let captured = self.pieces.insert(to, piece);
        if captured.is_some() {
            self.spent.insert(to);
        }
        self.steps_left -= 1;
        while self.outcome().is_none() && (self.steps_left == 0 || self.legal_steps().is_empty()) {
            self.turn += 1;
            self.steps_left = self.turn;
            self.spent.clear();
        }
        captured
    }

    /// The position after a step.
    pub(crate) fn after(&self, step: Step) -> Board {
        let mut board = self.clone();
        board.play(step);
        board
    }

    /// Legal sequences of exactly `depth` steps; a finished game has none that go on.
    pub(crate) fn perft(&self, depth: u32) -> u64 {
        let steps = self.legal_steps();
        match depth {
            0 => 1,
            1 => steps.len() as u64,
            _ => steps
                .into_iter()
                .map(|step| self.after(step).perft(depth - 1))
                .sum(),
        }
    }

    /// A uniformly random legal step, or none in a finished game.
    pub(crate) fn random_step(&self, rng: &mut SplitMix) -> Option<Step> {
        let steps = self.legal_steps();
        (!steps.is_empty()).then(|| steps[rng.below(steps.len())])
    }

    /// Reads a position: seven rows from the top, `turn 3, white to move, 3 steps left`, and
    /// `spent 31 44` if pieces are spent. Blank and `#` lines are skipped.
    ///
    /// # Panics
    /// If the text is anything else.
    pub(crate) fn parse(text: &str) -> Board {
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .collect();
        let mut pieces = BTreeMap::new();
        for (rank, row) in (1..=7).rev().zip(&lines) {
            let row = row.replace(' ', "");
            assert_eq!(row.len(), 7, "{row}");
            for (file, letter) in (1..).zip(row.chars()) {
                if letter != '.' {
                    let piece = Piece::from_letter(letter).unwrap();
                    pieces.insert((file, rank), piece);
                }
            }
        }
        let words: Vec<&str> = lines[7].split_whitespace().collect();
        let board = Board {
            pieces,
            spent: lines.get(8).map_or(BTreeSet::new(), |line| {
                let names = line.strip_prefix("spent ").unwrap();
                names.split(' ').map(square).collect()
            }),
            turn: words[1].trim_end_matches(',').parse().unwrap(),
            steps_left: words[5].parse().unwrap(),
        };
        assert_eq!(board.status(), lines[7]);
        assert!(lines.len() <= 9, "{text}");
        board
    }

    /// The line on whose turn it is.
    fn status(&self) -> String {
        let (turn, side, left) = (self.turn, self.to_move().word(), self.steps_left);
        let plural = if left == 1 { "" } else { "s" };
        format!("turn {turn}, {side} to move, {left} step{plural} left")
    }

    /// The text that [`Board::parse`] reads.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for rank in (1..=7).rev() {
            for file in 1..=7 {
                let piece = self.pieces.get(&(file, rank));
                text.push(piece.map_or('.', |p| p.letter()));
            }
            text.push('\n');
        }
        text += &self.status();
        text.push('\n');
        if !self.spent.is_empty() {
            let names: Vec<String> = self.spent.iter().map(|(x, y)| format!("{x}{y}")).collect();
            text += &format!("spent {}\n", names.join(" "));
        }
        text
    }
}

/// The square of two digits.
pub(crate) fn square(text: &str) -> Square {
    let number: i32 = text.parse().unwrap();
    let square = (number / 10, number % 10);
    assert!(squares().contains(&square), "{text}");
    square
}

/// The four digits of a step.
pub(crate) fn name(((a, b), (c, d)): Step) -> String {
    format!("{a}{b}{c}{d}")
}

/// The step of four digits.
pub(crate) fn step(text: &str) -> Step {
    (square(&text[..2]), square(&text[2..]))
}
