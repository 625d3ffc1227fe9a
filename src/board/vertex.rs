//! Names of points: GTP vertices (`A1` to `V21`, no I) and SGF letters.

use thiserror::Error;

use crate::board::{BoardSize, Point};
use crate::util::quote::shorten;

/// The letters of the columns from the left, without I.
pub(crate) const COLUMNS: &str = "ABCDEFGHJKLMNOPQRSTUV";

/// A text that is not a point of the board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "invalid point `{text}`: expected A1 to {last} on the {size}x{size} board",
    last = name(self.size.points().next_back().unwrap_or(Point::from_number(0)), self.size)
)]
pub struct VertexError {
    pub(crate) text: String,
    pub(crate) size: BoardSize,
}

/// The vertex of a point in upper case; `A1` is the lower left corner.
pub fn name(point: Point, size: BoardSize) -> String {
    let letter = COLUMNS.as_bytes()[point.column(size) % COLUMNS.len()] as char;
    format!("{letter}{}", point.row(size) + 1)
}

/// The vertices of points, with blanks between them.
pub(crate) fn names(points: impl IntoIterator<Item = Point>, size: BoardSize) -> String {
    let names: Vec<String> = points.into_iter().map(|p| name(p, size)).collect();
    names.join(" ")
}

/// The point of a vertex, whose letter may be in either case.
///
/// # Errors
/// Text of another form, or a point off the board.
pub fn parse(text: &str, size: BoardSize) -> Result<Point, VertexError> {
    let find = || {
        let letter = text.chars().next()?;
        let column = COLUMNS.find(letter.to_ascii_uppercase())?;
        let digits = &text[letter.len_utf8()..];
        let row: usize = digits.parse().ok()?;
        // A number has neither a sign nor leading zeros.
        let row = row.checked_sub(1).filter(|_| row.to_string() == digits)?;
        size.point(column, row)
    };
    find().ok_or_else(|| VertexError {
        text: shorten(text, 60),
        size,
    })
}

/// The point of two SGF coordinates, which count from 0, rows from the top.
pub fn from_sgf(column: usize, row_from_top: usize, size: BoardSize) -> Option<Point> {
    let row = (size.side() - 1).checked_sub(row_from_top)?;
    size.point(column, row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_off_the_board_are_no_points() {
        let size = BoardSize::new(9).unwrap();
        assert_eq!(from_sgf(0, 8, size), parse("A1", size).ok());
        for (column, row) in [(0, 9), (9, 0), (0, usize::MAX), (usize::MAX, 0)] {
            assert_eq!(from_sgf(column, row, size), None);
        }
    }

    #[test]
    fn names_read_back() {
        for side in BoardSize::MIN..=BoardSize::MAX {
            let size = BoardSize::new(side).unwrap();
            for p in size.points() {
                let text = name(p, size);
                assert!(!text.contains('I'));
                assert_eq!(parse(&text, size), Ok(p));
                assert_eq!(parse(&text.to_lowercase(), size), Ok(p));
            }
        }
        let size = BoardSize::new(21).unwrap();
        assert_eq!(name(size.points().next_back().unwrap(), size), "V21");
    }

    #[test]
    fn wrong_texts_are_quoted() {
        let size = BoardSize::new(9).unwrap();
        for text in [
            "", "I5", "A0", "A10", "K1", "A", "5", "A-1", "A+1", "A1 ", "é5", "A01",
        ] {
            let error = parse(text, size).unwrap_err().to_string();
            assert!(
                error.contains(&format!("`{text}`")) && error.contains("A1 to J9"),
                "{error}"
            );
        }
    }

    #[test]
    fn sgf_counts_rows_from_the_top() {
        let size = BoardSize::new(9).unwrap();
        assert_eq!(from_sgf(0, 0, size), size.point(0, 8));
        assert_eq!(from_sgf(8, 8, size), size.point(8, 0));
        assert_eq!(from_sgf(0, 9, size), None);
    }
}
