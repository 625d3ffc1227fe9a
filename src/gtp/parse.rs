//! The wire format of GTP 2: lines of bytes become commands, replies become text.
//!
//! Every input is accepted.

use thiserror::Error;

use crate::util::quote::lines;

const MAX_ID: u32 = 0x7fff_ffff;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CommandLine {
    /// The number before the name, 0 to [`MAX_ID`], which the reply repeats.
    pub(super) id: Option<u32>,
    /// The name, with its case unchanged; empty after an id alone.
    pub(super) name: String,
    pub(super) arguments: Vec<String>,
}

/// Reads one line, up to its first line feed or its last byte. A line without words is `None` and
/// gets no reply.
///
/// Control characters other than tabs are dropped, then everything from `#` on. Blanks and tabs
/// separate words. Bytes that are not UTF-8 become U+FFFD, so a word with them is not a known name.
/// A first word of digits is the id; one above [`MAX_ID`] is the name of an unknown command.
pub(super) fn parse_line(line: &[u8]) -> Option<CommandLine> {
    let text = printable(line);
    let command = text.split('#').next().unwrap_or_default();
    let mut words = command.split([' ', '\t']).filter(|word| !word.is_empty());
    let first = words.next()?;
    let id = id(first);
    let name = match id {
        Some(_) => words.next().unwrap_or_default(),
        None => first,
    };
    Some(CommandLine {
        id,
        name: name.to_string(),
        arguments: words.map(str::to_string).collect(),
    })
}

/// Whether the line is the comment `# interrupt`, by which GoGui asks the running command to answer
/// now. For [`parse_line`] it is an empty line.
pub(super) fn is_interrupt(line: &[u8]) -> bool {
    let text = printable(line);
    text.trim_matches([' ', '\t'])
        .strip_prefix('#')
        .is_some_and(|comment| comment.trim_matches([' ', '\t']) == "interrupt")
}

pub(super) fn is_quit(line: &[u8]) -> bool {
    parse_line(line).is_some_and(|command| command.name == "quit")
}

/// The text up to the first line feed, without control characters other than tabs.
fn printable(line: &[u8]) -> String {
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(line)
        .chars()
        .filter(|&c| c == '\t' || !c.is_control())
        .collect()
}

fn id(word: &str) -> Option<u32> {
    if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    word.parse().ok().filter(|&id| id <= MAX_ID)
}

/// The reply as it is sent: `= text`, `=12 text`, `? message` or `?12 message`, then an empty line.
///
/// A blank always precedes the text, even an empty one or one that begins with a line feed. Blanks
/// at the ends of lines and empty lines are dropped, so the only empty line is the last one.
/// Characters that a terminal would act on, except tabs and line feeds, become U+FFFD: the text may
/// come from a file, and the client may show it on a terminal.
pub(super) fn format_reply(id: Option<u32>, reply: Result<&str, &str>) -> String {
    let (sign, text) = match reply {
        Ok(text) => ('=', text),
        Err(message) => ('?', message),
    };
    let mut out = String::with_capacity(text.len() + 16);
    out.push(sign);
    if let Some(id) = id {
        out.push_str(&id.to_string());
    }
    out.push(' ');
    for (number, line) in text.split('\n').enumerate() {
        let line = line.trim_end();
        if number > 0 && !line.is_empty() {
            out.push('\n');
        }
        out.push_str(&lines(line));
    }
    out.push_str("\n\n");
    out
}

/// Why a command failed. Its text is the message of the reply.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum GtpError {
    #[error("unknown command")]
    UnknownCommand,
    /// An argument is missing or malformed.
    #[error("syntax error")]
    SyntaxError,
    #[error("unacceptable size")]
    UnacceptableSize,
    #[error("illegal move")]
    IllegalMove,
    #[error("cannot undo")]
    CannotUndo,
    /// The file cannot be read or has no valid game.
    #[error("cannot load file")]
    CannotLoadFile,
    #[error("cannot score")]
    CannotScore,
    /// Another player is to move.
    #[error("wrong color to move")]
    WrongColor,
    /// A message of its own, for commands that GTP 2 does not have.
    #[error("{0}")]
    Other(String),
}

