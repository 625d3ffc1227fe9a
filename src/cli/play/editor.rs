//! Making up a start position: `put black C3`, `clear C3`, `to move white`.

use crate::board::vertex;
use crate::game::Seat;
use crate::tanbo::{self, Setup, diagram};
use crate::taratibu::{Kind, Square};
use crate::variant::{SharedStart, Variant};

use super::super::failure::shorten;

/// A position that is being made up; any, as long as it is not done.
#[derive(Clone, Debug)]
pub(super) enum Editor {
    /// Stones on points.
    Stones(Setup),
    /// Pieces on squares, ranks from the first, files from the first; and what a setup file says
    /// behind them: the turn, which stays, and which pieces are spent, until an edit.
    Pieces(Box<[[char; SIDE]; SIDE]>, String),
}

const SIDE: usize = 7;
const EMPTY: char = '.';

impl Editor {
    /// Begins with a start position; none in a game whose positions cannot be edited.
    pub(super) fn new(start: &SharedStart) -> Option<Self> {
        if let Some(start) = start.any().downcast_ref::<tanbo::Start>() {
            return Some(Self::Stones(start.setup().clone()));
        }
        let rest: String = start
            .text()
            .lines()
            .skip(SIDE)
            .map(|line| format!("{line}\n"))
            .collect();
        let start: &crate::taratibu::Position = start.any().downcast_ref()?;
        let mut cells = [[EMPTY; SIDE]; SIDE];
        for square in Square::all() {
            if let (Some((seat, kind)), Some((file, rank))) =
                (start.piece_at(square), place(&square.to_string()))
            {
                cells[rank][file] = letter(seat, kind);
            }
        }
        Some(Self::Pieces(Box::new(cells), rest))
    }

