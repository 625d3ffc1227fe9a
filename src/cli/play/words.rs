//! What can be typed beside moves: help, hints, reasons, records.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use crate::clock::TimeControl;
use crate::game::PerSeat;
use crate::util::files;
use crate::variant::{GameRecord, Variant};

use super::super::failure::shorten;
use super::super::{columns, counted};
use super::board;
use super::dialogue::Dialogue;
use super::judgement::judgement;
use super::screen::Screen;
use super::told;

/// Help before the game.
pub(super) const BEGIN: &str = "\x20 COLOUR      you play it
  pie         Tanada makes the next move, and you choose a colour
  setup       you make up a start position, and Tanada chooses a colour
  level NAME  how strong Tanada plays; without a name: all levels
  rules       the rules of the game
  board       shows the board
  quit        leaves
";

/// Help in the game, but for what a move is.
pub(super) const PLAY: &str =
    "\x20 hint        a move that Tanada would make for you; it thinks in your time
  why         how Tanada rated its last move, and your best replies with winning chances
  legal       where you may play
  undo        takes back your last move, and what came after it
  save FILE   writes the record of the game
  level NAME  how strong Tanada plays; without a name: all levels
  time        the time used, and what the clocks show
  rules       the rules of the game
  board       shows the board
  resign      gives the game up
  new         begins another game
  quit        leaves; the next `tanada play` offers to go on (Ctrl-C and Ctrl-D do the same)
";

/// Help after the end.
pub(super) const OVER: &str = "The game is over. What still works:
  undo        takes back your last move, and what came after it
  save FILE   writes the record of the game
  level NAME  how strong Tanada plays; without a name: all levels
  time        the time used, and what the clocks show
  rules       the rules of the game
  board       shows the board
  new         begins another game
  quit        leaves
";

/// The line of [`BEGIN`], [`PLAY`] and [`OVER`] that another one follows where pieces differ.
const RULES: &str = "  rules       the rules of the game\n";
const PIECES: &str = "  pieces      how each piece moves\n";

/// One of the helps, for a game.
pub(super) fn help(text: &str, variant: &dyn Variant) -> String {
    match variant.pieces() {
        Some(_) => text.replace(RULES, &format!("{RULES}{PIECES}")),
        None => text.to_string(),
    }
}

/// The columns that a list of moves takes.
const WIDTH: usize = 78;

/// How many moves `why` shows.
const SHOWN: usize = 5;
/// How many moves of a variation.
const LINE: usize = 8;

/// The rules of the game, or what its pieces do.
pub(super) fn rules(dialogue: &Dialogue, word: &str, out: &mut Screen) -> io::Result<()> {
    let variant = dialogue.engine.variant();
    match (word, variant.pieces()) {
        ("pieces", Some(pieces)) => write!(out, "{pieces}"),
        ("pieces", None) => writeln!(out, "All stones are alike; `rules` tells the rules."),
        (_, pieces) => {
            writeln!(out, "{}", variant.credit())?;
            write!(out, "{}", variant.rules())?;
            match pieces {
                Some(_) => writeln!(out, "`pieces` tells how each piece moves."),
                None => Ok(()),
            }
        }
    }
}

/// Where the player may play.
pub(super) fn legal(dialogue: &Dialogue, out: &mut Screen) -> io::Result<()> {
    let engine = &dialogue.engine;
    if let Some(board) = board::with_legal_points(engine) {
        writeln!(out, "\n{}\n", board.trim_end_matches('\n'))?;
    }
    let mut names: Vec<String> = engine
        .legal()
        .iter()
        .map(|&code| engine.name(code))
        .collect();
    names.sort_unstable();
    let colour = told::name(engine, engine.to_move());
    let moves = counted(names.len(), "legal move", "legal moves");
    writeln!(out, "{colour} has {moves}:")?;
    let mut line = String::new();
    for name in &names {
        if line.len() + name.len() >= WIDTH {
            writeln!(out, " {line}")?;
            line.clear();
        }
        line.push(' ');
        line.push_str(name);
    }
    writeln!(out, " {line}")
}

