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

pub(super) fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::Other(format!("cannot write the result as JSON: {error}")))?;
    write_out(&(quote::json(&text) + "\n"))
}

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

/// Prints lines on standard error; a closed one is not an error.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", quote::lines(text));
}

/// A count with its noun: `1 move`, `2 moves`, `1 of 3 moves`.
pub(super) fn counted(count: impl ToString, one: &str, more: &str) -> String {
    let count = count.to_string();
    let noun = if count == "1" { one } else { more };
    format!("{count} {noun}")
}

/// A table: [`columns`] below their heads.
pub(super) fn table<const N: usize>(
    heads: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
    right: &[usize],
) -> String {
    let rows = [heads.map(str::to_string)].into_iter().chain(rows);
    columns(&rows.collect::<Vec<_>>(), right)
}

/// Aligned columns of text; those in `right` are aligned to the right.
pub(super) fn columns(rows: &[impl AsRef<[String]>], right: &[usize]) -> String {
    let mut widths = Vec::new();
    for row in rows {
        let row = row.as_ref();
        widths.resize(row.len().max(widths.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        let cells = row.as_ref().iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, &width))| {
            if right.contains(&column) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:width$}")
            }
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
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
        let rows = [["bcd", "10", "yz"].map(String::from)];
        let table = table(["a", "1", "x"], rows, &[1]);
        assert_eq!(table, "a     1  x\nbcd  10  yz\n");
    }
}
