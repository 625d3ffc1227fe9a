//! Lines of the Go Text Protocol.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use tanada::gtp::{COMMANDS, Control, Session, Signal};
use tanada::{Configuration, Event, GAMES, Params, Seat};

use super::{sentence, small_params};

/// Commands that write the file that their arguments name.
const WRITERS: [&str; 2] = ["printsgf", "tanada-print_record"];

/// Words that arguments are made of.
const WORDS: [&str; 48] = [
    "b",
    "w",
    "r",
    "g",
    "white",
    "black",
    "a1",
    "B3",
    "c1",
    "B7",
    "C2",
    "d4",
    "e5",
    "G7",
    "pass",
    "resign",
    "null",
    "4",
    "5",
    "7",
    "9",
    "0",
    "-3",
    "1.5",
    "1e9",
    "nan",
    "x",
    "classic",
    "corners",
    "dense",
    "fischer",
    "canadian",
    "byoyomi",
    "absolute",
    "none",
    "seed",
    "preset",
    "uct",
    "threads",
    "memory",
    "iterations",
    "leaf",
    "alive",
    "dead",
    "#",
    "4163-6345",
    "4163",
    "interval",
];

/// The limit of one search; longer ones would slow the fuzzing.
const PATIENCE: Duration = Duration::from_millis(3);

/// The first byte chooses the game and the number of players, and whether the rest is lines of any
/// bytes or lines of the protocol's grammar.
pub(super) fn lines(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let mut session = session(first);
    if first & 0x80 == 0 {
        for line in rest.split(|&byte| byte == b'\n') {
            if execute(&mut session, line) {
                break;
            }
        }
    } else {
        let mut choices = rest.iter().copied();
        while let Some(line) = line(&mut choices) {
            if execute(&mut session, line.as_bytes()) {
                break;
            }
        }
    }
}

fn session(choice: u8) -> Session {
    let (game, size, players) = match choice & 7 {
        0 | 1 => (GAMES[1], None, None),
        2 | 3 => (GAMES[0], Some(9), Some(3)),
        4 => (GAMES[0], Some(9), Some(4)),
        5 => (GAMES[0], Some(9), None),
        6 => (GAMES[0], Some(4), None),
        _ => (GAMES[0], Some(7), None),
    };
    let configuration = Configuration::of(game, size, None, players).expect("a built-in start");
    let params = Params {
        seed: 1,
        iterations: Some(8),
        ..small_params()
    };
    Session::new(configuration, params)
}

/// A line of the grammar: a command of the table and words that fit some command.
fn line(choices: &mut impl Iterator<Item = u8>) -> Option<String> {
    let command = COMMANDS[usize::from(choices.next()?) % COMMANDS.len()];
    let mut line = command.name.to_string();
    let count = choices.next()?;
    if count & 0x80 != 0 {
        line = format!("{} {line}", count & 0x7f);
    }
    for _ in 0..count % 6 {
        let word = usize::from(choices.next()?);
        line.push(' ');
        match WORDS.get(word) {
            Some(word) => line.push_str(word),
            // A point of a board of up to 13 points a side.
            None => {
                let at = (word - WORDS.len()) % 169;
                line.push(char::from(b"abcdefghjklmn"[at / 13]));
                line.push_str(&(at % 13 + 1).to_string());
            }
        }
    }
    Some(line)
}

/// What a failed line must leave as it was.
fn state(session: &Session) -> (String, String, Vec<(Seat, Event)>, Params) {
    let engine = session.engine();
    (
        engine.notation().position_text(),
        engine.start().text(),
        engine.events().to_vec(),
        engine.params().clone(),
    )
}

/// Executes a line; true if it was `quit`.
fn execute(session: &mut Session, line: &[u8]) -> bool {
    let words = String::from_utf8_lossy(line).replace(|c: char| c.is_control() && c != '\t', "");
    let mut words = words
        .split_whitespace()
        .skip_while(|word| word.parse::<u32>().is_ok());
    if words.next().is_some_and(|name| WRITERS.contains(&name)) && words.next().is_some() {
        return false;
    }
    let before = state(session);
    let received = Instant::now();
    let signal = || match received.elapsed() < PATIENCE {
        true => Signal::GoOn,
        false => Signal::AnswerNow,
    };
    let sent = RefCell::new(String::new());
    let control = Control {
        send: &|text| sent.borrow_mut().push_str(text),
        ..Control::new(received, &signal)
    };
    let response = session.execute(line, &control);
    let Some(rest) = response.text else {
        assert_eq!(state(session), before);
        return false;
    };
    let text = sent.into_inner() + &rest;
    let body = text.strip_suffix("\n\n").expect("an empty line at the end");
    assert!(body.starts_with(['=', '?']), "{text:?}");
    assert!(!body.contains("\n\n") && !body.ends_with('\n'), "{text:?}");
    if let Some(error) = body.strip_prefix('?') {
        assert_eq!(state(session), before, "{text:?}");
        sentence(error);
    }
    response.quit
}