    /// What can be typed.
    pub(super) fn help(&self) -> &'static str {
        match self {
            Self::Stones(_) => {
                "Make up a start position:\n\
                 \x20 put COLOUR POINT ...    puts stones, such as put black C3 D3\n\
                 \x20 clear [POINT ...]       takes stones off, or all of them\n\
                 \x20 to move COLOUR          says who begins\n\
                 \x20 board, done, cancel, quit\n"
            }
            Self::Pieces(..) => {
                "Make up a start position:\n\
                 \x20 put COLOUR PIECE SQUARE   puts a piece, such as put white elk 35; pieces are\n\
                 \x20                           sphinx, elk, bird, angel, fish, man, duck, captain,\n\
                 \x20                           turtle, hero, or their first letters\n\
                 \x20 clear [SQUARE ...]        takes pieces off, or all of them\n\
                 The turn stays as it is, and none of its pieces is spent.\n\
                 \x20 board, done, cancel, quit\n"
            }
        }
    }

    /// The position as a setup file has it.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Stones(setup) => diagram::write(setup),
            Self::Pieces(cells, rest) => {
                let rows = cells.iter().rev().map(|row| row.iter().collect::<String>());
                rows.map(|row| row + "\n").collect::<String>() + rest
            }
        }
    }

    /// The position with coordinates.
    pub(super) fn show(&self, variant: &dyn Variant) -> String {
        match self {
            Self::Stones(setup) => {
                let board =
                    diagram::with_coordinates(setup.size, |p| setup.stones.get(&p).copied());
                let colour = variant.colour(setup.to_move);
                format!("{}\nto move: {colour}\n", board.trim_end_matches('\n'))
            }
            Self::Pieces(cells, rest) => {
                let files = "   1 2 3 4 5 6 7\n";
                let mut text = files.to_string();
                for (rank, row) in (1..=SIDE).rev().zip(cells.iter().rev()) {
                    let row = row.map(String::from).join(" ");
                    text += &format!("{rank}  {row}  {rank}\n");
                }
                text + files + rest
            }
        }
    }

    /// Takes an edit; none if the words are no edit at all.
    pub(super) fn edit(
        &mut self,
        words: &[&str],
        variant: &dyn Variant,
    ) -> Option<Result<(), String>> {
        let seat = |word: &str| {
            variant.seat(word).ok_or_else(|| {
                let colours = variant.colours().join(", ");
                format!("`{}` is no colour, expected {colours}", shorten(word))
            })
        };
        let first = words.first()?.to_lowercase();
        let mut changed = self.clone();
        let done = match (first.as_str(), words.get(1..).unwrap_or_default()) {
            ("put", [colour, rest @ ..]) => seat(colour).and_then(|seat| changed.put(seat, rest)),
            ("put", []) => Err("`put` lacks a colour, expected such as put black ...".to_string()),
            ("clear", places) => changed.clear(places),
            ("to", [word, colour]) if word.eq_ignore_ascii_case("move") => {
                seat(colour).and_then(|seat| match &mut changed {
                    Self::Stones(setup) => {
                        setup.to_move = seat;
                        Ok(())
                    }
                    Self::Pieces(_, rest) if rest.starts_with("turn 1,") => {
                        Err("white begins in this game".to_string())
                    }
                    Self::Pieces(..) => Err("the turn stays as it is".to_string()),
                })
            }
            _ => return None,
        };
        if let Self::Pieces(_, rest) = &mut changed {
            let lines = rest.lines().filter(|line| !line.starts_with("spent"));
            *rest = lines.map(|line| format!("{line}\n")).collect();
        }
        Some(done.map(|()| *self = changed))
    }

    fn put(&mut self, seat: Seat, words: &[&str]) -> Result<(), String> {
        match (self, words) {
            (Self::Stones(setup), [_, ..]) => {
                for word in words {
                    let point = vertex::parse(&shorten(word), setup.size);
                    setup.stones.insert(point.map_err(told)?, seat);
                }
                Ok(())
            }
            (Self::Pieces(cells, _), [name, word]) => {
                let kind = kind(name).ok_or_else(|| {
                    let name = shorten(name);
                    format!("`{name}` is no piece, expected its name or first letter")
                })?;
                let (file, rank) = place(word).ok_or_else(|| no_square(word))?;
                cells[rank][file] = letter(seat, kind);
                Ok(())
            }
            (Self::Stones(_), _) => Err("`put` lacks a point, expected such as C3".to_string()),
            (Self::Pieces(..), _) => {
                Err("`put` takes a colour, a piece and a square, such as white elk 35".to_string())
            }
        }
    }

    fn clear(&mut self, words: &[&str]) -> Result<(), String> {
        match self {
            Self::Stones(setup) if words.is_empty() => setup.stones.clear(),
            Self::Pieces(cells, _) if words.is_empty() => **cells = [[EMPTY; SIDE]; SIDE],
            Self::Stones(setup) => {
                for word in words {
                    let point = vertex::parse(&shorten(word), setup.size).map_err(told)?;
                    if setup.stones.remove(&point).is_none() {
                        return Err(format!("`{}` is empty already", shorten(word)));
                    }
                }
            }
            Self::Pieces(cells, _) => {
                for word in words {
                    let (file, rank) = place(word).ok_or_else(|| no_square(word))?;
                    cells[rank][file] = EMPTY;
                }
            }
        }
        Ok(())
    }
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn no_square(word: &str) -> String {
    format!("`{}` is no square, expected 11 to 77", shorten(word))
}

/// File and rank of a square, each from 0.
fn place(word: &str) -> Option<(usize, usize)> {
    let digit = |byte: u8| {
        (b'1'..=b'7')
            .contains(&byte)
            .then(|| usize::from(byte - b'1'))
    };
    match *word.as_bytes() {
        [file, rank] => digit(file).zip(digit(rank)),
        _ => None,
    }
}

/// The kind that a name or its first letter stands for.
fn kind(name: &str) -> Option<Kind> {
    let name = name.to_lowercase();
    let kind = name.chars().next().and_then(Kind::from_letter)?;
    let whole = format!("{kind:?}").to_lowercase();
    (name.len() == 1 || name == whole).then_some(kind)
}

