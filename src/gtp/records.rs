//! Commands that load and save game records.

use std::path::Path;

use super::call::{Call, Reply, done, shorten};
use super::parse::{GtpError, parse_integer};
use super::session::{Move, Session};
use crate::engine::Engine;
use crate::game::Seat;
use crate::games;
use crate::params::Params;
use crate::start::read_bytes;
use crate::util::files::{self, Kind};
use crate::variant::RecordedMove;

pub(super) fn load(session: &mut Session, call: &Call<'_>) -> Reply {
    // The name of the file may contain blanks; a number at the end is a move.
    let (path, before) = match call.arguments {
        [] => return Err(GtpError::SyntaxError),
        words @ [rest @ .., last] => match parse_integer(last) {
            Ok(0) if !rest.is_empty() => return Err(GtpError::SyntaxError),
            Ok(number) if !rest.is_empty() => (rest.join(" "), Some(number as usize)),
            _ => (words.join(" "), None),
        },
    };
    load_file(session, &path, before).ok_or(GtpError::CannotLoadFile)?;
    done()
}

/// Loads the first record of a file, up to the position before a move, counted from 1. Changes
/// nothing and returns `None` if anything is wrong with it.
fn load_file(session: &mut Session, path: &str, before: Option<usize>) -> Option<()> {
    let bytes = read_bytes(path).ok()?;
    let configuration = session.configuration();
    let configured = |side: Option<usize>| match side {
        Some(side) => Some(configuration.resized(side).ok()?.start().clone()),
        None => Some(configuration.start().clone()),
    };
    let variant = session.engine().variant();
    let game_records = variant.records().read_first(&bytes, 1, &configured);
    let game_record = game_records.into_iter().next()?.ok()?;
    let configuration = configuration.resized(game_record.start.side()).ok()?;
    let count = before.map_or(usize::MAX, |number| number - 1);
    let moves = || game_record.moves.iter().take(count);
    let mut replay = Engine::new(game_record.start.clone(), Params::default());
    let mut is_legal =
        |played: &RecordedMove| replay.to_move() == played.seat && replay.play(played.mv).is_ok();
    if !moves().all(&mut is_legal) {
        return None;
    }
    session.configure(configuration);
    session.begin(game_record.start.clone());
    let moves: Vec<(Seat, Move)> = moves()
        .map(|played| (played.seat, Move::Turn(vec![played.mv])))
        .collect();
    session.loaded = Some(game_record.clone());
    session.play_all(&moves).ok()
}

pub(super) fn print(session: &mut Session, call: &Call<'_>) -> Reply {
    let engine = session.engine();
    let Some(game_record) = engine.game_record() else {
        let text = "a game that a player has left cannot be recorded";
        return Err(GtpError::Other(text.into()));
    };
    let game_record = match &session.loaded {
        Some(loaded) => game_record.with_words_of(loaded),
        None => game_record,
    };
    let record = engine.variant().write_game(game_record);
    if call.arguments.is_empty() {
        // An empty line would end the answer.
        let lines = record.lines().filter(|line| !line.is_empty());
        return Ok(lines.collect::<Vec<_>>().join("\n").into());
    }
    let path = call.arguments.join(" ");
    match save(&path, &record, session.overwrites) {
        Ok(()) => done(),
        Err(reason) => {
            let path = shorten(&path);
            Err(GtpError::Other(format!(
                "cannot save file `{path}`: {reason}"
            )))
        }
    }
}

/// The records that these commands write.
const KIND: Kind<'_> = Kind {
    maker: "tanada",
    is_own: &games::is_own_record,
};

/// Writes a file, or replaces a record that Tanada wrote; any other file is only replaced if
/// `overwrites`. The old file stays if writing fails.
///
/// # Errors
/// Why the file cannot be written.
fn save(path: &str, text: &str, overwrites: bool) -> Result<(), String> {
    let path = Path::new(path);
    if !overwrites && files::is_foreign(path, &KIND).unwrap_or(false) {
        return Err("the file exists and was not written by Tanada".to_string());
    }
    files::replace(path, text.as_bytes()).map_err(|error| files::reason(&error))
}

#[cfg(test)]
mod tests {
    use crate::gtp::Session;
    use crate::gtp::session::tests::{play_out, session, session_of, setup};

