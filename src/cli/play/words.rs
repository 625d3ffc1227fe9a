//! What can be typed beside moves: help, hints, reasons, records.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use tanada::clock::TimeControl;
use tanada::files;
use tanada::game::PerSeat;

use super::super::columns;
use super::super::failure::shorten;
use super::dialogue::Dialogue;

/// Help before the game.
pub(super) const BEGIN: &str = "\x20 COLOUR      you play it
  pie         Tanada makes the next move, and you take a colour
  setup       you make up a start position, and Tanada takes a colour
  level NAME  how strong Tanada plays; without a name: all levels
  board       shows the board
  quit        ends
";

/// Help in the game, but for what a move is.
pub(super) const PLAY: &str =
    "\x20 hint        a move that Tanada would make for you; it thinks in your time
  why         what Tanada thinks of its last move, and of yours to come with their chances
  undo        takes your last move back, and what came after it
  save FILE   writes the record of the game
  level NAME  how strong Tanada plays; without a name: all levels
  time        the time used, and what the clocks say
  resign      gives the game up
  board       shows the board
  quit        ends
";

/// How many moves `why` shows.
const SHOWN: usize = 5;
/// How many moves of a variation.
const LINE: usize = 8;

/// A move for the player.
pub(super) fn hint(dialogue: &mut Dialogue, out: &mut dyn Write) -> io::Result<()> {
    let limits = dialogue.limits();
    let report = dialogue.engine.search(&limits, &|| false);
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
pub(super) fn why(dialogue: &mut Dialogue, out: &mut dyn Write) -> io::Result<()> {
    if let Some(thought) = dialogue.thought() {
        writeln!(out, "{thought}")?;
    }
    let limits = dialogue.limits();
    let report = dialogue.engine.search(&limits, &|| false);
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
    let (n, seconds) = (report.iterations, report.elapsed.as_secs_f64());
    writeln!(out, "{n} iterations in {seconds:.1} s.")
}

/// Writes the record to a new file, or to the one that was written before.
pub(super) fn save(dialogue: &mut Dialogue, path: &str, out: &mut dyn Write) -> io::Result<()> {
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
                "`{shown}` cannot be saved: {reason}, expected a new file."
            )
        }
    }
}

/// The game as a record that says who played and how the colours came about.
fn record(dialogue: &Dialogue) -> Option<String> {
    let sheet = dialogue.engine.sheet()?;
    let mut sheet = sheet.with_words_of(dialogue.loaded());
    // Other players play on, without the clocks of then.
    (sheet.players, sheet.main_time, sheet.overtime) = (PerSeat::default(), None, None);
    let level = dialogue.level();
    for &seat in dialogue.engine.players() {
        sheet.players[seat] = Some(match Some(seat) == dialogue.seat() {
            true => "player".to_string(),
            false => format!("Tanada {} ({})", env!("CARGO_PKG_VERSION"), level.name),
        });
    }
    sheet.result = dialogue.result();
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    sheet.date = now.get(..10).map(str::to_string);
    if let TimeControl::Fischer { main, increment } = dialogue.control() {
        sheet.main_time = Some(main.as_secs_f64());
        let increment = increment.as_secs_f64();
        sheet.overtime = (increment > 0.0).then(|| format!("{increment} s a move"));
    }
    let how = dialogue.how();
    sheet.comment = Some(match sheet.comment {
        // Said already when it was saved before.
        Some(said) if said.lines().any(|line| line == how) => said,
        Some(said) => format!("{said}\n{how}"),
        None => how.to_string(),
    });
    Some(dialogue.engine.ruleset().record(sheet))
}
