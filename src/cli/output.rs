//! Printing: lines, JSON, notes, columns.

use std::io::{self, Write};

use super::failure::Failure;
use crate::util::quote;

/// Prints lines, with everything that a terminal would act on replaced.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    write_out(&quote::lines(text))
}

/// Prints text as it is; only the program's own drawings need that.
pub(super) fn write_out(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    Ok(output.flush()?)
}

/// Prints a value as one line of JSON.
pub(super) fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::Other(format!("cannot write the result as JSON: {error}")))?;
    write_out(&(quote::json(&text) + "\n"))
}

/// Prints a result as JSON or as text.
pub(super) fn print_as(
    json: bool,
    value: &impl serde::Serialize,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    if json {
        print_json(value)
    } else {
        print(&text())
    }
}

/// Prints lines on standard error; a closed one is no failure.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", quote::lines(text));
}

/// A count with its noun: `1 move`, `2 moves`, `1 of 3 moves`.
pub(super) fn counted(count: impl ToString, one: &str, more: &str) -> String {
    let count = count.to_string();
    let noun = if count == "1" { one } else { more };
    format!("{count} {noun}")
}

/// Aligned columns of text; those in `right` are aligned to the right.
pub(super) fn columns(rows: &[Vec<String>], right: &[usize]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let fill = widths[column] - cell.chars().count();
            let fill = " ".repeat(fill);
            if column > 0 {
                line.push_str("  ");
            }
            if right.contains(&column) {
                line.push_str(&fill);
                line.push_str(cell);
            } else {
                line.push_str(cell);
                line.push_str(&fill);
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_go_with_their_counts() {
        let plies = |count: &str| counted(count, "ply", "plies");
        let texts = ["0", "1", "11", "1 of 3"].map(plies);
        assert_eq!(texts, ["0 plies", "1 ply", "11 plies", "1 of 3 plies"]);
        assert_eq!(counted(1u64, "game", "games"), "1 game");
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [["a", "1", "x"], ["bcd", "10", "yz"]].map(|r| r.map(String::from).to_vec());
        assert_eq!(columns(&rows, &[1]), "a     1  x\nbcd  10  yz\n");
    }
}
