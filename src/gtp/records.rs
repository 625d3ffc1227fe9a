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
    let (path, before) = match call.arguments() {
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
    let configured = |side: Option<usize>| {
        let configuration = session.configuration();
        let resized = match side {
            Some(side) => configuration.resized(side).ok()?,
            None => configuration.clone(),
        };
        Some(resized.start().clone())
    };
    let variant = session.engine().variant();
    let game_records = variant.records().read_first(&bytes, 1, &configured);
    let game_record = game_records.into_iter().next()?.ok()?;
    let configuration = session
        .configuration()
        .resized(game_record.start.side())
        .ok()?;
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
    let record = engine.variant().records().write(game_record);
    if call.arguments().is_empty() {
        // An empty line would end the answer.
        let lines = record.lines().filter(|line| !line.is_empty());
        return Ok(lines.collect::<Vec<_>>().join("\n").into());
    }
    let path = call.arguments().join(" ");
    match save(&path, &record, session.overwrites()) {
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
    use crate::gtp::session::tests::{answer, play_out, session, session_of, setup};

    fn file(text: &str) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a game.sgf");
        std::fs::write(&path, text).unwrap();
        let path = path.to_str().unwrap().to_string();
        (folder, path)
    }

    #[test]
    fn records_are_loaded_up_to_before_a_move() {
        let (_folder, path) = file("(;SZ[9];B[bg];W[bc];B[bf])");
        let mut session = session(19);
        for (number, moves) in [("", 3), (" 1", 0), (" 3", 2), (" 9", 3)] {
            assert_eq!(
                answer(&mut session, &format!("loadsgf {path}{number}")),
                "= "
            );
            assert_eq!(session.engine().moves().count(), moves);
            assert_eq!(session.engine().start().side(), 9);
        }
        assert_eq!(answer(&mut session, "gg-undo 3"), "= ");
        assert_eq!(answer(&mut session, "undo"), "? cannot undo");
        assert_eq!(answer(&mut session, "clear_board"), "= ");
        assert_eq!(session.engine().start().side(), 9);
    }

    #[test]
    fn the_first_game_is_loaded_whatever_comes_after_it() {
        for rest in ["(;SZ[9]AB[aa])", "(;SZ[3])", "(;SZ)", "("] {
            let (_folder, path) = file(&format!("(;SZ[9];B[bg]){rest}"));
            let mut session = session(9);
            assert_eq!(answer(&mut session, &format!("loadsgf {path}")), "= ");
            assert_eq!(session.engine().moves().count(), 1);
        }
    }

    #[test]
    fn what_a_loaded_record_says_is_printed_again() {
        let (_folder, path) = file("(;SZ[9]PB[Ann]RE[B+R]C[Cup\n\nfinal];B[bg]C[good];W[bc])");
        let mut session = session(9);
        answer(&mut session, &format!("loadsgf {path}"));
        let printed = answer(&mut session, "printsgf");
        for part in [
            "PB[Ann]RE[B+R]",
            "C[Cup\nfinal\nGoGui opens this game with the engine `tanada --size 9`.]",
            ";B[bg]C[good];W[bc])",
        ] {
            assert!(printed.contains(part), "{part} is not in {printed}");
        }
        // Loading and saving again changes nothing.
        let path = path.replace("a game", "saved");
        assert_eq!(answer(&mut session, &format!("printsgf {path}")), "= ");
        for _ in 0..3 {
            let saved = std::fs::read_to_string(&path).unwrap();
            assert_eq!(answer(&mut session, &format!("loadsgf {path}")), "= ");
            assert_eq!(answer(&mut session, &format!("printsgf {path}")), "= ");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), saved);
        }
        // A game that continues differently loses the result.
        answer(&mut session, "undo");
        let printed = answer(&mut session, "printsgf");
        assert!(
            printed.contains("C[good])") && !printed.contains("RE["),
            "{printed}"
        );
        answer(&mut session, "clear_board");
        assert!(!answer(&mut session, "printsgf").contains("Ann"));
    }

    #[test]
    fn what_a_terminal_would_act_on_is_replaced_in_answers_but_not_in_files() {
        let odd = "a\u{202e}b\u{2066}c\u{2069}d\u{2028}e\u{200f}f";
        let text = format!("(;SZ[9]PB[{odd}]GN[{odd}]C[{odd}];B[bg]C[{odd}])");
        let (_folder, path) = file(&text);
        let mut session = session(9);
        assert_eq!(answer(&mut session, &format!("loadsgf {path}")), "= ");
        for command in ["printsgf", "tanada-print_record"] {
            let printed = answer(&mut session, command);
            let is_hidden = |c: char| c != '\n' && crate::util::quote::is_hidden(c);
            assert!(!printed.contains(is_hidden), "{printed:?}");
            let shown = "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e\u{fffd}f";
            assert_eq!(printed.matches(shown).count(), 4, "{printed}");
        }
        let path = path.replace("a game", "saved");
        assert_eq!(answer(&mut session, &format!("printsgf {path}")), "= ");
        let saved = std::fs::read_to_string(&path).unwrap();
        assert_eq!(saved.matches(odd).count(), 4, "{saved:?}");
    }

    #[test]
    fn games_of_gogui_are_loaded() {
        let (_folder, path) = file("(;FF[4]SZ[9];B[ch]PL[W];W[bc]PL[B])");
        let mut session = session(19);
        assert_eq!(answer(&mut session, &format!("loadsgf {path}")), "= ");
        assert_eq!(session.engine().moves().count(), 2);
        assert_eq!(answer(&mut session, "gogui-rules_side_to_move"), "= black");
    }

    #[test]
    fn nothing_behind_the_first_game_is_looked_at() {
        // Positions of faults were once counted from the start of the text, which took half a minute.
        let text = format!("(;SZ[9];B[bg]){}", "(;SZ[3])".repeat(131_070));
        let (_folder, path) = file(&text);
        let mut session = session(9);
        let begin = std::time::Instant::now();
        assert_eq!(answer(&mut session, &format!("loadsgf {path}")), "= ");
        assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
    }

    #[test]
    fn records_bring_their_start_for_one_game() {
        let (_folder, path) = file("(;SZ[9]AB[aa]AW[ii]PL[W];W[ih])");
        let mut session = session(9);
        assert_eq!(answer(&mut session, &format!("loadsgf {path}")), "= ");
        assert_eq!(setup(&session).stones.len(), 3);
        assert_eq!(answer(&mut session, "gogui-rules_side_to_move"), "= black");
        answer(&mut session, "clear_board");
        assert_eq!(setup(&session).stones.len(), 4);
    }

    #[test]
    fn what_cannot_be_loaded_changes_nothing() {
        let mut session = session(9);
        answer(&mut session, "play b B3");
        let before = answer(&mut session, "showboard");
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
            let text = answer(&mut session, &format!("4 loadsgf {path}"));
            assert_eq!(text, "?4 cannot load file");
        }
        assert_eq!(
            answer(&mut session, "loadsgf nowhere.sgf"),
            "? cannot load file"
        );
        assert_eq!(answer(&mut session, "loadsgf /"), "? cannot load file");
        assert_eq!(answer(&mut session, "loadsgf"), "? syntax error");
        assert_eq!(answer(&mut session, "showboard"), before);
        assert_eq!(answer(&mut session, "undo"), "= ");
    }

    #[test]
    fn what_is_printed_is_loaded_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my game.sgf");
        let path = path.to_str().unwrap();
        let mut session = session(5);
        play_out(&mut session);
        let (board, printed) = (
            answer(&mut session, "showboard"),
            answer(&mut session, "printsgf"),
        );
        let moves = session.engine().moves().count();
        assert!(printed.starts_with("= (;FF[4]GM[1]"), "{printed}");
        assert!(printed.contains("RE[") && !printed.contains("\n\n"));
        let older = format!("{}{}", &printed[2..], " ".repeat(9999));
        std::fs::write(path, older).unwrap();
        assert_eq!(answer(&mut session, &format!("printsgf {path}")), "= ");
        answer(&mut session, "boardsize 9");
        assert_eq!(answer(&mut session, &format!("loadsgf {path}")), "= ");
        assert_eq!(session.engine().moves().count(), moves);
        assert_eq!(answer(&mut session, "showboard"), board);
        assert_eq!(answer(&mut session, "tanada-print_record"), printed);
        assert_eq!(
            std::fs::read_to_string(path).unwrap(),
            format!("{}\n", &printed[2..])
        );
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
        assert_eq!(answer(&mut session(5), &print), "= ");
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
            let text = answer(&mut session, &format!("printsgf {path}"));
            let begin = format!("? cannot save file `{path}`: ");
            assert!(text.starts_with(&begin) && text.contains(part), "{text}");
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        for theirs in [
            "my notes",
            "(;GM[1]AP[Sabaki:0.52]SZ[5];B[ab])",
            "# Taratibu\n",
        ] {
            std::fs::write(file.path(), theirs).unwrap();
            let print = format!("printsgf {}", file.path().display());
            let text = answer(&mut session, &print);
            assert!(text.contains("not written by Tanada"), "{text}");
            assert_eq!(std::fs::read_to_string(file.path()).unwrap(), theirs);
            session = session.with_overwriting(true);
            assert_eq!(answer(&mut session, &print), "= ");
            session = session.with_overwriting(false);
        }
        std::fs::write(file.path(), "").unwrap();
        let four = ".....\n.X.O.\n.....\n.R.G.\n.....".replace('\n', "/");
        assert_eq!(
            answer(&mut session, &format!("tanada-position {four}")),
            "= "
        );
        assert_eq!(answer(&mut session, "tanada-leave w"), "= ");
        let text = answer(&mut session, &format!("printsgf {}", file.path().display()));
        assert!(text.contains("a player has left"), "{text}");
        assert_eq!(std::fs::read(file.path()).unwrap(), b"");
    }

    #[test]
    fn a_record_without_stones_begins_from_the_configured_start() {
        let (_folder, path) = file("(;SZ[19])");
        let params = crate::params::Params {
            threads: 1,
            ..crate::params::Params::default()
        };
        let dense = crate::start::Configuration::new(Some(19), Some("dense"), None).unwrap();
        let start = dense.start().clone();
        let mut session = crate::gtp::Session::new(dense, params);
        assert_eq!(answer(&mut session, &format!("loadsgf {path}")), "= ");
        assert_eq!(session.engine().start(), &start);
    }

    #[test]
    fn any_game_has_records() {
        let mut session = session_of("taratibu");
        for _ in 0..4 {
            let legal = answer(&mut session, "tanada-legal_steps");
            let step = legal.split_whitespace().nth(1).unwrap().to_string();
            let side = answer(&mut session, "gogui-rules_side_to_move");
            answer(&mut session, &format!("play {} {step}", &side[2..]));
        }
        let printed = answer(&mut session, "tanada-print_record");
        assert!(printed.starts_with("= # Taratibu\n"), "{printed}");
        let board = answer(&mut session, "showboard");
        let (_folder, path) = file(&printed[2..]);
        // Its own record may be overwritten.
        let again = format!("tanada-print_record {path}");
        assert_eq!(answer(&mut session, &again), "= ");
        answer(&mut session, "clear_board");
        let load = format!("tanada-load_record {path}");
        assert_eq!(answer(&mut session, &load), "= ");
        assert_eq!(answer(&mut session, "showboard"), board);
        assert_eq!(answer(&mut session, &format!("{load} 3")), "= ");
        assert_eq!(session.engine().moves().count(), 2);
        assert_eq!(answer(&mut session, "loadsgf x"), "? unknown command");
        assert_eq!(answer(&mut session, "printsgf"), "? unknown command");
    }
}
