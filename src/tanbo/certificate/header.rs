//! The header of a certificate: lines of text, each with exactly one valid form.

use super::bits::MAX_SIDE;
use super::error::{Defect, VerifyError};
use super::naive_position::{NaivePosition, word};
use crate::board::BoardSize;
use crate::game::Seat;
use crate::util::files::Kind;
use crate::util::quote;
use crate::variant::MAX_ENDING;

const VERSION_1: &str = "tanada certificate 1";
/// With parts.
const VERSION_2: &str = "tanada certificate 2";
/// With endings, and parts.
const VERSION_3: &str = "tanada certificate 3";
/// Certificates of this and of other versions.
pub(crate) const KIND: Kind<'_> = Kind {
    maker: "tanada solve --certificate` or `tanada prove --certificate",
    is_own: &|head| head.starts_with(b"tanada certificate "),
};
/// The last line; the compressed moves follow.
const LAST: &str = "moves: zlib";
/// Bytes of a line that are read; every valid line is shorter.
const MAX_LINE: usize = 100;

pub(super) struct Header {
    pub(super) start: NaivePosition,
    /// The claimed winner.
    pub(super) winner: Seat,
    /// Positions of the strategy with the winner to move: those that differ, in each part by itself.
    pub(super) positions: u64,
    /// Parts that are traversed; `None` in version 1, which has none.
    pub(super) parts: Option<u64>,
    /// `None` before version 3.
    pub(super) endings: Option<Endings>,
    /// The length of the longest game.
    pub(super) plies: u64,
}

/// Endings: positions with the winner to move that are left to a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Endings {
    /// Those that differ, in each part by itself.
    pub(super) count: u64,
    /// The most positions with the winner to move that the search of one may need.
    pub(super) limit: u64,
}

pub(super) fn write(header: &Header) -> String {
    let first = match (header.parts, header.endings) {
        (_, Some(_)) => VERSION_3,
        (Some(_), None) => VERSION_2,
        (None, None) => VERSION_1,
    };
    let mut lines = vec![
        first.to_string(),
        "game: tanbo".to_string(),
        format!("to move: {}", word(header.start.to_move())),
    ];
    lines.extend(header.start.rows());
    lines.extend([
        format!("claim: {} wins", word(header.winner)),
        format!("positions: {}", header.positions),
    ]);
    lines.extend(header.parts.map(|parts| format!("parts: {parts}")));
    let endings = header.endings.iter();
    lines.extend(endings.flat_map(|Endings { count, limit }| {
        [format!("endings: {count}"), format!("search: {limit}")]
    }));
    lines.extend([format!("plies: {}", header.plies), LAST.to_string()]);
    lines.join("\n") + "\n"
}

/// Reads the lines of a header one after the other.
struct Lines<'a> {
    next_byte: &'a mut dyn FnMut() -> Result<Option<u8>, VerifyError>,
    number: usize,
    text: String,
}

impl Lines<'_> {
    /// Reads the next line, without its line end.
    fn take(&mut self) -> Result<&str, VerifyError> {
        self.number += 1;
        self.text.clear();
        // A longer line has no valid form. The last line may lack its end; nothing can follow then.
        while self.text.len() <= MAX_LINE {
            match (self.next_byte)()? {
                None | Some(b'\n') => break,
                Some(byte @ b' '..=b'~') => self.text.push(char::from(byte)),
                Some(_) => self.text.push('?'),
            }
        }
        Ok(&self.text)
    }

    fn wrong(&self, expected: impl ToString) -> VerifyError {
        let (line, expected) = (self.number, expected.to_string());
        let found = quote::shorten(&self.text, 50);
        Defect::Header {
            line,
            found,
            expected,
        }
        .into()
    }

    /// Reads one of these lines.
    fn one_of<const N: usize>(&mut self, forms: [String; N]) -> Result<usize, VerifyError> {
        let found = self.take()?;
        let number = forms.iter().position(|form| found == form);
        number.ok_or_else(|| self.wrong(forms.map(|form| format!("`{form}`")).join(" or ")))
    }

    /// Reads a line that names a colour.
    fn either(&mut self, form: impl Fn(&str) -> String) -> Result<Seat, VerifyError> {
        let forms = [0, 1].map(|seat| form(word(Seat::new(seat))));
        self.one_of(forms).map(Seat::new)
    }

    fn fixed(&mut self, line: &str) -> Result<(), VerifyError> {
        if self.take()? == line {
            return Ok(());
        }
        Err(self.wrong(format_args!("`{line}`")))
    }

    /// Reads a line with a number after its name.
    fn number(&mut self, name: &str) -> Result<u64, VerifyError> {
        let digits = self.take()?.strip_prefix(name).unwrap_or_default();
        let number: Option<u64> = digits.parse().ok().filter(|_| digits.len() <= 18);
        let number = number.filter(|number| number.to_string() == digits);
        number.ok_or_else(|| self.wrong(format_args!("`{name}` and an integer below 10^18")))
    }
}

/// Reads a header byte by byte.
///
/// # Errors
/// The first line that [`write()`] would write differently.
pub(super) fn read(
    next_byte: &mut dyn FnMut() -> Result<Option<u8>, VerifyError>,
) -> Result<Header, VerifyError> {
    let mut lines = Lines {
        next_byte,
        number: 0,
        text: String::new(),
    };
    let version = 1 + lines.one_of([VERSION_1, VERSION_2, VERSION_3].map(String::from))?;
    let most_side = if version == 3 {
        MAX_SIDE
    } else {
        BoardSize::MAX
    };
    let form = format!(
        "a row of {} to {most_side} points `.`, `X` or `O`, separated by spaces, like the \
         other rows",
        BoardSize::MIN
    );
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
                _ => return Err(lines.wrong(&form)),
            });
        }
        if from_top == 0 {
            side = row.len();
        }
        // A space after the last point makes the line longer than the row.
        if row.len() != side
            || lines.text.len() + 1 != 2 * side
            || side > most_side
            || BoardSize::new(side).is_err()
        {
            return Err(lines.wrong(&form));
        }
        stones.push(row);
    }
    let size = BoardSize::new(side).map_err(|_| lines.wrong(&form))?;
    let start = NaivePosition::new(size, to_move, |point| {
        let row = stones.get(side - 1 - point.row(size))?;
        row.get(point.column(size)).copied()?.map(Seat::new)
    });
    let winner = lines.either(|word| format!("claim: {word} wins"))?;
    let positions = lines.number("positions: ")?;
    let mut parts = None;
    if version > 1 {
        parts = Some(lines.number("parts: ")?);
    }
    let mut endings = None;
    if version > 2 {
        let count = lines.number("endings: ")?;
        let limit = lines.number("search: ")?;
        if !(1..=MAX_ENDING).contains(&limit) {
            return Err(lines.wrong(format_args!("`search: ` and 1 to {MAX_ENDING}")));
        }
        endings = Some(Endings { count, limit });
    }
    let plies = lines.number("plies: ")?;
    lines.fixed(LAST)?;
    Ok(Header {
        start,
        winner,
        positions,
        parts,
        endings,
        plies,
    })
}
