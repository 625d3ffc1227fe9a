//! Game records as SGF text.

use super::gogui;
use super::property::NAMES;
use crate::board::{BoardSize, Point};
use crate::game::Seat;
use crate::tanbo::{Setup, colour};
use crate::variant;

/// The characters that a line should have at most.
const WIDTH: usize = 78;

/// What a record is to say. A board without stones is read back as a record without a setup.
pub type Sheet = variant::Sheet<Setup, Point>;

/// A move in a [`Sheet`].
pub type Played = variant::Played<Point>;

/// Whether a text that begins so was written here: its root names the program.
pub fn is_own(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    let root = head
        .strip_prefix("(;")
        .and_then(|rest| rest.split(';').next());
    root.is_some_and(|root| root.contains("AP[tanada:"))
}

/// The record as a text of one game that [`parse`](super::parse) reads back: the
/// start in the first node, one node for each move, no variations. The comment of the first node
/// ends with the options of an engine for GoGui, which are dropped when the record is read.
///
/// Seconds are written to the millisecond. Control characters become blanks, line
/// ends as well outside comments. Points off the board and seconds that are no
/// number are left out.
pub fn write(sheet: &Sheet) -> String {
    let mut lines = Lines::default();
    root(sheet, &mut lines);
    let mut begun = false;
    for played in &sheet.moves {
        if let Some(node) = node(played, sheet.start.size) {
            if !begun {
                lines.end();
            }
            begun = true;
            lines.push(&node);
        }
    }
    lines.push(")");
    lines.end();
    lines.text
}

fn root(sheet: &Sheet, lines: &mut Lines) {
    let Setup {
        size,
        stones,
        to_move,
    } = &sheet.start;
    lines.push("(;FF[4]GM[1]CA[UTF-8]");
    // The only value of two parts.
    let version = escaped(&sheet.version, Kind::Part);
    lines.push(&format!("AP[tanada:{version}]"));
    lines.push(&format!("SZ[{size}]"));
    lines.push("RU[Tanbo]");
    let mut line = |name: &str, text: &Option<String>| {
        if let Some(text) = text {
            lines.push(&property(name, text, Kind::Line));
        }
    };
    line("GN", &sheet.name);
    line("EV", &sheet.event);
    line("RO", &sheet.round);
    line("DT", &sheet.date);
    line("PC", &sheet.place);
    for seat in Seat::ALL {
        line(NAMES[seat].player, &sheet.players[seat]);
    }
    line("RE", &sheet.result);
    line("TM", &sheet.main_time.and_then(seconds));
    line("OT", &sheet.overtime);
    for seat in Seat::ALL {
        let own = stones.iter().filter(|&(_, &owner)| owner == seat);
        let mut points: Vec<String> = own.filter_map(|(&p, _)| letters(p, *size)).collect();
        points.sort_unstable();
        let mut name = NAMES[seat].stones;
        for point in points {
            lines.push(&property(name, &point, Kind::Line));
            // The others are further values of the same property.
            name = "";
        }
    }
    let turn = if [colour::BLACK, colour::WHITE].contains(to_move) {
        "PL"
    } else {
        "TURN"
    };
    lines.push(&format!("{turn}[{}]", colour::letter(*to_move)));
    let comment = gogui::with_options(sheet.comment.as_deref(), &sheet.start);
    if let Some(comment) = comment {
        lines.push(&property("C", &comment, Kind::Text));
    }
}

/// The node of a move; none if it is off the board.
fn node(played: &Played, size: BoardSize) -> Option<String> {
    let names = NAMES[played.seat];
    let point = letters(played.mv, size)?;
    let mut node = format!(";{}[{point}]", names.mv);
    if let Some(comment) = &played.comment {
        node += &property("C", comment, Kind::Text);
    }
    if let Some(left) = played.time_left.and_then(seconds) {
        node += &property(names.time_left, &left, Kind::Line);
    }
    Some(node)
}

/// Column and row from the top, `aa` the upper left corner; none off the board.
fn letters(point: Point, size: BoardSize) -> Option<String> {
    let (column, row) = (point.index() % size.stride(), point.index() / size.stride());
    // Rows count from 1 in a point's number.
    size.point(column, row.checked_sub(1)?)?;
    let letter = |n: usize| u8::try_from(n).map(|n| char::from(b'a'.saturating_add(n)));
    let (column, row) = (letter(column).ok()?, letter(size.side() - row).ok()?);
    Some(format!("{column}{row}"))
}

