//! Reading plain records.

use super::{HEADS, Head};
use crate::game::Seat;
use crate::util::quote::shorten;
use crate::variant::game_record::{GameRecord, RecordedMove};
use crate::variant::{RunningGame, SharedStart};

/// What is wrong, and where: line and column, each from 1.
struct Wrong {
    line: usize,
    column: usize,
    text: String,
}

type Found<T> = Result<T, Wrong>;

fn wrong<T>(line: usize, column: usize, text: impl ToString) -> Found<T> {
    let text = text.to_string();
    Err(Wrong { line, column, text })
}

/// Whether a text begins like a record of the game.
pub(in crate::variant) fn is_record(title: &str, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| is_title(line, title))
}

/// A line that begins a record.
fn is_title(line: &str, title: &str) -> bool {
    let rest = line.trim_end().strip_prefix('#');
    // With more than one blank it is part of a comment.
    rest.is_some_and(|rest| rest.strip_prefix(' ').unwrap_or(rest) == title)
}

/// Reads the first `most` records of a text, at least one; `start` reads a start position.
pub(in crate::variant) fn read(
    title: &str,
    colours: &[&str],
    start: &dyn Fn(&str) -> Result<SharedStart, String>,
    bytes: &[u8],
    most: usize,
    otherwise: &dyn Fn(Option<usize>) -> Option<SharedStart>,
) -> Vec<Result<GameRecord, String>> {
    let reader = Reader {
        title,
        colours,
        start,
        otherwise,
    };
    let told = |wrong: Wrong| {
        let Wrong { line, column, text } = wrong;
        format!("line {line}, column {column}: {text}")
    };
    match reader.records(bytes, most.max(1)) {
        Ok(records) => records.into_iter().map(|r| r.map_err(told)).collect(),
        Err(wrong) => vec![Err(told(wrong))],
    }
}

struct Reader<'a> {
    title: &'a str,
    colours: &'a [&'a str],
    start: &'a dyn Fn(&str) -> Result<SharedStart, String>,
    otherwise: &'a dyn Fn(Option<usize>) -> Option<SharedStart>,
}