impl GtpError {
    pub(super) fn explain(error: impl std::fmt::Display) -> Self {
        Self::Other(error.to_string())
    }
}

/// Reads a finite decimal number.
///
/// # Errors
/// `syntax error` for any other word, infinity and NaN included.
pub(super) fn parse_float(text: &str) -> Result<f64, GtpError> {
    text.parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
        .ok_or(GtpError::SyntaxError)
}

/// Reads an integer that fits 32 bits.
///
/// # Errors
/// `syntax error` for any other word.
pub(super) fn parse_integer(text: &str) -> Result<u32, GtpError> {
    text.parse().map_err(|_| GtpError::SyntaxError)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The line's id, and its name and arguments with `|` between.
    fn read(line: &[u8]) -> Option<(Option<u32>, String)> {
        parse_line(line).map(|c| {
            let words: Vec<String> = std::iter::once(c.name).chain(c.arguments).collect();
            (c.id, words.join("|"))
        })
    }

    fn words(line: &[u8]) -> String {
        let (id, words) = read(line).unwrap();
        assert_eq!(id, None);
        words
    }

    #[test]
    fn blank_lines_hold_nothing() {
        for line in "|\n|  \t \r\n|# comment| # 3 quit|\x00\x07\x1b\x7f|\nquit".split('|') {
            assert_eq!(parse_line(line.as_bytes()), None, "{line:?}");
        }
    }

    #[test]
    fn words_are_separated_by_blanks_and_tabs() {
        assert_eq!(words(b"play b D4"), "play|b|D4");
        assert_eq!(words(b"  play\t b\t\tD4  \r\n"), "play|b|D4");
        assert_eq!(words(b"play b D4#quit # x"), "play|b|D4");
        assert_eq!(words(b"PLAY B d4"), "PLAY|B|d4");
    }

    #[test]
    fn control_characters_vanish() {
        assert_eq!(words(b"pl\x00ay\x07 \x1bb\r D\x7f4\x0b"), "play|b|D4");
        assert_eq!(words("name \u{85}x\u{9f}".as_bytes()), "name|x");
    }

    #[test]
    fn other_bytes_are_kept_or_marked() {
        assert_eq!(words("komi \u{e9}\u{a0}".as_bytes()), "komi|\u{e9}\u{a0}");
        assert_eq!(words(b"komi \xff\xfe"), "komi|\u{fffd}\u{fffd}");
        assert_eq!(words(b"\xf0\x9f quit"), "\u{fffd}|quit");
    }

    #[test]
    fn ids_are_31_bits() {
        for (line, id, words) in [
            ("12 name", Some(12), "name"),
            ("0 name x", Some(0), "name|x"),
            ("007 name", Some(7), "name"),
            ("2147483647 name", Some(MAX_ID), "name"),
            ("2147483648 name", None, "2147483648|name"),
            ("99999999999999999999 a", None, "99999999999999999999|a"),
            ("5", Some(5), ""),
            ("-5 name", None, "-5|name"),
            ("+5 name", None, "+5|name"),
            ("5name", None, "5name"),
            ("3 4 name", Some(3), "4|name"),
        ] {
            assert_eq!(read(line.as_bytes()), Some((id, words.into())));
        }
    }

    #[test]
    fn long_lines_are_read() {
        let line = format!("9 gogui-play_sequence{}", " b D4".repeat(20_000));
        let command = parse_line(line.as_bytes()).unwrap();
        assert_eq!(command.id, Some(9));
        assert_eq!(command.arguments.len(), 40_000);
        assert_eq!(words(&[b'x'; 100_000]).len(), 100_000);
        assert_eq!(read(&[b'7'; 100_000]).unwrap().0, None);
    }

    #[test]
    fn interrupts_are_comments() {
        for line in "# interrupt|# interrupt\r\n| #\tinterrupt |#interrupt".split('|') {
            assert!(is_interrupt(line.as_bytes()));
            assert_eq!(parse_line(line.as_bytes()), None);
        }
        let others =
            "interrupt|# interrupted|# Interrupt|name # interrupt|## interrupt|\n# interrupt|";
        for line in others.split('|') {
            assert!(!is_interrupt(line.as_bytes()));
        }
    }

    #[test]
    fn quit_is_found() {
        for line in [&b"quit"[..], b" 12 quit\r\n", b"quit now # or later"] {
            assert!(is_quit(line));
        }
        for line in [&b"#quit"[..], b"QUIT", b"quitter", b"12", b""] {
            assert!(!is_quit(line));
        }
    }

    #[test]
    fn replies_have_their_form() {
        let good = |id, text: &str| format_reply(id, Ok(text));
        assert_eq!(good(None, ""), "= \n\n");
        assert_eq!(good(Some(12), ""), "=12 \n\n");
        assert_eq!(good(Some(12), "D4"), "=12 D4\n\n");
        assert_eq!(good(None, "a  \r\n\r\n \t\nb\n\n"), "= a\nb\n\n");
        assert_eq!(good(None, "\n\n A B \n1 .\n"), "= \n A B\n1 .\n\n");
        let raw = "a\u{7}\u{202e}b\tc\u{2066}\u{9b}\u{2028}d";
        let shown = "a\u{fffd}\u{fffd}b\tc\u{fffd}\u{fffd}\u{fffd}d";
        assert_eq!(good(None, raw), format!("= {shown}\n\n"));
        assert_eq!(format_reply(None, Err(raw)), format!("? {shown}\n\n"));
        let bad = format_reply(Some(0), Err("illegal move"));
        assert_eq!(bad, "?0 illegal move\n\n");
        assert_eq!(format_reply(None, Err("")), "? \n\n");
    }

    #[test]
    fn numbers_are_checked() {
        assert_eq!(parse_float("6.5"), Ok(6.5));
        assert_eq!(parse_float("-7"), Ok(-7.0));
        for bad in ["", "nan", "inf", "-infinity", "1e999", "6,5", "x"] {
            assert!(parse_float(bad).is_err());
        }
        assert_eq!(parse_integer("4294967295"), Ok(u32::MAX));
        for bad in ["", "-1", "4294967296", "1.0", "x"] {
            assert!(parse_integer(bad).is_err());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(line in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = (is_interrupt(&line), is_quit(&line));
            if let Some(command) = parse_line(&line) {
                prop_assert!(command.id.is_some() || !command.name.is_empty());
                for word in command.arguments.iter().chain([&command.name]) {
                    let odd = |c: char| c.is_control() || c == ' ' || c == '#';
                    prop_assert!(!word.contains(odd));
                }
                prop_assert!(command.arguments.iter().all(|word| !word.is_empty()));
            }
        }

        #[test]
        fn what_is_read_reads_the_same(line in "[ -~\t]{0,80}") {
            if let Some(command) = parse_line(line.as_bytes()) {
                let id = command.id.map(|id| id.to_string()).unwrap_or_default();
                let again = format!("{id} {} {}", command.name, command.arguments.join(" "));
                prop_assert_eq!(parse_line(again.as_bytes()), Some(command));
            }
        }

        #[test]
        fn any_reply_ends_once(id in prop::option::of(0u32..), text in "[a-z \t\r\n\u{0}é]{0,60}") {
            for reply in [Ok(text.as_str()), Err(text.as_str())] {
                let sent = format_reply(id, reply);
                let body = sent.strip_suffix("\n\n").unwrap();
                prop_assert!(!body.contains("\n\n") && !body.ends_with('\n'));
                prop_assert!(body.lines().skip(1).all(|line| !line.ends_with([' ', '\t', '\r'])));
                let head = format!("{} ", id.map(|id| id.to_string()).unwrap_or_default());
                prop_assert!(body.get(1..).unwrap().starts_with(&head));
            }
        }
    }
}
