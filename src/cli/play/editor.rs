//! Making up a start position: `put black C3`, `clear C3`, `to move white`.

use crate::variant::{SetupEditor, Variant};

use super::super::failure::shorten;

/// Applies an edit. `None` if the words are not an edit.
pub(super) fn edit(
    editor: &mut dyn SetupEditor,
    words: &[&str],
    variant: &dyn Variant,
) -> Option<Result<(), String>> {
    let seat = |word: &str| {
        variant.seat(word).ok_or_else(|| {
            let colours = variant.colours().join(", ");
            format!("invalid colour `{}`: expected {colours}", shorten(word))
        })
    };
    let first = words.first()?.to_lowercase();
    Some(match (first.as_str(), words.get(1..).unwrap_or_default()) {
        ("put", [colour, rest @ ..]) => seat(colour).and_then(|seat| editor.put(seat, rest)),
        ("put", []) => Err("`put` needs a colour, such as `put black ...`".to_string()),
        ("clear", places) => editor.clear(places),
        ("to", [word, colour]) if word.eq_ignore_ascii_case("move") => {
            seat(colour).and_then(|seat| editor.set_to_move(seat))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;

    fn editor(game: &str, side: usize) -> (Box<dyn SetupEditor>, &'static dyn Variant) {
        let variant = games::find(game).unwrap();
        let start = variant.start(Some(side), None, None).unwrap();
        (start.editor().unwrap(), variant)
    }

    fn apply(editor: &mut dyn SetupEditor, line: &str, of: &dyn Variant) -> Result<(), String> {
        let words: Vec<&str> = line.split(' ').collect();
        edit(editor, &words, of).unwrap()
    }

    #[test]
    fn what_is_not_edited_is_the_start() {
        for (game, side) in [("tanbo", 9), ("tanbo", 19), ("taratibu", 7)] {
            let (editor, variant) = editor(game, side);
            let start = variant.start(Some(side), None, None).unwrap();
            let read = variant.read(&editor.text(), None).unwrap();
            assert_eq!(*read, *start);
            assert!(editor.show().lines().count() > side);
        }
    }

    #[test]
    fn the_turn_of_a_start_stays() {
        let variant = games::find("taratibu").unwrap();
        let text = "......./......./......./.M..m../......./......./......d / turn 9, 1 step left";
        let start = variant.read(&text.replace('/', "\n"), None).unwrap();
        let mut editor = start.editor().unwrap();
        assert_eq!(*variant.read(&editor.text(), None).unwrap(), *start);
        assert!(editor.show().contains("turn 9"));
        assert_eq!(apply(&mut *editor, "clear 71", variant), Ok(()));
        assert!(variant.read(&editor.text(), None).is_ok());
        let late = include_str!("../../../tests/data/taratibu/perft/end_turn_9.txt");
        let is_row = |line: &&str| !line.starts_with(['#', 'p', 'd']);
        let late: Vec<&str> = late.lines().filter(is_row).collect();
        let start = variant.read(&late.join("\n"), None).unwrap();
        let mut spent = start.editor().unwrap();
        assert_eq!(*variant.read(&spent.text(), None).unwrap(), *start);
        assert_eq!(apply(&mut *spent, "clear 53", variant), Ok(()));
        let read = variant.read(&spent.text(), None);
        assert!(read.is_ok() && !spent.show().contains("spent"));
        assert!(apply(&mut *editor, "to move black", variant).is_err());
    }

    #[test]
    fn edits_do_what_they_say_or_nothing() {
        let (mut editor, variant) = editor("tanbo", 5);
        for line in [
            "clear",
            "put black A1 b1",
            "PUT w E5",
            "to move white",
            "clear B1",
        ] {
            assert_eq!(apply(&mut *editor, line, variant), Ok(()), "{line}");
        }
        let text = editor.text();
        assert_eq!(text.matches('X').count() + text.matches('O').count(), 2);
        assert!(editor.show().contains("to move: white"));
        for (line, part) in [
            ("put", "needs a colour"),
            ("put pink C3", "invalid colour `pink`: expected"),
            ("put black", "needs a point"),
            ("put black C3 Z9", "invalid point `Z9`"),
            ("clear A1 C3", "`C3` is empty already"),
            ("to move x", "invalid colour `x`: expected"),
        ] {
            let error = apply(&mut *editor, line, variant).unwrap_err();
            assert!(error.contains(part), "{error}");
            assert_eq!(editor.text(), text);
        }
        assert_eq!(edit(&mut *editor, &["C3"], variant), None);
        assert_eq!(edit(&mut *editor, &[], variant), None);
    }

    #[test]
    fn pieces_are_put_by_their_names() {
        let (mut editor, variant) = editor("taratibu", 7);
        for line in ["put white elk 44", "put b H 45", "clear 11 21"] {
            assert_eq!(apply(&mut *editor, line, variant), Ok(()), "{line}");
        }
        assert!(editor.text().contains("...h...\n...E...\n"));
        for (line, part) in [
            ("put white horse 44", "`horse` is not a piece"),
            ("put white elk 84", "invalid square `84`: expected"),
            ("put white elk", "takes a colour, a piece"),
            ("to move black", "white begins"),
        ] {
            let error = apply(&mut *editor, line, variant).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