    fn file(text: &str) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a game.sgf");
        std::fs::write(&path, text).unwrap();
        let path = path.to_str().unwrap().to_string();
        (folder, path)
    }

    /// A session with this record loaded from a file, and the file.
    fn loaded(side: usize, text: &str) -> (Session, tempfile::TempDir, String) {
        let (folder, path) = file(text);
        let mut session = session(side);
        session.check(format!("loadsgf {path}"), "= ");
        (session, folder, path)
    }

    #[test]
    fn records_are_loaded_up_to_before_a_move() {
        let (_folder, path) = file("(;SZ[9];B[bg];W[bc];B[bf])");
        let mut session = session(19);
        for (number, moves) in [("", 3), (" 1", 0), (" 3", 2), (" 9", 3)] {
            session.check(format!("loadsgf {path}{number}"), "= ");
            assert_eq!(session.engine().moves().count(), moves);
            assert_eq!(session.engine().start().side(), 9);
        }
        session.check("gg-undo 3", "= ");
        session.check("undo", "? cannot undo");
        session.check("clear_board", "= ");
        assert_eq!(session.engine().start().side(), 9);
    }

    #[test]
    fn the_first_game_is_loaded_whatever_comes_after_it() {
        for rest in ["(;SZ[9]AB[aa])", "(;SZ[3])", "(;SZ)", "("] {
            let (session, ..) = loaded(9, &format!("(;SZ[9];B[bg]){rest}"));
            assert_eq!(session.engine().moves().count(), 1);
        }
    }

    #[test]
    fn what_a_loaded_record_says_is_printed_again() {
        let text = "(;SZ[9]PB[Ann]RE[B+R]C[Cup\n\nfinal];B[bg]C[good];W[bc])";
        let (mut session, _folder, path) = loaded(9, text);
        let printed = session.answer("printsgf");
        for part in [
            "PB[Ann]RE[B+R]",
            "C[Cup\nfinal\nGoGui opens this game with the engine `tanada --size 9`.]",
            ";B[bg]C[good];W[bc])",
        ] {
            assert!(printed.contains(part), "{part} is not in {printed}");
        }
        // Loading and saving again changes nothing.
        let path = path.replace("a game", "saved");
        session.check(format!("printsgf {path}"), "= ");
        for _ in 0..3 {
            let saved = std::fs::read_to_string(&path).unwrap();
            session.check(format!("loadsgf {path}"), "= ");
            session.check(format!("printsgf {path}"), "= ");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), saved);
        }
        // A game that continues differently loses the result.
        session.check("undo", "= ");
        let printed = session.answer("printsgf");
        let is_other = printed.contains("C[good])") && !printed.contains("RE[");
        assert!(is_other, "{printed}");
        session.check("clear_board", "= ");
        assert!(!session.answer("printsgf").contains("Ann"));
    }

    #[test]
    fn what_a_terminal_would_act_on_is_replaced_in_answers_but_not_in_files() {
        let odd = "a\u{202e}b\u{2066}c\u{2069}d\u{2028}e\u{200f}f";
        let text = format!("(;SZ[9]PB[{odd}]GN[{odd}]C[{odd}];B[bg]C[{odd}])");
        let (mut session, _folder, path) = loaded(9, &text);
        for command in ["printsgf", "tanada-print_record"] {
            let printed = session.answer(command);
            let is_hidden = |c: char| c != '\n' && crate::util::quote::is_hidden(c);
            assert!(!printed.contains(is_hidden), "{printed:?}");
            let shown = "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e\u{fffd}f";
            assert_eq!(printed.matches(shown).count(), 4, "{printed}");
        }
        let path = path.replace("a game", "saved");
        session.check(format!("printsgf {path}"), "= ");
        let saved = std::fs::read_to_string(&path).unwrap();
        assert_eq!(saved.matches(odd).count(), 4, "{saved:?}");
    }

    #[test]
    fn games_of_gogui_are_loaded() {
        let (mut session, ..) = loaded(19, "(;FF[4]SZ[9];B[ch]PL[W];W[bc]PL[B])");
        assert_eq!(session.engine().moves().count(), 2);
        session.check("gogui-rules_side_to_move", "= black");
    }

    #[test]
    fn nothing_behind_the_first_game_is_looked_at() {
        // Positions of faults were once counted from the start of the text, which took half a minute.
        let text = format!("(;SZ[9];B[bg]){}", "(;SZ[3])".repeat(131_070));
        let begin = std::time::Instant::now();
        loaded(9, &text);
        assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
    }

    #[test]
    fn records_bring_their_start_for_one_game() {
        let (mut session, ..) = loaded(9, "(;SZ[9]AB[aa]AW[ii]PL[W];W[ih])");
        assert_eq!(setup(&session).stones.len(), 3);
        session.check("gogui-rules_side_to_move", "= black");
        session.check("clear_board", "= ");
        assert_eq!(setup(&session).stones.len(), 4);
    }

    #[test]
    fn what_cannot_be_loaded_changes_nothing() {
        let mut session = session(9);
        session.check("play b B3", "= ");
        let before = session.answer("showboard");
        for text in [
            "",
            "no game",
            "(;SZ[9];B[aa])",
            "(;SZ[9];B[bg];W[bc];W[bd])",
            "(;SZ[9];B[];W[bc])",
            "(;SZ[9]PL[W];B[bg])",
            "(;SZ[9]AB[aa][ab][ba][bb]AW[ii])",
        ] {
            let (_folder, path) = file(text);
            session.check(format!("4 loadsgf {path}"), "?4 cannot load file");
        }
        session.check("loadsgf nowhere.sgf; loadsgf /", "? cannot load file");
        session.check("loadsgf", "? syntax error");
        session.check("showboard", before);
        session.check("undo", "= ");
    }

    #[test]
    fn what_is_printed_is_loaded_again() {
        let mut session = session(5);
        play_out(&mut session);
        let (board, printed) = (session.answer("showboard"), session.answer("printsgf"));
        let moves = session.engine().moves().count();
        assert!(printed.starts_with("= (;FF[4]GM[1]"), "{printed}");
        assert!(printed.contains("RE[") && !printed.contains("\n\n"));
        let (_folder, path) = file(&format!("{}{}", &printed[2..], " ".repeat(9999)));
        session.check(format!("printsgf {path}"), "= ");
        session.check("boardsize 9", "= ");
        session.check(format!("loadsgf {path}"), "= ");
        assert_eq!(session.engine().moves().count(), moves);
        session.check("showboard", board);
        session.check("tanada-print_record", &printed);
        let saved = std::fs::read_to_string(path).unwrap();
        assert_eq!(format!("= {saved}"), printed + "\n");
    }

    #[cfg(unix)]
    #[test]
    fn what_a_dead_process_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("saved.sgf");
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let part = format!("saved.sgf.{}.tanada-part", child.id());
        child.wait().unwrap();
        std::fs::write(folder.path().join(part), "half a game").unwrap();
        let print = format!("printsgf {}", path.display());
        session(5).check(&print, "= ");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_saved_is_explained() {
        let mut session = session(5);
        for (path, part) in [
            ("/", "directory"),
            ("/nowhere/at/all.sgf", "no such"),
            ("/dev/null", "not a regular file"),
        ] {
            session.refuse(format!("printsgf {path}"), &format!("file `{path}`: "));
            session.refuse(format!("printsgf {path}"), part);
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        let print = format!("printsgf {}", file.path().display());
        for theirs in [
            "my notes",
            "(;GM[1]AP[Sabaki:0.52]SZ[5];B[ab])",
            "# Taratibu\n",
        ] {
            std::fs::write(file.path(), theirs).unwrap();
            session.refuse(&print, "not written by Tanada");
            assert_eq!(std::fs::read_to_string(file.path()).unwrap(), theirs);
            session = session.with_overwriting(true);
            session.check(&print, "= ");
            session = session.with_overwriting(false);
        }
        std::fs::write(file.path(), "").unwrap();
        session.accept("tanada-position ...../.X.O./...../.R.G./.....; tanada-leave w");
        session.refuse(&print, "a player has left");
        assert_eq!(std::fs::read(file.path()).unwrap(), b"");
    }

    #[test]
    fn a_record_without_stones_begins_from_the_configured_start() {
        let (_folder, path) = file("(;SZ[19])");
        let mut session = session(19);
        session.check("tanada-setup dense", "= ");
        let start = session.engine().start().clone();
        session.check(format!("loadsgf {path}"), "= ");
        assert_eq!(session.engine().start(), &start);
    }

    #[test]
    fn any_game_has_records() {
        let mut session = session_of("taratibu");
        for _ in 0..4 {
            let legal = session.answer("tanada-legal_steps");
            let step = legal.split_whitespace().nth(1).unwrap().to_string();
            let side = session.answer("gogui-rules_side_to_move");
            session.answer(format!("play {} {step}", &side[2..]));
        }
        let printed = session.answer("tanada-print_record");
        assert!(printed.starts_with("= # Taratibu\n"), "{printed}");
        let board = session.answer("showboard");
        let (_folder, path) = file(&printed[2..]);
        // Its own record may be overwritten.
        session.check(format!("tanada-print_record {path}"), "= ");
        session.check("clear_board", "= ");
        let load = format!("tanada-load_record {path}");
        session.check(&load, "= ");
        session.check("showboard", board);
        session.check(format!("{load} 3"), "= ");
        assert_eq!(session.engine().moves().count(), 2);
        session.check("loadsgf x; printsgf", "? unknown command");
    }
}
