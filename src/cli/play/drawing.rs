//! Draws a position, with colours or without.

use crate::engine::Engine;
use crate::variant::MoveCode;

/// Terminal colours of the seats in the order of play: cyan, yellow, red, green.
const SEATS: [&str; 4] = ["1;36", "1;33", "1;31", "1;32"];
/// The dim style of empty points.
const EMPTY: &str = "2";

/// The board with coordinates. What moved in `last` is inverted if there are colours, and in brackets
/// if there are none.
pub(in crate::cli) fn drawing(engine: &Engine, last: &[MoveCode], colours: bool) -> String {
    let board = engine.notation().show();
    let Some(view) = engine.board_view() else {
        return board;
    };
    let cells: Vec<usize> = last.iter().map(|&code| view.ends(code).1).collect();
    if !colours {
        return bracketed(&board, view.side(), &cells);
    }
    painted(&board, view.side(), |cell, c| {
        let code = view
            .piece_on(cell)
            .map_or(EMPTY, |piece| SEATS[piece.seat.index()]);
        let mark = if cells.contains(&cell) { ";7" } else { "" };
        format!("\x1b[{code}{mark}m{c}\x1b[0m")
    })
}

/// The board with a `*` on each legal point; `None` in a game whose moves are not points.
pub(super) fn with_legal_points(engine: &Engine) -> Option<String> {
    engine.stones()?;
    let view = engine.board_view()?;
    let legal = engine.legal();
    let points: Vec<usize> = legal.iter().map(|&code| view.ends(code).1).collect();
    let board = engine.notation().show();
    Some(painted(&board, view.side(), |cell, c| {
        if points.contains(&cell) {
            "*".to_string()
        } else {
            c.to_string()
        }
    }))
}

/// The blanks before the letters of the columns: as many as a row number takes.
fn margin(board: &str) -> usize {
    board.chars().take_while(|c| c.is_whitespace()).count()
}

/// The board with what `paint` makes of the character of each cell.
fn painted(board: &str, side: usize, paint: impl Fn(usize, char) -> String) -> String {
    let margin = margin(board);
    let cell = |row: usize, at: usize| {
        let row = row.checked_sub(1).filter(|&row| row < side)?;
        let column = at.checked_sub(margin).filter(|at| at % 2 == 0)? / 2;
        (column < side).then_some(row * side + column)
    };
    let mut text = String::new();
    for (row, line) in board.split_inclusive('\n').enumerate() {
        for (at, c) in line.chars().enumerate() {
            match cell(row, at) {
                Some(cell) => text += &paint(cell, c),
                None => text.push(c),
            }
        }
    }
    text
}

/// The board with brackets around these cells.
fn bracketed(board: &str, side: usize, cells: &[usize]) -> String {
    let margin = margin(board);
    let mut lines: Vec<Vec<char>> = board
        .split('\n')
        .map(|line| line.chars().collect())
        .collect();
    for cell in cells {
        let at = margin + 2 * (cell % side.max(1));
        let Some(line) = lines.get_mut(cell / side.max(1) + 1) else {
            continue;
        };
        for (at, bracket) in [(at.wrapping_sub(1), '('), (at + 1, ')')] {
            if at == line.len() {
                line.push(bracket);
            } else if let Some(place) = line.get_mut(at).filter(|place| **place == ' ') {
                *place = bracket;
            }
        }
    }
    let lines: Vec<String> = lines.into_iter().map(String::from_iter).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;
    use crate::params::Params;

    /// The text without escape sequences.
    fn seen(text: &str) -> String {
        let parts = text.split('\x1b');
        let seen = parts.map(|part| part.split_once('m').map_or(part, |(_, seen)| seen));
        seen.collect()
    }

    #[test]
    fn colours_change_nothing_else() {
        for (game, side, players) in [
            ("tanbo", 9, 2),
            ("tanbo", 19, 4),
            ("tanbo", 4, 2),
            ("taratibu", 7, 2),
        ] {
            let game = games::find(game).unwrap();
            let start = game.start(Some(side), None, Some(players)).unwrap();
            let mut engine = Engine::new(start, Params::default());
            let code = engine.legal()[0];
            engine.play(code).unwrap();
            let board = engine.notation().show();
            let plain = drawing(&engine, &[code], false);
            assert_eq!(plain.replace(['(', ')'], " "), board, "{plain}");
            assert_eq!(plain.matches('(').count(), 1, "{plain}");
            let drawn = drawing(&engine, &[code], true);
            assert_eq!(drawn.matches(";7m").count(), 1, "{drawn}");
            assert_eq!(seen(&drawn), board);
        }
    }
}
