//! Writes game records as SGF.

use super::gogui;
use super::property::NAMES;
use crate::board::{BoardSize, Point};
use crate::game::Seat;
use crate::tanbo::{Setup, colour};
use crate::variant::{self, seconds};

/// The preferred maximal length of a line.
const WIDTH: usize = 78;

/// A record to write. A start without stones is read back as a record without a setup.
pub type GameRecord = variant::GameRecord<Setup, Point>;

/// A move in a [`GameRecord`].
pub(crate) type RecordedMove = variant::RecordedMove<Point>;

/// Whether a text with this beginning was written by this program, by the `AP` of its root.
pub(crate) fn is_own(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    let root = head
        .strip_prefix("(;")
        .and_then(|rest| rest.split(';').next());
    root.is_some_and(|root| root.contains("AP[tanada:"))
}

/// The record in the form that [`parse`](super::parse) reads: the start in the first node, then a
/// node for each move. The comment of the first node ends with a line for GoGui, which is dropped
/// when the record is read.
///
/// Seconds are written to the millisecond. Control characters become spaces, and so do line ends
/// outside comments. Points off the board and seconds that are not finite are left out.
pub(crate) fn write(game_record: &GameRecord) -> String {
    let mut lines = LineWriter::default();
    root(game_record, &mut lines);
    if !game_record.moves.is_empty() || !game_record.variations.is_empty() {
        lines.end();
    }
    moves(game_record, &mut lines);
    lines.push(")");
    lines.end();
    lines.text
}

fn root(game_record: &GameRecord, lines: &mut LineWriter) {
    let Setup {
        size,
        stones,
        to_move,
    } = &game_record.start;
    lines.push("(;FF[4]GM[1]CA[UTF-8]");
    // The only composed value.
    let version = escaped(&game_record.version, ValueType::Part);
    lines.push(&format!("AP[tanada:{version}]"));
    lines.push(&format!("SZ[{size}]"));
    lines.push("RU[Tanbo]");
    let mut line = |name: &str, text: &Option<String>| {
        if let Some(text) = text {
            lines.push(&property(name, text, ValueType::Line));
        }
    };
    line("GN", &game_record.name);
    line("EV", &game_record.event);
    line("RO", &game_record.round);
    line("DT", &game_record.date);
    line("PC", &game_record.place);
    for seat in Seat::ALL {
        let [_, _, player, _] = NAMES[seat];
        line(player, &game_record.players[seat]);
    }
    line("RE", &game_record.result);
    line("TM", &game_record.main_time.and_then(seconds));
    line("OT", &game_record.overtime);
    for seat in Seat::ALL {
        let own = stones.iter().filter(|&(_, &owner)| owner == seat);
        let mut points: Vec<String> = own.filter_map(|(&p, _)| letters(p, *size)).collect();
        points.sort_unstable();
        let [mut name, ..] = NAMES[seat];
        for point in points {
            lines.push(&property(name, &point, ValueType::Line));
            // Without a name: a further value of the same property.
            name = "";
        }
    }
    let turn = if [colour::BLACK, colour::WHITE].contains(to_move) {
        "PL"
    } else {
        "TURN"
    };
    lines.push(&format!("{turn}[{}]", colour::letter(*to_move)));
    let comment = gogui::with_options(game_record.comment.as_deref(), &game_record.start);
    if let Some(comment) = comment {
        lines.push(&property("C", &comment, ValueType::Text));
    }
}

/// What to write next.
enum Next {
    Open,
    Move(usize),
    Close,
}