/// Seconds as SGF writes numbers.
fn seconds(number: f64) -> Option<String> {
    let text = format!("{number:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let text = if text == "-0" { "0" } else { text };
    number.is_finite().then(|| text.to_string())
}

/// What a value holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Lines.
    Text,
    /// One line.
    Line,
    /// One line, a part of a value in which `:` separates parts.
    Part,
}

fn property(name: &str, text: &str, kind: Kind) -> String {
    format!("{name}[{}]", escaped(text, kind))
}

fn escaped(text: &str, kind: Kind) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.replace("\r\n", "\n").chars() {
        match c {
            '\n' | '\r' if kind == Kind::Text => escaped.push('\n'),
            c if c.is_control() => escaped.push(' '),
            '\\' | ']' => escaped.extend(['\\', c]),
            ':' if kind == Kind::Part => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A text in lines of a readable width.
#[derive(Default)]
struct Lines {
    text: String,
    /// The characters of the last line.
    column: usize,
}

impl Lines {
    /// Adds a piece, on a new line if it does not fit on this one.
    fn push(&mut self, piece: &str) {
        let length = |line: Option<&str>| line.map_or(0, |line| line.chars().count());
        if self.column > 0 && self.column + length(piece.split('\n').next()) > WIDTH {
            self.end();
        }
        self.text += piece;
        match piece.rsplit_once('\n') {
            Some((_, last)) => self.column = length(Some(last)),
            None => self.column += length(Some(piece)),
        }
    }

    fn end(&mut self) {
        self.text.push('\n');
        self.column = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::{Lexer, Token};
    use super::super::tests::parse_all;
    use super::super::{GameRecord, parse};
    use super::*;
    use crate::board::vertex;
    use crate::game::PerSeat;
    use crate::tanbo::Named;
    use proptest::prelude::*;

    fn start(side: usize, players: usize) -> Setup {
        let size = BoardSize::new(side).unwrap();
        Named::default_for(size).setup(size, players).unwrap()
    }

    fn played(seat: Seat, vertex: &str, size: BoardSize) -> Played {
        Played::new(seat, vertex::parse(vertex, size).unwrap())
    }

    #[test]
    fn a_whole_record() {
        let some = |text: &str| Some(text.to_string());
        let start = start(9, 2);
        let mv = |seat, vertex| played(seat, vertex, start.size);
        let sheet = Sheet {
            version: "0.1.0".to_string(),
            name: some("7"),
            event: some("Winter [open]"),
            round: some("2 (semi-final)"),
            date: some("2025-01-31"),
            place: some("https://example.org"),
            players: PerSeat([some("tanada 0.1.0"), some("Ann\nBee"), None, None]),
            result: some("B+R"),
            main_time: Some(600.0),
            overtime: some("5 s a move"),
            comment: some("Seed 7.\r\nA \\ and a ]: fine."),
            moves: vec![
                Played {
                    time_left: Some(598.25),
                    ..mv(colour::BLACK, "B3")
                },
                Played {
                    comment: some("value 0.48\nline B7 B4"),
                    time_left: Some(590.0),
                    ..mv(colour::WHITE, "B7")
                },
                mv(colour::BLACK, "B4"),
                mv(colour::WHITE, "J1"),
            ],
            ..Sheet::new(start.clone())
        };
        let text = "\
(;FF[4]GM[1]CA[UTF-8]AP[tanada:0.1.0]SZ[9]RU[Tanbo]GN[7]EV[Winter [open\\]]
RO[2 (semi-final)]DT[2025-01-31]PC[https://example.org]PB[tanada 0.1.0]
PW[Ann Bee]RE[B+R]TM[600]OT[5 s a move]AB[bh][hb]AW[bb][hh]PL[B]C[Seed 7.
A \\\\ and a \\]: fine.
GoGui opens this game with the engine `tanada --size 9`.]
;B[bg]BL[598.25];W[bc]C[value 0.48
line B7 B4]WL[590];B[bf];W[ii])
";
        assert_eq!(write(&sheet), text);
        assert_eq!(Read::from(parse(text).unwrap()), record(&sheet));
    }

    #[test]
    fn red_and_green_have_properties_of_their_own() {
        let size = BoardSize::new(5).unwrap();
        let mut start = Setup::empty(size);
        for (seat, vertex) in Seat::ALL.into_iter().zip(["A1", "E1", "A5", "E5"]) {
            start
                .stones
                .insert(vertex::parse(vertex, size).unwrap(), seat);
        }
        start.to_move = colour::RED;
        let mut sheet = Sheet::new(start);
        sheet.version = "x:1".to_string();
        sheet.players[colour::GREEN] = Some("Dee".to_string());
        sheet.moves = vec![
            played(colour::RED, "B5", size),
            Played {
                time_left: Some(1.0),
                ..played(colour::GREEN, "D5", size)
            },
            played(colour::BLACK, "A2", size),
        ];
        let text = "\
(;FF[4]GM[1]CA[UTF-8]AP[tanada:x\\:1]SZ[5]RU[Tanbo]PGREEN[Dee]AB[ae]AW[ee]
ARED[aa]AGREEN[ea]TURN[R]
;RED[ba];GREEN[da]GREENL[1];B[ad])
";
        assert_eq!(write(&sheet), text);
        assert_eq!(Read::from(parse(text).unwrap()), record(&sheet));
    }

    #[test]
    fn lines_are_short() {
        let mut start = start(19, 2);
        start.stones = start
            .size
            .points()
            .zip(Seat::ALL.into_iter().cycle())
            .collect();
        let mut sheet = Sheet::new(start.clone());
        sheet.moves = start
            .stones
            .iter()
            .map(|(&p, &s)| Played::new(s, p))
            .collect();
        let text = write(&sheet);
        assert!(
            text.lines()
                .all(|line| line.len() <= WIDTH || line.starts_with("C[GoGui"))
        );
        assert!(text.lines().count() < 80, "{text}");
        assert_eq!(Read::from(parse(&text).unwrap()), record(&sheet));
        // An empty game is two lines.
        let empty = write(&Sheet::new(super::tests::start(9, 2)));
        assert!(empty.contains("PL[B]\nC[GoGui") && empty.lines().count() == 2);
    }

    #[test]
    fn seconds_are_plain_numbers() {
        for (number, text) in [
            (0.0, Some("0")),
            (-0.0, Some("0")),
            (-0.0001, Some("0")),
            (-1.5, Some("-1.5")),
            (100.0, Some("100")),
            (0.1 + 0.2, Some("0.3")),
            (59.9996, Some("60")),
            (1e9, Some("1000000000")),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(seconds(number).as_deref(), text, "{number}");
        }
    }

    #[test]
    fn texts_are_escaped() {
        for (kind, text, expected) in [
            (Kind::Text, "a]b\\c:d[e", "a\\]b\\\\c:d[e"),
            (Kind::Text, "a\r\nb\rc\nd\te\0f", "a\nb\nc\nd e f"),
            (Kind::Text, "ends in \\", "ends in \\\\"),
            (Kind::Line, "a\r\nb\n:]\u{85}é", "a b :\\] é"),
            (Kind::Part, "1:2", "1\\:2"),
        ] {
            assert_eq!(escaped(text, kind), expected);
        }
    }

    #[test]
    fn points_off_the_board_are_left_out() {
        let mut start = start(9, 2);
        let expected = write(&Sheet::new(start.clone()));
        let off = [0, 1, 9, 10, 19, 29, 100, 109, 511, u16::MAX];
        let off: Vec<Point> = off
            .into_iter()
            .map(Point::from_number)
            .filter(|p| !start.size.points().any(|q| q == *p))
            .collect();
        assert!(off.len() > 6);
        start.stones.extend(off.iter().map(|&p| (p, colour::BLACK)));
        let mut sheet = Sheet::new(start);
        sheet.moves = off.iter().map(|&p| Played::new(colour::RED, p)).collect();
        // The start is no built-in one any more.
        let written = write(&sheet);
        let before = |text: &str| text.split("C[").next().map(str::to_string);
        assert_eq!(before(&written), before(&expected));
        assert!(
            written.ends_with("where FILE is this record.]\n)\n"),
            "{written}"
        );
    }

    /// What should be read back.
    fn record(sheet: &Sheet) -> Read {
        let line = |text: &Option<String>| text.as_deref().and_then(|text| said(text, Kind::Line));
        let seconds = |time: Option<f64>| time.and_then(seconds)?.parse().ok();
        Read {
            size: sheet.start.size,
            setup: (!sheet.start.stones.is_empty()).then(|| sheet.start.clone()),
            to_move: Some(sheet.start.to_move),
            sheet: variant::Sheet {
                start: (),
                version: said(&sheet.version, Kind::Line).unwrap_or_default(),
                name: line(&sheet.name),
                event: line(&sheet.event),
                round: line(&sheet.round),
                date: line(&sheet.date),
                place: line(&sheet.place),
                players: PerSeat(std::array::from_fn(|i| line(&sheet.players.0[i]))),
                result: line(&sheet.result),
                main_time: seconds(sheet.main_time),
                overtime: line(&sheet.overtime),
                comment: sheet.comment.as_deref().and_then(|c| said(c, Kind::Text)),
                moves: sheet
                    .moves
                    .iter()
                    .map(|played| Played {
                        comment: played.comment.as_deref().and_then(|c| said(c, Kind::Text)),
                        time_left: seconds(played.time_left),
                        ..*played
                    })
                    .collect(),
            },
        }
    }

    /// What can be seen of a record.
    #[derive(Debug, PartialEq)]
    struct Read {
        size: BoardSize,
        setup: Option<Setup>,
        to_move: Option<Seat>,
        sheet: variant::Sheet<(), Point>,
    }

    impl From<GameRecord> for Read {
        fn from(record: GameRecord) -> Self {
            Self {
                size: record.size,
                setup: record.setup,
                to_move: record.to_move,
                sheet: record.sheet,
            }
        }
    }

    /// A text as it is read back; none where nothing is left.
    fn said(text: &str, kind: Kind) -> Option<String> {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let blank = |c: char| c.is_control() && (kind != Kind::Text || c != '\n');
        let text: String = text
            .chars()
            .map(|c| if blank(c) { ' ' } else { c })
            .collect();
        Some(text).filter(|text| !text.is_empty())
    }

    fn text() -> impl Strategy<Value = Option<String>> + Clone {
        prop::option::of("([\\[\\]();:\\\\\n\r\tBW a-c]|\\PC){0,30}")
    }

    fn sheet() -> impl Strategy<Value = Sheet> {
        let texts = prop::collection::vec(text(), 12);
        let time = || prop::option::of(any::<f64>());
        (BoardSize::MIN..=BoardSize::MAX, 2..=4_usize).prop_flat_map(move |(side, players)| {
            let size = BoardSize::new(side).unwrap();
            let seat = (0..players).prop_map(Seat::new);
            let point = (0..side, 0..side).prop_map(move |(c, r)| size.point(c, r).unwrap());
            let stones = prop::collection::btree_map(point.clone(), seat.clone(), 0..80);
            let mv = (seat.clone(), point, text(), time()).prop_map(
                |(seat, point, comment, time_left)| Played {
                    seat,
                    mv: point,
                    comment,
                    time_left,
                },
            );
            let moves = prop::collection::vec(mv, 0..40);
            (stones, seat, texts.clone(), time(), moves).prop_map(
                move |(stones, to_move, mut texts, main_time, moves)| {
                    let mut text = || texts.pop().flatten();
                    Sheet {
                        start: Setup {
                            size,
                            stones,
                            to_move,
                        },
                        version: text().unwrap_or_default(),
                        name: text(),
                        event: text(),
                        round: text(),
                        date: text(),
                        place: text(),
                        players: PerSeat(std::array::from_fn(|_| text())),
                        result: text(),
                        main_time,
                        overtime: text(),
                        comment: text(),
                        moves,
                    }
                },
            )
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(sheets in prop::collection::vec(sheet(), 1..4)) {
            let texts: Vec<String> = sheets.iter().map(write).collect();
            let records: Vec<Read> = sheets.iter().map(record).collect();
            prop_assert_eq!(&Read::from(parse(&texts[0]).unwrap()), &records[0]);
            let read: Vec<Read> =
                parse_all(&texts.concat()).unwrap().into_iter().map(Read::from).collect();
            prop_assert_eq!(read, records);
        }

        #[test]
        fn comments_are_read_back(comment in text(), sheet in sheet()) {
            let comment = comment.unwrap_or_default();
            let sheet = Sheet { comment: Some(comment.clone()), moves: Vec::new(), ..sheet };
            let text = write(&sheet);
            let mut lexer = Lexer::new(&text);
            let words: Vec<Token> =
                std::iter::from_fn(|| lexer.next().map(|(_, word)| word.unwrap())).collect();
            let at = words.iter().position(|word| *word == Token::Name("C".into()));
            let blank = |c: char| if c == '\t' { ' ' } else { c };
            let comment: String = comment.replace("\r\n", "\n").replace('\r', "\n")
                .chars().map(blank).collect();
            let comment = gogui::with_options(Some(&comment), &sheet.start).map(Token::Value);
            prop_assert_eq!(at.map(|at| &words[at + 1]), comment.as_ref());
        }
    }
}