impl Reader<'_> {
    fn records(&self, bytes: &[u8], most: usize) -> Found<Vec<Found<GameRecord>>> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
                let before = String::from_utf8_lossy(before);
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().unwrap_or_default();
                return wrong(line, column.chars().count() + 1, "this is not UTF-8 text");
            }
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
        let begins = |line: &str| is_title(line, self.title);
        let mut game_records = Vec::new();
        for part in lines.chunk_by(|_, (_, line)| !begins(line)) {
            let empty = part.iter().all(|(_, line)| line.trim().is_empty());
            if !empty {
                game_records.push(self.record(part));
            }
            if game_records.len() >= most {
                break;
            }
        }
        match game_records.is_empty() {
            true => wrong(
                1,
                1,
                format!("nothing in it, expected `# {}` and moves", self.title),
            ),
            false => Ok(game_records),
        }
    }

    fn record(&self, lines: &[(usize, &str)]) -> Found<GameRecord> {
        let is_turn = |line: &str| self.turn(line).is_some();
        let first = lines
            .iter()
            .position(|(_, line)| is_turn(line))
            .unwrap_or(lines.len());
        let (before, moves) = lines.split_at(first);
        let is_said = |line: &str| line.trim_start().starts_with('#');
        let position: Vec<(usize, &str)> = before
            .iter()
            .copied()
            .filter(|(_, line)| !is_said(line) && !line.trim().is_empty())
            .collect();
        let start = match position.first() {
            Some(&(number, _)) => {
                let text: Vec<&str> = position.iter().map(|&(_, line)| line).collect();
                let start = (self.start)(&format!("{}\n", text.join("\n")));
                start.or_else(|error| wrong(number, 1, error))?
            }
            None => match (self.otherwise)(None) {
                Some(start) => start,
                None => return wrong(1, 1, "the record has no start position, expected one"),
            },
        };
        let mut game_record = GameRecord::new(start);
        self.heads(
            before.iter().filter(|(_, line)| is_said(line)),
            &mut game_record,
        );
        let mut table = game_record
            .start
            .new_game(&crate::params::Params::default(), None);
        for &(number, line) in moves {
            self.line(number, line, &mut game_record, table.as_mut())?;
        }
        Ok(game_record)
    }

    /// What is said before the moves.
    fn heads<'l>(
        &self,
        lines: impl Iterator<Item = &'l (usize, &'l str)>,
        game_record: &mut GameRecord,
    ) {
        let mut comment: Option<Vec<&str>> = None;
        for &(_, line) in lines {
            let text = said(line);
            match &mut comment {
                Some(lines) => lines.push(text),
                None if is_title(line, self.title) => {}
                None if text.is_empty() => comment = Some(Vec::new()),
                None => {
                    let head = text.split_once(':');
                    let known = head.is_some_and(|(name, value)| {
                        let value = value.strip_prefix(' ').unwrap_or(value);
                        self.head(name, value, game_record)
                    });
                    if !known {
                        comment = Some(vec![text]);
                    }
                }
            }
        }
        game_record.comment = comment
            .map(|lines| lines.join("\n"))
            .filter(|text| !text.is_empty());
    }

    /// Takes a head; false if it is none.
    fn head(&self, name: &str, value: &str, game_record: &mut GameRecord) -> bool {
        let text = Some(value.to_string()).filter(|value| !value.is_empty());
        if let Some(seat) = self.seat(name) {
            game_record.players[seat] = text;
            return true;
        }
        let Some((head, _)) = HEADS.iter().find(|(_, known)| *known == name) else {
            return false;
        };
        match head {
            Head::Version => game_record.version = value.to_string(),
            Head::Name => game_record.name = text,
            Head::Event => game_record.event = text,
            Head::Round => game_record.round = text,
            Head::Date => game_record.date = text,
            Head::Place => game_record.place = text,
            Head::Result => game_record.result = text,
            Head::MainTime => game_record.main_time = number(value),
            Head::Overtime => game_record.overtime = text,
        }
        true
    }

    fn seat(&self, word: &str) -> Option<Seat> {
        let named = self.colours.iter().zip(Seat::ALL);
        let mut named = named.filter(|(colour, _)| colour.eq_ignore_ascii_case(word));
        named.next().map(|(_, seat)| seat)
    }

    /// The side of a line of moves, and what comes after it.
    fn turn<'l>(&self, line: &'l str) -> Option<(Seat, &'l str)> {
        let line = line.trim_start();
        let (number, rest) = line.split_once(char::is_whitespace)?;
        let number = number.trim_end_matches('.');
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let rest = rest.trim_start();
        let (colour, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        Some((self.seat(colour)?, rest))
    }

    /// Reads a line among the moves.
    fn line(
        &self,
        number: usize,
        line: &str,
        game_record: &mut GameRecord,
        table: &mut dyn RunningGame,
    ) -> Found<()> {
        if line.trim().is_empty() {
            return Ok(());
        }
        if line.trim_start().starts_with('#') {
            if let Some(last) = game_record.moves.last_mut() {
                let text = said(line);
                match &mut last.comment {
                    Some(comment) => {
                        comment.push('\n');
                        comment.push_str(text);
                    }
                    none => *none = Some(text.to_string()),
                }
            }
            return Ok(());
        }
        let column = |rest: &str| {
            let before = line.len().saturating_sub(rest.len());
            line.get(..before).unwrap_or_default().chars().count() + 1
        };
        let Some((seat, rest)) = self.turn(line) else {
            let text = shorten(line.trim(), 40);
            let colours = self.colours.join(" or ");
            let text = format!("`{text}` is no turn, expected a number, {colours}, and moves");
            return wrong(number, column(line.trim_start()), text);
        };
        let (moves, comment) = match rest.split_once('#') {
            Some((moves, comment)) => (moves, Some(comment)),
            None => (rest, None),
        };
        let before = game_record.moves.len();
        let mut time_left = None;
        for word in moves.split_whitespace() {
            // A slice of the line, so its place is known.
            let at = word.as_ptr() as usize - line.as_ptr() as usize;
            let place = || column(line.get(at..).unwrap_or_default());
            if let Some(seconds) = word.strip_suffix('s').and_then(number_of) {
                time_left = Some(seconds);
                continue;
            }
            let codes = match table.notation().read_moves(word) {
                Ok(codes) => codes,
                Err(error) => return wrong(number, place(), error),
            };
            for code in codes {
                // Whether it is legal is another's question; words may depend on it.
                let _ = table.play(code);
                game_record.moves.push(RecordedMove::new(seat, code));
            }
        }
        match game_record
            .moves
            .get_mut(before..)
            .and_then(<[_]>::last_mut)
        {
            Some(last) => {
                last.time_left = time_left;
                last.comment = comment.map(|text| {
                    text.strip_prefix(' ')
                        .unwrap_or(text)
                        .trim_end()
                        .to_string()
                });
                Ok(())
            }
            None => {
                let text = format!("`{}` has no moves", shorten(line.trim(), 40));
                wrong(number, column(rest), text)
            }
        }
    }
}

/// What a line says behind its `#`.
fn said(line: &str) -> &str {
    let text = line.trim_start().strip_prefix('#').unwrap_or(line);
    text.strip_prefix(' ').unwrap_or(text).trim_end()
}

fn number(text: &str) -> Option<f64> {
    number_of(text.trim())
}

fn number_of(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}
