//! Draws a position, with colours or without.

use crate::engine::Engine;
use crate::game::Seat;
use crate::variant::{MoveCode, Stones};

/// Terminal colours of the seats in the order of play: cyan, yellow, red, green.
const SEATS: [&str; 4] = ["1;36", "1;33", "1;31", "1;32"];
/// The dim style of empty points.
const EMPTY: &str = "2";

/// The board with coordinates. What moved in `last` is inverted if there are colours, and in brackets
/// if there are none.
pub(in crate::cli) fn drawing(engine: &Engine, last: &[MoveCode], colours: bool) -> String {
    let board = engine.notation().show();
    if !colours {
        return bracketed(engine, &board, last);
    }
    match engine.stones() {
        Some(stones) => with_stones(&board, stones, last),
        None => with_pieces(&board, engine, last),
    }
}

/// The board with a `*` on each legal point; `None` in a game whose moves are not points.
pub(super) fn with_legal_points(engine: &Engine) -> Option<String> {
    let stones = engine.stones()?;
    let legal = engine.legal();
    let size = stones.size();
    let marked = |at: usize, line: usize| {
        let row = size.side().checked_sub(line)?;
        let column = column(at)?;
        let point = size.point(column, row)?;
        legal.contains(&MoveCode::from(point)).then_some('*')
    };
    let board = engine.notation().show();
    let lines = board.lines().enumerate().map(|(index, line)| {
        let chars = line.chars().enumerate();
        let chars = chars.map(|(at, c)| marked(at, index).filter(|_| index > 0).unwrap_or(c));
        chars.collect::<String>()
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// The column of the board at a place in a line: two digits of the row number, then a blank before
/// each point.
fn column(at: usize) -> Option<usize> {
    at.checked_sub(3).filter(|at| at % 2 == 0).map(|at| at / 2)
}

/// The board with brackets around what moved in `last`.
fn bracketed(engine: &Engine, board: &str, last: &[MoveCode]) -> String {
    let Some(drawn) = engine.board_view() else {
        return board.to_string();
    };
    let side = drawn.side();
    let cells: Vec<usize> = last.iter().map(|&code| drawn.ends(code).1).collect();
    // The line of column letters begins with as many blanks as a row number takes.
    let margin = board.lines().next().map_or(0, |head| {
        head.chars().take_while(|c| c.is_whitespace()).count()
    });
    let mut lines: Vec<Vec<char>> = board.lines().map(|line| line.chars().collect()).collect();
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
    let end = if board.ends_with('\n') { "\n" } else { "" };
    let lines: Vec<String> = lines.into_iter().map(String::from_iter).collect();
    lines.join("\n") + end
}

fn with_stones(board: &str, stones: &dyn Stones, last: &[MoveCode]) -> String {
    let size = stones.size();
    let count = board.lines().count();
    let mut text = String::new();
    for (index, line) in board.lines().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        // The first and the last line hold the letters of the columns.
        if index == 0 || index + 1 == count {
            text.push_str(line);
            continue;
        }
        let row = size.side().checked_sub(index);
        for (at, c) in line.chars().enumerate() {
            let point = column(at)
                .zip(row)
                .and_then(|(column, row)| size.point(column, row));
            let Some(point) = point else {
                text.push(c);
                continue;
            };
            let seat = stones.stone_at(point);
            let is_last = last.contains(&MoveCode::from(point));
            paint(&mut text, c, seat, is_last);
        }
    }
    text
}

/// Pieces are letters, in capitals for the first seat, in lines that begin with the number of the
/// rank. The name of a move is that of its two squares, in digits.
fn with_pieces(board: &str, engine: &Engine, last: &[MoveCode]) -> String {
    let names: Vec<String> = last.iter().map(|&code| engine.name(code)).collect();
    let mut text = String::new();
    for (index, line) in board.lines().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let rank = line.chars().next().filter(char::is_ascii_digit);
        for (at, c) in line.chars().enumerate() {
            let seat = match (rank, c) {
                (Some(_), 'A'..='Z') => Some(Seat::ALL[0]),
                (Some(_), 'a'..='z') => Some(Seat::ALL[1]),
                (Some(_), '.') => None,
                _ => {
                    text.push(c);
                    continue;
                }
            };
            let file = at.saturating_sub(1) / 2;
            let to = rank.map(|rank| format!("{file}{rank}"));
            let is_last = to.is_some_and(|to| names.iter().any(|name| name.ends_with(&to)));
            paint(&mut text, c, seat, is_last);
        }
    }
    text
}

fn paint(text: &mut String, c: char, seat: Option<Seat>, is_last: bool) {
    let code = seat.map_or(EMPTY, |seat| SEATS[seat.index()]);
    let mark = if is_last { ";7" } else { "" };
    text.push_str(&format!("\x1b[{code}{mark}m{c}\x1b[0m"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;
    use crate::params::Params;

    /// The text without escape sequences.
    fn seen(text: &str) -> String {
        let mut seen = String::new();
        let mut hidden = false;
        for c in text.chars() {
            match (hidden, c) {
                (false, '\x1b') => hidden = true,
                (true, 'm') => hidden = false,
                (false, c) => seen.push(c),
                _ => {}
            }
        }
        seen
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
