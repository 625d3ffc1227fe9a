//! Small boards of running games on a terminal.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::board::vertex;
use crate::engine::Engine;
use crate::util::quote::one_line;
use parking_lot::Mutex;

use super::terminal;

const PAUSE: Duration = Duration::from_millis(100);

const GAP: usize = 3;

/// The boards of all workers, on the terminal behind standard error.
pub(super) struct Watch {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The lines above the boards: the score and the last event.
    score: String,
    news: String,
    /// The lines of each worker's board.
    boards: Vec<Vec<String>>,
    drawn: Option<Instant>,
    /// Height of the last drawing in lines.
    height: usize,
}

impl Watch {
    pub(super) fn new(workers: usize) -> Self {
        Self {
            state: Mutex::new(State {
                boards: vec![Vec::new(); workers],
                ..State::default()
            }),
        }
    }

    pub(super) fn set_score(&self, score: &str) {
        self.state.lock().score = one_line(score).into_owned();
    }

    /// The second line of the drawing, which is then shown at once.
    pub(super) fn set_news(&self, news: &str) {
        let mut state = self.state.lock();
        state.news = one_line(news).into_owned();
        state.draw();
    }

    /// Shows the position of a worker's game; `seating` names colours and engines.
    pub(super) fn show(&self, worker: usize, game: usize, seating: &[String], position: &Engine) {
        let mut state = self.state.lock();
        if let Some(board) = state.boards.get_mut(worker) {
            *board = lines(game, seating, position);
        }
        if state.drawn.is_none_or(|at| at.elapsed() >= PAUSE) {
            state.draw();
        }
    }

    /// Draws for the last time and leaves the drawing there.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.draw();
        state.height = 0;
    }
}

impl State {
    fn draw(&mut self) {
        self.drawn = Some(Instant::now());
        let (columns, rows) = terminal::error_size();
        let picture = self.picture(columns, rows);
        // Back to the top of the last drawing.
        let up = match self.height {
            0 => String::new(),
            height => format!("\x1b[{height}A"),
        };
        self.height = picture.len();
        let lines = picture.iter().map(|line| format!("{line}\x1b[K\n"));
        let text: String = lines.collect();
        let _ = write!(io::stderr().lock(), "{up}\r{text}\x1b[J");
    }

    /// The lines of a drawing that fit on the terminal.
    fn picture(&self, columns: usize, rows: usize) -> Vec<String> {
        let head = [&self.score, &self.news].map(|line| line.chars().take(columns).collect());
        let mut picture: Vec<String> = head.to_vec();
        picture.extend(beside(&self.boards, columns));
        // Lines that have scrolled away cannot be overwritten.
        picture.truncate(rows.saturating_sub(1));
        picture
    }
}

/// A board with its heading.
fn lines(game: usize, seating: &[String], position: &Engine) -> Vec<String> {
    let last = position.moves().last().map(|(_, code)| position.name(code));
    let (number, last) = (position.events().len(), last.unwrap_or_default());
    let mut lines = vec![
        format!("game {game}, move {number} {last}"),
        one_line(&seating.join(" - ")).into_owned(),
    ];
    match (position.board_view(), position.stones()) {
        // Without blanks between points, a board is about square on most terminals.
        (Some(board), Some(_)) => {
            let letters: String = vertex::COLUMNS.chars().take(board.side()).collect();
            lines.push(format!("   {letters}"));
            let rows = (1..=board.side()).rev().zip(board.rows());
            let line =
                |(number, row): (usize, String)| format!("{number:2} {}", row.replace(' ', ""));
            lines.extend(rows.map(line));
        }
        _ => lines.extend(position.notation().show().lines().map(str::to_string)),
    }
    lines
}

/// Boards side by side, in as many rows as they need.
fn beside(boards: &[Vec<String>], width: usize) -> Vec<String> {
    let widths = boards.iter().flatten().map(|line| line.chars().count());
    let column = widths.max().unwrap_or(0).clamp(1, 40);
    let per_row = ((width + GAP) / (column + GAP)).max(1);
    let mut text = Vec::new();
    for row in boards.chunks(per_row) {
        let height = row.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..height {
            let cells = row.iter().map(|board| {
                let line = board.get(number).map_or("", String::as_str);
                format!("{line:column$.column$}")
            });
            let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
            text.push(line.trim_end().to_string());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::start::Configuration;

    #[test]
    fn boards_stand_side_by_side_as_far_as_there_is_room() {
        let board = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let boards = [
            board("one\n..X\nO.."),
            board("two\n.X."),
            board("six\n...\n..O"),
        ];
        let two = ["one   two", "..X   .X.", "O..", "six", "...", "..O"];
        assert_eq!(beside(&boards, 11), two);
        assert_eq!(beside(&boards, 3).len(), 8);
        assert_eq!(beside(&boards, 80).len(), 3);
        assert!(beside(&[], 80).is_empty());
    }

    #[test]
    fn boards_have_coordinates_and_headings_no_control_characters() {
        let configuration = Configuration::new(Some(11), None, None).unwrap();
        let mut position = Engine::new(configuration.start().clone(), Params::default());
        let legal = position.legal();
        let mut names = legal.iter().map(|&code| position.name(code));
        let point = names.find(|name| name.starts_with('J')).unwrap();
        position.play_word(position.to_move(), &point).unwrap();
        let seating = ["black A\x1b[2J".to_string(), "white B\u{202e}".to_string()];
        let lines = lines(7, &seating, &position);
        assert_eq!(lines[0], format!("game 7, move 1 {point}"));
        assert_eq!(lines[1], "black A\u{fffd}[2J - white B\u{fffd}");
        assert_eq!(lines[2], "   ABCDEFGHJKL");
        assert_eq!(lines.len(), 3 + 11);
        // The stone is in its row, below its letter.
        let number = &point[1..];
        let is_row = |line: &&String| line.split_whitespace().next() == Some(number);
        let row = lines[3..].iter().find(is_row).unwrap();
        assert_eq!(row.chars().nth(lines[2].find('J').unwrap()), Some('X'));
    }

    #[test]
    fn the_score_stands_in_a_line_of_its_own() {
        let watch = Watch::new(1);
        watch.set_score("Score after 3 of 20 games: A 2 - 1 B");
        watch.state.lock().news = format!("Finished game 3 of 20 (A vs B): {:x<99}", "");
        let picture = watch.state.lock().picture(40, 24);
        assert_eq!(picture[0], "Score after 3 of 20 games: A 2 - 1 B");
        assert_eq!(picture[1].chars().count(), 40);
    }
}