/// A move for the player.
pub(super) fn hint(dialogue: &mut Dialogue, out: &mut Screen) -> io::Result<()> {
    let report = dialogue.search();
    if dialogue.is_stopped() {
        return writeln!(out);
    }
    match report.best() {
        Some(best) => {
            let name = dialogue.engine.name(best.mv);
            writeln!(
                out,
                "Tanada would play {name}: your chance is {:.0} %.",
                100.0 * best.value
            )
        }
        None => writeln!(out, "There is no move."),
    }
}

/// What Tanada thinks.
pub(super) fn why(dialogue: &mut Dialogue, out: &mut Screen) -> io::Result<()> {
    if let Some(thought) = dialogue.thought() {
        writeln!(out, "{thought}")?;
    }
    if let Some(judgement) = judgement(dialogue) {
        writeln!(out, "{judgement}")?;
    }
    let report = dialogue.search();
    if dialogue.is_stopped() {
        return writeln!(out);
    }
    let engine = &dialogue.engine;
    let head = ["your move", "chance", "visits", "line"];
    let mut rows = vec![head.map(str::to_string).to_vec()];
    for found in report.listed().take(SHOWN) {
        let line = found.principal_variation.iter().take(LINE);
        let line: Vec<String> = line.map(|&code| engine.name(code)).collect();
        let exact = if found.proof.is_some() { " sure" } else { "" };
        rows.push(vec![
            engine.name(found.mv),
            format!("{:.0} %{exact}", 100.0 * found.value),
            found.visits.to_string(),
            line.join(" "),
        ]);
    }
    write!(out, "{}", columns(&rows, &[2]))?;
    let iterations = counted(report.iterations, "iteration", "iterations");
    let seconds = report.elapsed.as_secs_f64();
    writeln!(out, "{iterations} in {seconds:.1} s.")
}

/// Writes the record to a new file, or to the one that was written before.
pub(super) fn save(dialogue: &mut Dialogue, path: &str, out: &mut Screen) -> io::Result<()> {
    let Some(text) = record(dialogue) else {
        return writeln!(out, "The game cannot be recorded.");
    };
    let shown = shorten(path);
    let again = dialogue.saved.as_deref() == Some(path);
    let written = match again {
        true => files::replace(Path::new(path), text.as_bytes()),
        false => File::create_new(path).and_then(|mut file| {
            file.write_all(text.as_bytes()).inspect_err(|_| {
                let _ = fs::remove_file(path);
            })
        }),
    };
    match written {
        Ok(()) => {
            dialogue.saved = Some(path.to_string());
            writeln!(out, "Saved as `{shown}`.")
        }
        Err(error) => {
            let reason = match error.kind() {
                io::ErrorKind::AlreadyExists => "it is there already".to_string(),
                _ => files::reason(&error),
            };
            writeln!(
                out,
                "`{shown}` cannot be saved: {reason}; give the name of a new file."
            )
        }
    }
}

/// The game as a record that says who played and how the colours came about.
fn record(dialogue: &Dialogue) -> Option<String> {
    let mut game_record = game_record(dialogue)?;
    game_record.result = dialogue.result();
    let how = dialogue.how();
    game_record.comment = Some(match game_record.comment {
        // Said already when it was saved before.
        Some(said) if said.lines().any(|line| line == how) => said,
        Some(said) => format!("{said}\n{how}"),
        None => how.to_string(),
    });
    Some(dialogue.engine.variant().records().write(game_record))
}

/// The moves, the players and the clocks, with the words of the game that was loaded.
pub(super) fn game_record(dialogue: &Dialogue) -> Option<GameRecord> {
    let game_record = dialogue.engine.game_record()?;
    let mut game_record = game_record.with_words_of(dialogue.loaded());
    // Other players play on, without the clocks of then.
    (
        game_record.players,
        game_record.main_time,
        game_record.overtime,
    ) = (PerSeat::default(), None, None);
    let level = dialogue.level();
    for &seat in dialogue.engine.players() {
        game_record.players[seat] = Some(match Some(seat) == dialogue.seat() {
            true => "player".to_string(),
            false => format!("Tanada {} ({})", env!("CARGO_PKG_VERSION"), level.name),
        });
    }
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    game_record.date = now.get(..10).map(str::to_string);
    if let TimeControl::Fischer { main, increment } = dialogue.control() {
        game_record.main_time = Some(main.as_secs_f64());
        let increment = increment.as_secs_f64();
        game_record.overtime = (increment > 0.0).then(|| format!("{increment} s a move"));
    }
    Some(game_record)
}
