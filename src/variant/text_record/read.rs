//! Reading plain text records.

use std::fmt::Display;

use super::write::VERSION;
use crate::game::Seat;
use crate::params::Params;
use crate::util::quote::shorten;
use crate::variant::definition::{DefaultStart, GameRecord, Variant};
use crate::variant::game_record::{RecordedMove, append_line};
use crate::variant::running_game::RunningGame;

type Parsed<T> = Result<T, String>;

/// What is wrong, with line and column, each from 1.
fn fail<T>(line: usize, column: usize, text: impl Display) -> Parsed<T> {
    Err(format!("line {line}, column {column}: {text}"))
}

/// Whether a line begins a record.
pub(super) fn is_title(line: &str, title: &str) -> bool {
    let rest = line.trim_end().strip_prefix('#');
    // A title after more than one blank is part of a comment.
    rest.is_some_and(|rest| rest.strip_prefix(' ').unwrap_or(rest) == title)
}

pub(super) struct Reader<'a> {
    pub(super) variant: &'a dyn Variant,
    /// The start of a record without a start position.
    pub(super) default: &'a DefaultStart<'a>,
}

impl Reader<'_> {
    /// Reads the first `most` records of a text, at least one.
    pub(super) fn records(&self, bytes: &[u8], most: usize) -> Parsed<Vec<Parsed<GameRecord>>> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(fault) => {
                let before = bytes.get(..fault.valid_up_to()).unwrap_or_default();
                let before = String::from_utf8_lossy(before);
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().unwrap_or_default();
                return fail(line, column.chars().count() + 1, "this is not UTF-8 text");
            }
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let blank = |c: char| if c.is_control() && c != '\n' { ' ' } else { c };
        let text: String = text.chars().map(blank).collect();
        let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
        let title = self.variant.title();
        let mut game_records = Vec::new();
        for part in lines.chunk_by(|_, (_, line)| !is_title(line, title)) {
            if part.iter().any(|(_, line)| !line.trim().is_empty()) {
                game_records.push(self.record(part));
            }
            if game_records.len() >= most.max(1) {
                break;
            }
        }
        if game_records.is_empty() {
            let text = format!("the file holds no game: expected `# {title}` and moves");
            return fail(1, 1, text);
        }
        Ok(game_records)
    }

    fn record(&self, lines: &[(usize, &str)]) -> Parsed<GameRecord> {
        let is_turn = |line: &str| self.turn(line).is_some();
        let first = lines.iter().position(|(_, line)| is_turn(line));
        let (before, moves) = lines.split_at(first.unwrap_or(lines.len()));
        let is_marked = |line: &str| line.trim_start().starts_with('#');
        let position: Vec<(usize, &str)> = before
            .iter()
            .copied()
            .filter(|(_, line)| !is_marked(line) && !line.trim().is_empty())
            .collect();
        let start = match position.first() {
            Some(&(number, _)) => {
                let text: Vec<&str> = position.iter().map(|&(_, line)| line).collect();
                let start = self.variant.read(&format!("{}\n", text.join("\n")), None);
                start.or_else(|fault| fail(number, 1, fault))?
            }
            None => match (self.default)(None) {
                Some(start) => start,
                None => return fail(1, 1, "the record has no start position"),
            },
        };
        let mut game_record = GameRecord::new(start);
        self.headers(
            before.iter().filter(|(_, line)| is_marked(line)),
            &mut game_record,
        );
        let mut game = game_record.start.new_game(&Params::default(), None);
        for &(number, line) in moves {
            self.line(number, line, &mut game_record, game.as_mut())?;
        }
        Ok(game_record)
    }

    /// Reads the lines with `#` before the moves.
    fn headers<'l>(
        &self,
        lines: impl Iterator<Item = &'l (usize, &'l str)>,
        game_record: &mut GameRecord,
    ) {
        let mut comment: Option<Vec<&str>> = None;
        for &(_, line) in lines {
            let text = after_mark(line);
            match &mut comment {
                Some(lines) => lines.push(text),
                None if is_title(line, self.variant.title()) => {}
                None if text.is_empty() => comment = Some(Vec::new()),
                None => {
                    let header = text.split_once(':');
                    let known = header.is_some_and(|(name, value)| {
                        let value = value.strip_prefix(' ').unwrap_or(value);
                        self.header(name, value, game_record)
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

    /// Reads a header; false if there is none with this name.
    fn header(&self, name: &str, value: &str, game_record: &mut GameRecord) -> bool {
        let text = Some(value.to_string()).filter(|value| !value.is_empty());
        match (name, self.seat(name)) {
            (_, Some(seat)) => game_record.players[seat] = text,
            (VERSION, _) => {
                if let Some(version) = text {
                    game_record.version = version;
                }
            }
            ("name", _) => game_record.name = text,
            ("event", _) => game_record.event = text,
            ("round", _) => game_record.round = text,
            ("date", _) => game_record.date = text,
            ("place", _) => game_record.place = text,
            ("result", _) => game_record.result = text,
            ("main time", _) => game_record.main_time = number(value.trim()),
            ("overtime", _) => game_record.overtime = text,
            _ => return false,
        }
        true
    }

    fn seat(&self, word: &str) -> Option<Seat> {
        let colours = self.variant.colours();
        let index = colours
            .iter()
            .position(|colour| colour.eq_ignore_ascii_case(word));
        index.map(Seat::new)
    }

    /// The seat of a line of moves, and the rest of the line.
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
        line_number: usize,
        line: &str,
        game_record: &mut GameRecord,
        game: &mut dyn RunningGame,
    ) -> Parsed<()> {
        if line.trim().is_empty() {
            return Ok(());
        }
        if line.trim_start().starts_with('#') {
            if let Some(last) = game_record.moves.last_mut() {
                append_line(&mut last.comment, after_mark(line));
            }
            return Ok(());
        }
        let column = |rest: &str| {
            let before = line.len().saturating_sub(rest.len());
            line.get(..before).unwrap_or_default().chars().count() + 1
        };
        let Some((seat, rest)) = self.turn(line) else {
            let text = shorten(line.trim(), 40);
            let colours = self.variant.colours().join(" or ");
            let text = format!("invalid turn `{text}`: expected a number, {colours}, and moves");
            return fail(line_number, column(line.trim_start()), text);
        };
        let (moves, comment) = match rest.split_once('#') {
            Some((moves, comment)) => (moves, Some(comment)),
            None => (rest, None),
        };
        let before = game_record.moves.len();
        let mut time_left = None;
        for word in moves.split_whitespace() {
            // The word is a slice of the line.
            let at = word.as_ptr() as usize - line.as_ptr() as usize;
            let place = || column(line.get(at..).unwrap_or_default());
            if let Some(seconds) = word.strip_suffix('s').and_then(number) {
                time_left = Some(seconds);
                continue;
            }
            let codes = game.position().read_moves(word);
            let codes = codes.or_else(|fault| fail(line_number, place(), fault))?;
            for code in codes {
                // The next word may depend on this move; who uses the record checks legality.
                let _ = game.play(code);
                game_record.moves.push(RecordedMove::new(seat, code));
            }
        }
        let added = game_record.moves.get_mut(before..);
        let Some(last) = added.and_then(<[_]>::last_mut) else {
            let text = format!("`{}` has no moves", shorten(line.trim(), 40));
            return fail(line_number, column(rest), text);
        };
        last.time_left = time_left;
        last.comment = comment.map(|text| {
            let text = text.strip_prefix(' ').unwrap_or(text);
            text.trim_end().to_string()
        });
        Ok(())
    }
}

/// The text of a line after its `#`.
fn after_mark(line: &str) -> &str {
    let text = line.trim_start().strip_prefix('#').unwrap_or(line);
    text.strip_prefix(' ').unwrap_or(text).trim_end()
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}