fn letter(seat: Seat, kind: Kind) -> char {
    match seat.index() {
        0 => kind.letter().to_ascii_uppercase(),
        _ => kind.letter(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;

    fn editor(game: &str, side: usize) -> (Editor, &'static dyn Variant) {
        let variant = games::find(game).unwrap();
        let start = variant.start(Some(side), None, None).unwrap();
        (Editor::new(&start).unwrap(), variant)
    }

    #[test]
    fn what_is_not_edited_is_the_start() {
        for (game, side) in [("tanbo", 9), ("tanbo", 19), ("taratibu", 7)] {
            let (editor, variant) = editor(game, side);
            let start = variant.start(Some(side), None, None).unwrap();
            let read = variant.read(&editor.text(), None).unwrap();
            assert_eq!(*read, *start);
            assert!(editor.show(variant).lines().count() > side);
        }
    }

    #[test]
    fn the_turn_of_a_start_stays() {
        let variant = games::find("taratibu").unwrap();
        let text = "......./......./......./.M..m../......./......./......d / turn 9, 1 step left";
        let start = variant.read(&text.replace('/', "\n"), None).unwrap();
        let mut editor = Editor::new(&start).unwrap();
        assert_eq!(*variant.read(&editor.text(), None).unwrap(), *start);
        assert!(editor.show(variant).contains("turn 9"));
        assert_eq!(editor.edit(&["clear", "71"], variant), Some(Ok(())));
        assert!(variant.read(&editor.text(), None).is_ok());
        let late = include_str!("../../../tests/data/taratibu/perft/end_turn_9.txt");
        let lines = late
            .lines()
            .filter(|line| !line.starts_with(['#', 'p', 'd']));
        let late: Vec<&str> = lines.collect();
        let start = variant.read(&late.join("\n"), None).unwrap();
        let mut spent = Editor::new(&start).unwrap();
        assert_eq!(*variant.read(&spent.text(), None).unwrap(), *start);
        assert_eq!(spent.edit(&["clear", "53"], variant), Some(Ok(())));
        let read = variant.read(&spent.text(), None);
        assert!(read.is_ok() && !spent.show(variant).contains("spent"));
        let words = ["to", "move", "black"];
        assert!(editor.edit(&words, variant).unwrap().is_err());
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
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(editor.edit(&words, variant), Some(Ok(())), "{line}");
        }
        let text = editor.text();
        assert_eq!(text.matches('X').count() + text.matches('O').count(), 2);
        assert!(editor.show(variant).contains("to move: white"));
        for (line, part) in [
            ("put", "lacks a colour"),
            ("put pink C3", "`pink` is no colour"),
            ("put black", "lacks a point"),
            ("put black C3 Z9", "`Z9` is not a point"),
            ("clear A1 C3", "`C3` is empty already"),
            ("to move x", "`x` is no colour"),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let error = editor.edit(&words, variant).unwrap().unwrap_err();
            assert!(error.contains(part), "{error}");
            assert_eq!(editor.text(), text);
        }
        assert_eq!(editor.edit(&["C3"], variant), None);
        assert_eq!(editor.edit(&[], variant), None);
    }

    #[test]
    fn pieces_are_put_by_their_names() {
        let (mut editor, variant) = editor("taratibu", 7);
        for line in ["put white elk 44", "put b H 45", "clear 11 21"] {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(editor.edit(&words, variant), Some(Ok(())), "{line}");
        }
        assert!(editor.text().contains("...h...\n...E...\n"));
        for (line, part) in [
            ("put white horse 44", "`horse` is no piece"),
            ("put white elk 84", "`84` is no square"),
            ("put white elk", "takes a colour, a piece"),
            ("to move black", "white begins"),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let error = editor.edit(&words, variant).unwrap().unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
