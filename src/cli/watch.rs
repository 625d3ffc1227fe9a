//! Boards of running games, drawn small on a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tanada::engine::Engine;
use tanada::tanbo::diagram;

/// How long a drawing stays at least.
const PAUSE: Duration = Duration::from_millis(100);

/// Columns between two boards.
const GAP: usize = 3;

/// The boards of all workers. Off a terminal it draws nothing.
pub(super) struct Watch {
    on: bool,
    state: Mutex<State>,
}

struct State {
    /// The line above the boards.
    status: String,
    /// The lines of each worker's board.
    boards: Vec<Vec<String>>,
    drawn: Option<Instant>,
    /// Lines of the last drawing.
    height: usize,
}

impl Watch {
    /// Nothing to see yet.
    pub(super) fn new(workers: usize) -> Self {
        Self {
            on: io::stderr().is_terminal(),
            state: Mutex::new(State {
                status: String::new(),
                boards: vec![Vec::new(); workers],
                drawn: None,
                height: 0,
            }),
        }
    }

    /// Whether there is a terminal to draw on.
    pub(super) fn is_on(&self) -> bool {
        self.on
    }

    /// What the next drawing has above the boards.
    pub(super) fn set_status(&self, status: String) {
        self.state.lock().status = status;
    }

    /// A worker's game has come to a position.
    pub(super) fn show(&self, worker: usize, game: usize, seating: &[&str], position: &Engine) {
        if !self.on {
            return;
        }
        let mut state = self.state.lock();
        if let Some(board) = state.boards.get_mut(worker) {
            *board = lines(game, seating, position);
        }
        if state.drawn.is_some_and(|at| at.elapsed() < PAUSE) {
            return;
        }
        state.drawn = Some(Instant::now());
        let (columns, rows) = terminal();
        let mut picture = vec![state.status.chars().take(columns).collect()];
        picture.extend(beside(&state.boards, columns));
        // What has scrolled away cannot be drawn over.
        picture.truncate(rows.saturating_sub(1));
        // Back to where the last drawing began.
        let up = match state.height {
            0 => String::new(),
            height => format!("\x1b[{height}A"),
        };
        state.height = picture.len();
        let text: String = picture
            .iter()
            .map(|line| format!("{line}\x1b[K\n"))
            .collect();
        let _ = write!(io::stderr().lock(), "{up}\r{text}\x1b[J");
    }

    /// Leaves the last drawing where it is.
    pub(super) fn close(&self) {
        self.state.lock().height = 0;
    }
}

/// A board with its heading.
fn lines(game: usize, seating: &[&str], position: &Engine) -> Vec<String> {
    let last = position.moves().last().map(|(_, code)| position.name(code));
    let mut lines = vec![
        format!(
            "game {game}, move {} {}",
            position.events().len(),
            last.unwrap_or_default()
        ),
        seating.join(" - "),
    ];
    match position.stones() {
        // Without blanks between points the board is about as wide as high on most terminals.
        Some(stones) => {
            let rows = diagram::rows(stones.size(), |point| stones.stone_at(point));
            lines.extend(rows.iter().map(|row| row.replace(' ', "")));
        }
        None => lines.extend(position.notation().show().lines().map(str::to_string)),
    }
    lines
}

/// Boards side by side, in as many rows as the width asks for.
fn beside(boards: &[Vec<String>], width: usize) -> Vec<String> {
    let column = boards
        .iter()
        .flatten()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0);
    let column = column.clamp(1, 40);
    let per_row = ((width + GAP) / (column + GAP)).max(1);
    let mut text = Vec::new();
    for row in boards.chunks(per_row) {
        let height = row.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..height {
            let cells = row.iter().map(|board| {
                let line = board.get(number).map_or("", String::as_str);
                let cut: String = line.chars().take(column).collect();
                format!("{cut:<column$}")
            });
            text.push(
                cells
                    .collect::<Vec<_>>()
                    .join(&" ".repeat(GAP))
                    .trim_end()
                    .to_string(),
            );
        }
    }
    text
}

/// Columns and lines of the terminal; 80 and 24 where it does not say.
fn terminal() -> (usize, usize) {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stderr())
        && size.ws_col > 0
        && size.ws_row > 0
    {
        return (size.ws_col.into(), size.ws_row.into());
    }
    (80, 24)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
