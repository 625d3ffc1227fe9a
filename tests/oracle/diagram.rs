//! Vertices and diagrams, read and written.

use std::collections::BTreeMap;

use super::{Board, Colour, Point};

/// Column letters: the alphabet without I.
const LETTERS: &str = "ABCDEFGHJKLMNOPQRSTUV";

/// The name of a point, as in `A1`.
pub(crate) fn vertex((x, y): Point) -> String {
    let letter = LETTERS.chars().nth(x as usize).unwrap_or('?');
    format!("{letter}{}", y + 1)
}

/// The point a vertex names, in either case; whether it lies on a board is another question.
pub(crate) fn parse_vertex(text: &str) -> Option<Point> {
    let letter = text.chars().next()?.to_ascii_uppercase();
    let x = LETTERS.find(letter)? as i32;
    let digits = text.get(1..)?;
    if digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let row: i32 = digits.parse().ok()?;
    Some((x, row - 1))
}

/// The points of one row, or nothing for a line of column letters or an empty line.
fn parse_row(line: &str) -> Result<Option<Vec<Option<Colour>>>, String> {
    let bare: String = line
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '|')
        .collect();
    let bare = bare.trim_matches(|c: char| c.is_ascii_digit());
    if bare.is_empty() || (bare.len() > 1 && LETTERS.starts_with(bare)) {
        return Ok(None);
    }
    let mut row = Vec::new();
    for c in bare.chars() {
        row.push(match c {
            '.' | '+' => None,
            'X' | '#' => Some(Colour::Black),
            'O' | 'o' => Some(Colour::White),
            'R' => Some(Colour::Red),
            'G' => Some(Colour::Green),
            other => return Err(format!("unknown character {other:?}")),
        });
    }
    Ok(Some(row))
}

impl Board {
    /// Reads a diagram. Only its form is checked here; see [`Board::refusals`] for the rest.
    pub(crate) fn parse(text: &str) -> Result<Board, String> {
        let mut to_move = Colour::Black;
        let mut rows = Vec::new();
        for (number, line) in text.lines().enumerate() {
            if number == 0
                && let Some(word) = line.trim().strip_prefix("to move:")
            {
                let word = word.trim();
                to_move = Colour::from_word(word)
                    .ok_or_else(|| format!("to move: unknown colour {word:?}"))?;
            } else if let Some(row) = parse_row(line)? {
                rows.push(row);
            }
        }
        let size = rows.len();
        if size == 0 {
            return Err("no rows: an empty diagram".to_owned());
        }
        if rows.iter().any(|row| row.len() != size) {
            return Err(format!("{size} rows, but not every row has {size} points"));
        }
        if !(4..=21).contains(&size) {
            return Err(format!("size {size} is not from 4 to 21"));
        }
        let mut stones = BTreeMap::new();
        for (down, row) in rows.into_iter().enumerate() {
            for (x, stone) in row.into_iter().enumerate() {
                if let Some(colour) = stone {
                    stones.insert((x as i32, (size - 1 - down) as i32), colour);
                }
            }
        }
        Ok(Board::new(size as i32, stones, to_move))
    }

    /// The diagram of the position, with the side to move on its first line.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("to move: {}\n", self.to_move.word());
        for y in (0..self.size).rev() {
            let row: Vec<String> = (0..self.size)
                .map(|x| self.stones.get(&(x, y)).map_or('.', |c| c.stone()))
                .map(String::from)
                .collect();
            text += &row.join(" ");
            text.push('\n');
        }
        text
    }
}
