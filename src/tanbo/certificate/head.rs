//! The head of a certificate: plain lines, each of exactly one form.

use super::refusal::{Reason, Unverified};
use super::rules::{Board, word};
use crate::board::BoardSize;
use crate::game::Seat;
use crate::util::files::Kind;
use crate::util::quote;

/// The first line.
const FIRST: &str = "tanada certificate 1";
/// Certificates, of other versions too.
pub const KIND: Kind<'_> = Kind {
    maker: "tanada solve --certificate",
    is_own: &|head| head.starts_with(b"tanada certificate "),
};
/// The line after which the compressed moves begin.
const LAST: &str = "moves: zlib";
/// Bytes of a line that are looked at; none of a head has as many.
const LONGEST: usize = 100;

/// What the head says.
pub(super) struct Head {
    /// The first position.
    pub(super) board: Board,
    /// Who wins it.
    pub(super) winner: Seat,
    /// The positions of the strategy where the winner is to move.
    pub(super) positions: u64,
    /// The moves of the longest game.
    pub(super) plies: u64,
}

/// The text of the head, with the end of its last line.
pub(super) fn write(head: &Head) -> String {
    let mut lines = vec![
        FIRST.to_string(),
        "game: tanbo".to_string(),
        format!("to move: {}", word(head.board.to_move())),
    ];
    lines.extend(head.board.rows());
    lines.extend([
        format!("claim: {} wins", word(head.winner)),
        format!("positions: {}", head.positions),
        format!("plies: {}", head.plies),
        LAST.to_string(),
    ]);
    lines.join("\n") + "\n"
}

/// Takes the lines of a head one after the other.
struct Lines<'a> {
    next_byte: &'a mut dyn FnMut() -> Result<Option<u8>, Unverified>,
    /// Lines taken so far.
    number: usize,
    text: String,
}

impl Lines<'_> {
    /// Takes the next line, without its end.
    fn take(&mut self) -> Result<&str, Unverified> {
        self.number += 1;
        self.text.clear();
        // A longer line fits no form; the last may lack its end, nothing can follow then.
        while self.text.len() <= LONGEST {
            match (self.next_byte)()? {
                None | Some(b'\n') => break,
                Some(byte @ b' '..=b'~') => self.text.push(char::from(byte)),
                Some(_) => self.text.push('?'),
            }
        }
        Ok(&self.text)
    }

    fn wrong(&self, expected: impl ToString) -> Unverified {
        let (line, expected) = (self.number, expected.to_string());
        let found = quote::shorten(&self.text, 50);
        Reason::Head {
            line,
            found,
            expected,
        }
        .into()
    }

    /// Takes a line that can be one of two.
    fn either(&mut self, form: impl Fn(&str) -> String) -> Result<Seat, Unverified> {
        let found = self.take()?;
        let seat = [0, 1].map(Seat::new).into_iter();
        match seat.clone().find(|&seat| found == form(word(seat))) {
            Some(seat) => Ok(seat),
            None => {
                let forms: Vec<String> =
                    seat.map(|seat| format!("`{}`", form(word(seat)))).collect();
                Err(self.wrong(forms.join(" or ")))
            }
        }
    }

    /// Takes a line that has no choice.
    fn fixed(&mut self, line: &str) -> Result<(), Unverified> {
        if self.take()? == line {
            return Ok(());
        }
        Err(self.wrong(format_args!("`{line}`")))
    }

    /// Takes a line with a number after its name.
    fn number(&mut self, name: &str) -> Result<u64, Unverified> {
        let digits = self.take()?.strip_prefix(name).unwrap_or_default();
        let number: Option<u64> = digits.parse().ok().filter(|_| digits.len() <= 18);
        match number.filter(|number| number.to_string() == digits) {
            Some(number) => Ok(number),
            None => Err(self.wrong(format_args!("`{name}` and a whole number below 10^18"))),
        }
    }
}

/// Reads a head, byte by byte.
///
/// # Errors
/// The first line that is not as [`write()`] writes it.
pub(super) fn read(
    next_byte: &mut dyn FnMut() -> Result<Option<u8>, Unverified>,
) -> Result<Head, Unverified> {
    let mut lines = Lines {
        next_byte,
        number: 0,
        text: String::new(),
    };
    lines.fixed(FIRST)?;
    lines.fixed("game: tanbo")?;
    let to_move = lines.either(|word| format!("to move: {word}"))?;
    let mut stones = Vec::new();
    let mut side = 0;
    for from_top in 0.. {
        if from_top > 0 && from_top == side {
            break;
        }
        let mut row = Vec::new();
        for (place, c) in lines.take()?.chars().enumerate() {
            row.extend(match (place % 2, c) {
                (0, '.') => Some(None),
                (0, 'X') => Some(Some(0)),
                (0, 'O') => Some(Some(1)),
                (1, ' ') => None,
                _ => return Err(lines.wrong(ROW)),
            });
        }
        if from_top == 0 {
            side = row.len();
        }
        // A blank after the last point makes the line longer than the row.
        if row.len() != side || lines.text.len() + 1 != 2 * side || BoardSize::new(side).is_err() {
            return Err(lines.wrong(ROW));
        }
        stones.push(row);
    }
    let size = BoardSize::new(side).map_err(|_| lines.wrong(ROW))?;
    let board = Board::new(size, to_move, |point| {
        let row = stones.get(side - 1 - point.row(size))?;
        row.get(point.column(size)).copied()?.map(Seat::new)
    });
    let winner = lines.either(|word| format!("claim: {word} wins"))?;
    let positions = lines.number("positions: ")?;
    let plies = lines.number("plies: ")?;
    lines.fixed(LAST)?;
    Ok(Head {
        board,
        winner,
        positions,
        plies,
    })
}

/// What a row of the diagram has to be.
const ROW: &str = "a row of 4 to 21 points `.`, `X`, `O` with a blank between two, all as long";