/// The nodes of all moves, with brackets around the moves that share the one before them.
fn moves(game_record: &GameRecord, lines: &mut LineWriter) {
    let main = game_record.moves.iter().enumerate();
    let variations = game_record.variations.iter();
    let list: Vec<(usize, &RecordedMove)> = main
        .chain(variations.map(|each| (each.follows, &each.played)))
        .collect();
    let mut following = vec![Vec::new(); list.len() + 1];
    for (number, (follows, _)) in (1..).zip(&list) {
        // A number that is not smaller is nobody's.
        if let Some(place) = following.get_mut(*follows).filter(|_| *follows < number) {
            place.push(number);
        }
    }
    let mut stack = Vec::new();
    let mut number = 0;
    loop {
        let next = following
            .get_mut(number)
            .map(std::mem::take)
            .unwrap_or_default();
        match next[..] {
            [one] => stack.push(Next::Move(one)),
            _ => stack.extend(
                next.iter()
                    .rev()
                    .flat_map(|&each| [Next::Close, Next::Move(each), Next::Open]),
            ),
        }
        number = loop {
            match stack.pop() {
                None => return,
                Some(Next::Open) => lines.push("("),
                Some(Next::Close) => lines.push(")"),
                Some(Next::Move(number)) => break number,
            }
        };
        let played = number.checked_sub(1).and_then(|index| list.get(index));
        if let Some(node) = played.and_then(|(_, played)| node(played, game_record.start.size)) {
            lines.push(&node);
        }
    }
}

/// The node of a move; `None` if it is off the board.
fn node(played: &RecordedMove, size: BoardSize) -> Option<String> {
    let [_, mv, _, time_left] = NAMES[played.seat];
    let point = letters(played.mv, size)?;
    let mut node = format!(";{mv}[{point}]");
    if let Some(comment) = &played.comment {
        node += &property("C", comment, ValueType::Text);
    }
    if let Some(left) = played.time_left.and_then(seconds) {
        node += &property(time_left, &left, ValueType::Line);
    }
    Some(node)
}

/// The letters of column and row; `aa` is the upper left corner. `None` off the board.
fn letters(point: Point, size: BoardSize) -> Option<String> {
    let (column, row) = (point.index() % size.stride(), point.index() / size.stride());
    // In a point's number the rows start at 1.
    size.point(column, row.checked_sub(1)?)?;
    let letter = |n: usize| u8::try_from(n).map(|n| char::from(b'a'.saturating_add(n)));
    let (column, row) = (letter(column).ok()?, letter(size.side() - row).ok()?);
    Some(format!("{column}{row}"))
}

/// The type of a value (SGF: Text, SimpleText, and part of a composed value).
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueType {
    /// Several lines.
    Text,
    /// One line.
    Line,
    /// One line of a composed value, in which `:` separates the parts.
    Part,
}

fn property(name: &str, text: &str, value_type: ValueType) -> String {
    format!("{name}[{}]", escaped(text, value_type))
}

