//! The line in the root's comment that tells how to open a record in GoGui.
//!
//! GoGui opens a record only with an engine that was started with the record's size and start.
//! The line is added when a record is written and dropped when it is read, so it stays one line
//! however often a game is saved and loaded.

use crate::tanbo::{NamedSetup, Setup, colour};

/// How the line begins.
const BEGIN: &str = "GoGui opens this game with the engine `tanada --";

/// The comment of a root with the line. GoGui cannot show colours other than Black and White, so
/// other games get no line.
pub(super) fn with_options(comment: Option<&str>, start: &Setup) -> Option<String> {
    if start.players() != [colour::BLACK, colour::WHITE] {
        return comment.filter(|text| !text.is_empty()).map(str::to_string);
    }
    let line = match options(start) {
        Some(options) => format!("{BEGIN}{options}`."),
        None => format!("{BEGIN}setup FILE`, where FILE is this record."),
    };
    Some(match comment {
        None | Some("") => line,
        // Line ends become `\n`, as in the rest of the record.
        Some(comment) => {
            let comment = comment.replace("\r\n", "\n").replace('\r', "\n");
            format!("{comment}\n{line}")
        }
    })
}

/// The comment without such lines.
pub(super) fn without_options(comment: Option<String>) -> Option<String> {
    let comment = comment?;
    let is_own = |line: &str| line.starts_with(BEGIN);
    if !comment.split('\n').any(is_own) {
        return Some(comment);
    }
    let lines: Vec<&str> = comment.split('\n').filter(|line| !is_own(line)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The options for a built-in start, without the first dashes.
fn options(start: &Setup) -> Option<String> {
    let size = start.size;
    let default = NamedSetup::default_for(size);
    let mut named = [default].into_iter().chain(NamedSetup::ALL);
    let named = named.find(|named| named.setup(size, 2).is_ok_and(|setup| setup == *start))?;
    let mut options = format!("size {size}");
    if named != default {
        options += &format!(" --setup {}", named.name());
    }
    Some(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_make_the_start() {
        let setup = |side, named: NamedSetup| named.start(side, 2).setup().clone();
        for (start, expected) in [
            (setup(9, NamedSetup::Classic), "size 9"),
            (setup(7, NamedSetup::Dense), "size 7"),
            (setup(19, NamedSetup::Dense), "size 19 --setup dense"),
            (setup(13, NamedSetup::Corners), "size 13 --setup corners"),
        ] {
            assert_eq!(options(&start).as_deref(), Some(expected));
        }
        let mut other = setup(9, NamedSetup::Classic);
        other.to_move = colour::WHITE;
        assert_eq!(options(&other), None);
        let text = with_options(None, &other).unwrap();
        assert!(text.ends_with("`tanada --setup FILE`, where FILE is this record."));
    }

    #[test]
    fn the_line_is_added_and_dropped() {
        let [start, four] = [2, 4].map(|players| NamedSetup::Classic.start(9, players));
        let (start, four) = (start.setup(), four.setup());
        for comment in [None, Some("a"), Some("a\n"), Some("\n"), Some("a\n\nb")] {
            let once = with_options(comment, start).unwrap();
            assert!(once.ends_with("`tanada --size 9`."), "{once}");
            let read = without_options(Some(once.clone()));
            assert_eq!(read.as_deref(), comment);
            assert_eq!(with_options(read.as_deref(), start), Some(once));
        }
        assert_eq!(with_options(None, four), None);
        assert_eq!(with_options(Some("a"), four).as_deref(), Some("a"));
        assert_eq!(without_options(Some("x".into())).as_deref(), Some("x"));
        assert_eq!(without_options(None), None);
    }
}
