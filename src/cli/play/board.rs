//! Drawing a position with colours.

use tanada::engine::Engine;
use tanada::game::Seat;
use tanada::play::{Code, Stones};

/// What a terminal shows for the seats in the order of play: cyan, yellow, red, green.
const SEATS: [&str; 4] = ["1;36", "1;33", "1;31", "1;32"];
/// An empty point.
const EMPTY: &str = "2";

/// The board with coordinates. With `colours`, stones and pieces have those of their sides, and
/// what moved in `last` is inverted.
pub(in crate::cli) fn drawing(engine: &Engine, last: &[Code], colours: bool) -> String {
    let board = engine.notation().show();
    if !colours {
        return board;
    }
    match engine.stones() {
        Some(stones) => with_stones(&board, stones, last),
        None => with_pieces(&board, engine, last),
    }
}

fn with_stones(board: &str, stones: &dyn Stones, last: &[Code]) -> String {
    let size = stones.size();
    let count = board.lines().count();
    let mut text = String::new();
    for (index, line) in board.lines().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        // Letters of columns stand in the first line and in the last.
        if index == 0 || index + 1 == count {
            text.push_str(line);
            continue;
        }
        let row = size.side().checked_sub(index);
        for (at, c) in line.chars().enumerate() {
            // Row numbers take two columns, then a blank stands before each point.
            let column = at.checked_sub(3).filter(|at| at % 2 == 0);
            let point = column
                .zip(row)
                .and_then(|(at, row)| size.point(at / 2, row));
            let Some(point) = point else {
                text.push(c);
                continue;
            };
            let seat = stones.stone_at(point);
            let is_last = last.contains(&Code::from(point));
            paint(&mut text, c, seat, is_last);
        }
    }
    text
}

/// Pieces are letters, capitals those of the first seat, in lines that begin with the number of
/// their rank; a move is named by the squares from and to, in digits.
fn with_pieces(board: &str, engine: &Engine, last: &[Code]) -> String {
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
    use tanada::games;
    use tanada::params::Params;

    /// The text without what is not seen.
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
            assert_eq!(drawing(&engine, &[code], false), board);
            let drawn = drawing(&engine, &[code], true);
            assert_eq!(drawn.matches(";7m").count(), 1, "{drawn}");
            assert_eq!(seen(&drawn), board);
        }
    }
}