fn escaped(text: &str, value_type: ValueType) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.replace("\r\n", "\n").chars() {
        match c {
            '\n' | '\r' if value_type == ValueType::Text => escaped.push('\n'),
            c if c.is_control() => escaped.push(' '),
            '\\' | ']' => escaped.extend(['\\', c]),
            ':' if value_type == ValueType::Part => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Breaks a text into lines.
#[derive(Default)]
struct LineWriter {
    text: String,
    /// The length of the last line.
    column: usize,
}

impl LineWriter {
    /// Adds a piece, on a new line if it does not fit on the current one.
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
    use super::super::{SgfGame, parse};
    use super::*;
    use crate::board::vertex;
    use crate::game::PerSeat;
    use crate::tanbo::NamedSetup;
    use proptest::prelude::*;

    fn start(side: usize, players: usize) -> Setup {
        let size = BoardSize::new(side).unwrap();
        NamedSetup::default_for(size).setup(size, players).unwrap()
    }

    fn played(seat: Seat, vertex: &str, size: BoardSize) -> RecordedMove {
        RecordedMove::new(seat, vertex::parse(vertex, size).unwrap())
    }

    #[test]
    fn a_whole_record() {
        let some = |text: &str| Some(text.to_string());
        let start = start(9, 2);
        let mv = |seat, vertex| played(seat, vertex, start.size);
        let game_record = GameRecord {
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
                RecordedMove {
                    time_left: Some(598.25),
                    ..mv(colour::BLACK, "B3")
                },
                RecordedMove {
                    comment: some("value 0.48\nline B7 B4"),
                    time_left: Some(590.0),
                    ..mv(colour::WHITE, "B7")
                },
                mv(colour::BLACK, "B4"),
                mv(colour::WHITE, "J1"),
            ],
            ..GameRecord::new(start.clone())
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
        assert_eq!(write(&game_record), text);
        assert_eq!(read(parse(text).unwrap()), record(&game_record));
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
        let mut game_record = GameRecord::new(start);
        game_record.version = "x:1".to_string();
        game_record.players[colour::GREEN] = Some("Dee".to_string());
        game_record.moves = vec![
            played(colour::RED, "B5", size),
            RecordedMove {
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
        assert_eq!(write(&game_record), text);
        assert_eq!(read(parse(text).unwrap()), record(&game_record));
    }

    #[test]
    fn own_records_are_recognised_by_their_root() {
        let own = write(&GameRecord::new(start(9, 2)));
        assert!(is_own(own.as_bytes()));
        for other in [
            "",
            "(;FF[4])",
            "(;FF[4];AP[tanada:1])",
            &own[1..],
            &own.replace("tanada:", "nada:"),
        ] {
            assert!(!is_own(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_line_takes_as_much_as_fits() {
        let mut lines = LineWriter::default();
        lines.push(&"x".repeat(WIDTH + 1));
        for length in [WIDTH - 1, 1, 1] {
            lines.push(&"y".repeat(length));
        }
        let lengths: Vec<usize> = lines.text.split('\n').map(str::len).collect();
        assert_eq!(lengths, [WIDTH + 1, WIDTH, 1]);
    }

    #[test]
    fn lines_are_short() {
        let mut start = start(19, 2);
        start.stones = start
            .size
            .points()
            .zip(Seat::ALL.into_iter().cycle())
            .collect();
        let mut game_record = GameRecord::new(start.clone());
        game_record.moves = start
            .stones
            .iter()
            .map(|(&p, &s)| RecordedMove::new(s, p))
            .collect();
        let text = write(&game_record);
        assert!(
            text.lines()
                .all(|line| line.len() <= WIDTH || line.starts_with("C[GoGui"))
        );
        assert!(text.lines().count() < 80, "{text}");
        assert_eq!(read(parse(&text).unwrap()), record(&game_record));
        // An empty game is two lines.
        let empty = write(&GameRecord::new(super::tests::start(9, 2)));
        assert!(empty.contains("PL[B]\nC[GoGui") && empty.lines().count() == 2);
    }

    #[test]
    fn texts_are_escaped() {
        for (value_type, text, expected) in [
            (ValueType::Text, "a]b\\c:d[e", "a\\]b\\\\c:d[e"),
            (ValueType::Text, "a\r\nb\rc\nd\te\0f", "a\nb\nc\nd e f"),
            (ValueType::Text, "ends in \\", "ends in \\\\"),
            (ValueType::Line, "a\r\nb\n:]\u{85}é", "a b :\\] é"),
            (ValueType::Part, "1:2", "1\\:2"),
        ] {
            assert_eq!(escaped(text, value_type), expected);
        }
    }

    #[test]
    fn points_off_the_board_are_left_out() {
        let mut start = start(9, 2);
        let expected = write(&GameRecord::new(start.clone()));
        let off = [0, 1, 9, 10, 19, 29, 100, 109, 511, u16::MAX];
        let off: Vec<Point> = off
            .into_iter()
            .map(Point::from_number)
            .filter(|p| !start.size.points().any(|q| q == *p))
            .collect();
        assert!(off.len() > 6);
        start.stones.extend(off.iter().map(|&p| (p, colour::BLACK)));
        let mut game_record = GameRecord::new(start);
        game_record.moves = off
            .iter()
            .map(|&p| RecordedMove::new(colour::RED, p))
            .collect();
        // The start is no built-in one any more.
        let written = write(&game_record);
        let before = |text: &str| text.split("C[").next().map(str::to_string);
        assert_eq!(before(&written), before(&expected));
        assert!(
            written.ends_with("where FILE is this record.]\n)\n"),
            "{written}"
        );
    }

    /// The expected result of reading the record back.
    fn record(game_record: &GameRecord) -> SgfGame {
        let line =
            |text: &Option<String>| text.as_deref().and_then(|text| said(text, ValueType::Line));
        let seconds = |time: Option<f64>| time.and_then(seconds)?.parse().ok();
        SgfGame {
            mid_game_setup: Vec::new(),
            at: 0,
            size: game_record.start.size,
            setup: (!game_record.start.stones.is_empty()).then(|| game_record.start.clone()),
            to_move: Some(game_record.start.to_move),
            record: variant::GameRecord {
                start: (),
                variations: Vec::new(),
                version: said(&game_record.version, ValueType::Line).unwrap_or_default(),
                name: line(&game_record.name),
                event: line(&game_record.event),
                round: line(&game_record.round),
                date: line(&game_record.date),
                place: line(&game_record.place),
                players: PerSeat(std::array::from_fn(|i| line(&game_record.players.0[i]))),
                result: line(&game_record.result),
                main_time: seconds(game_record.main_time),
                overtime: line(&game_record.overtime),
                comment: game_record
                    .comment
                    .as_deref()
                    .and_then(|c| said(c, ValueType::Text)),
                moves: game_record
                    .moves
                    .iter()
                    .map(|played| RecordedMove {
                        comment: played
                            .comment
                            .as_deref()
                            .and_then(|c| said(c, ValueType::Text)),
                        time_left: seconds(played.time_left),
                        ..*played
                    })
                    .collect(),
            },
        }
    }

    /// A game that was read, without its place in the text.
    fn read(game: SgfGame) -> SgfGame {
        SgfGame { at: 0, ..game }
    }

    /// A text as it is read back; `None` if it is empty.
    fn said(text: &str, value_type: ValueType) -> Option<String> {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let blank = |c: char| c.is_control() && (value_type != ValueType::Text || c != '\n');
        let text: String = text
            .chars()
            .map(|c| if blank(c) { ' ' } else { c })
            .collect();
        Some(text).filter(|text| !text.is_empty())
    }

    fn text() -> impl Strategy<Value = Option<String>> + Clone {
        prop::option::of("([\\[\\]();:\\\\\n\r\tBW a-c]|\\PC){0,30}")
    }

    fn game_record() -> impl Strategy<Value = GameRecord> {
        let texts = prop::collection::vec(text(), 12);
        let time = || prop::option::of(any::<f64>());
        (BoardSize::MIN..=BoardSize::MAX, 2..=4_usize).prop_flat_map(move |(side, players)| {
            let size = BoardSize::new(side).unwrap();
            let seat = (0..players).prop_map(Seat::new);
            let point = (0..side, 0..side).prop_map(move |(c, r)| size.point(c, r).unwrap());
            let stones = prop::collection::btree_map(point.clone(), seat.clone(), 0..80);
            let mv = (seat.clone(), point, text(), time()).prop_map(
                |(seat, point, comment, time_left)| RecordedMove {
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
                    GameRecord {
                        start: Setup {
                            size,
                            stones,
                            to_move,
                        },
                        variations: Vec::new(),
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
        fn what_is_written_is_read_back(game_records in prop::collection::vec(game_record(), 1..4)) {
            let texts: Vec<String> = game_records.iter().map(write).collect();
            let records: Vec<SgfGame> = game_records.iter().map(record).collect();
            prop_assert_eq!(&read(parse(&texts[0]).unwrap()), &records[0]);
            let found: Vec<SgfGame> =
                parse_all(&texts.concat()).unwrap().into_iter().map(read).collect();
            prop_assert_eq!(found, records);
        }

        #[test]
        fn comments_are_read_back(comment in text(), game_record in game_record()) {
            let comment = comment.unwrap_or_default();
            let game_record = GameRecord { comment: Some(comment.clone()), moves: Vec::new(), ..game_record };
            let text = write(&game_record);
            let mut lexer = Lexer::new(&text);
            let words: Vec<Token> =
                std::iter::from_fn(|| lexer.next().map(|(_, word)| word.unwrap())).collect();
            let at = words.iter().position(|word| *word == Token::Name("C".into()));
            let blank = |c: char| if c == '\t' { ' ' } else { c };
            let comment: String = comment.replace("\r\n", "\n").replace('\r', "\n")
                .chars().map(blank).collect();
            let comment = gogui::with_options(Some(&comment), &game_record.start).map(Token::Value);
            prop_assert_eq!(at.map(|at| &words[at + 1]), comment.as_ref());
        }
    }
}
