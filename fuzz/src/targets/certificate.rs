//! Certificates of solved positions, verified by a second reader that has nothing in common with the first but zlib and
//! the checksum.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write;

use arbitrary::Unstructured;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc, Decompress, FlushDecompress, Status};
use tanada::tanbo::certificate::{self, VerifyError};

use super::oracle::endings::{Folded, Search, folded};
use super::oracle::{Board, Colour, Point};
use super::sentence;

/// Moves of the winner, at most: more are slow, and nothing is different.
const MOST_MOVES: usize = 600;
/// The second reader is slow on larger boards, and where endings are larger.
const MOST_POINTS: i32 = 7;
const MOST_SEARCHED: u64 = 100;

/// Positions with a winner: the moves of the winner are found by trying all.
const POSITIONS: [&str; 3] = [
    "to move: white\nO O . X\n. . . X\nX . O X\nX X O O\n",
    "to move: black\nX O . .\n. O . .\nO O . .\n. . . .\n",
    "to move: black\nO . X X\nO . X .\nO . . .\nX X O O\n",
];

/// The first byte chooses what the rest is: a file of any bytes; changes of the bytes of a valid file; or changes of the
/// position, the claim, the numbers and the moves of a certificate, whose checksum is right.
pub(super) fn certificates(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    match first & 3 {
        0 => verify(rest),
        1 => {
            let valid = valid(first >> 2);
            assert!(!verify_bytes(&valid));
            let mut choices = Unstructured::new(rest);
            let mut altered = valid.clone();
            while !choices.is_empty() && edit(&mut altered, &mut choices).is_ok() {}
            let refused = verify_bytes(&altered);
            assert!(altered == valid || refused, "{altered:?}");
        }
        _ => {
            let mut choices = Unstructured::new(rest);
            if let Ok(altered) = altered(first >> 2, &mut choices) {
                verify(&altered);
            }
        }
    }
}

/// Changes, doubles or removes a byte.
fn edit(bytes: &mut Vec<u8>, choices: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let (place, what, value): (u16, u8, u8) = choices.arbitrary()?;
    let place = usize::from(place) % (bytes.len() + 1);
    match (what % 4, bytes.get_mut(place)) {
        (0, Some(byte)) => *byte = value,
        (1, Some(byte)) => *byte ^= 1 << (value % 8),
        (2, Some(_)) => drop(bytes.remove(place)),
        _ => bytes.insert(place, value),
    }
    Ok(())
}

/// Both readers agree about a file.
fn verify(bytes: &[u8]) {
    let found = Naive::read(bytes);
    if let Some(naive) = &found {
        if naive.moves.len() > MOST_MOVES || naive.limit > MOST_SEARCHED {
            return;
        }
        if naive.board.size > MOST_POINTS {
            verify_bytes(bytes);
            return;
        }
    }
    let holds = found.is_some_and(|naive| naive.holds());
    assert_eq!(!verify_bytes(bytes), holds);
}

/// Whether a file is refused.
fn verify_bytes(bytes: &[u8]) -> bool {
    match certificate::verify(bytes, Some(64), &mut |_, _| ()) {
        Ok(_) => false,
        Err(VerifyError::Certificate(error)) => {
            sentence(&error.to_string());
            true
        }
        Err(error) => panic!("{error}"),
    }
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum().to_be_bytes()
}

/// A certificate whose form is right.
struct Naive {
    /// 1, 2 with parts, 3 with parts and endings.
    version: u8,
    board: Board,
    winner: Colour,
    /// Positions, parts, endings and plies.
    numbers: [u64; 4],
    /// The most positions that the search of an ending needs; 0 before version 3.
    limit: u64,
    moves: Vec<u8>,
}

impl Naive {
    fn header(&self) -> String {
        let [positions, parts, endings, plies] = self.numbers;
        let (version, limit) = (self.version, self.limit);
        let parts = match version {
            1 => String::new(),
            2 => format!("parts: {parts}\n"),
            _ => format!("parts: {parts}\nendings: {endings}\nsearch: {limit}\n"),
        };
        let row = |y: i32| -> String {
            let stone = |x: i32| {
                self.board
                    .stones
                    .get(&(x, y))
                    .map_or('.', |colour| colour.stone())
            };
            let stones: Vec<String> = (0..self.board.size).map(|x| stone(x).to_string()).collect();
            stones.join(" ") + "\n"
        };
        let rows: String = (0..self.board.size).rev().map(row).collect();
        format!(
            "tanada certificate {version}\ngame: tanbo\nto move: {}\n{rows}claim: {} wins\npositions: {positions}\n\
             {parts}plies: {plies}\nmoves: zlib\n",
            self.board.to_move.word(),
            self.winner.word(),
        )
    }

    fn seal(&self) -> Vec<u8> {
        let mut packed = ZlibEncoder::new(self.header().into_bytes(), Compression::best());
        packed.write_all(&self.moves).expect("memory");
        let mut bytes = packed.finish().expect("memory");
        bytes.extend(checksum(&bytes));
        bytes
    }

    /// Reads a file; `None` if its form is wrong.
    fn read(bytes: &[u8]) -> Option<Self> {
        let last = b"moves: zlib\n";
        let end = last.len() + bytes.windows(last.len()).position(|part| part == last)?;
        let (header, rest) = bytes.split_at(end);
        let header = std::str::from_utf8(header).ok()?;
        let mut stones = BTreeMap::new();
        let mut rows = 0;
        let mut fields = HashMap::new();
        for line in header.lines() {
            if let Some((name, value)) = line.split_once(": ") {
                fields.insert(name, value);
            } else if line.starts_with(['.', 'X', 'O']) {
                for (x, stone) in line.chars().step_by(2).enumerate() {
                    let colour = match stone {
                        'X' => Colour::Black,
                        'O' => Colour::White,
                        _ => continue,
                    };
                    stones.insert((x as i32, -rows), colour);
                }
                rows += 1;
            }
        }
        if !(4..=21).contains(&rows) || stones.keys().any(|&(x, _)| x >= rows) {
            return None;
        }
        let up = |((x, y), colour)| ((x, y + rows - 1), colour);
        let colour = |word: &str| Colour::ALL[..2].iter().copied().find(|c| c.word() == word);
        let number = |name| match fields.get(name) {
            Some(text) if text.len() > 18 => None,
            Some(text) => text.parse().ok(),
            None => Some(0),
        };
        let to_move = colour(fields.get("to move")?)?;
        let version = header.strip_prefix("tanada certificate ")?;
        let version = version.chars().next()?.to_digit(10)? as u8;
        let limit = number("search")?;
        if version == 3 && (!(1..=1_000_000).contains(&limit) || rows > 10) {
            return None;
        }
        let naive = Self {
            version,
            board: Board::new(rows, stones.into_iter().map(up).collect(), to_move),
            winner: colour(fields.get("claim")?.strip_suffix(" wins")?)?,
            numbers: [
                number("positions")?,
                number("parts")?,
                number("endings")?,
                number("plies")?,
            ],
            limit,
            moves: unpack(rest, &checksum(&bytes[..bytes.len() - 4.min(bytes.len())]))?,
        };
        ((1..=3).contains(&version) && naive.header() == header).then_some(naive)
    }

    fn holds(&self) -> bool {
        self.board.refusals().is_empty() && self.walk() == Some(self.numbers)
    }

    /// The numbers that the header should have, if the strategy wins and uses all moves.
    fn walk(&self) -> Option<[u64; 4]> {
        let mut walk = Walk {
            moves: self.moves.iter(),
            version: self.version,
            limit: self.limit,
            winner: self.winner,
            tables: vec![Default::default()],
            positions: 0,
            parts: 0,
            endings: 0,
        };
        let plies = walk.longest(&self.board)?;
        walk.moves
            .next()
            .is_none()
            .then_some([walk.positions, walk.parts, walk.endings, plies])
    }
}

/// The moves of a zlib stream that ends where the checksum begins.
fn unpack(bytes: &[u8], checksum: &[u8; 4]) -> Option<Vec<u8>> {
    let stream = bytes.strip_suffix(checksum)?;
    let mut inflate = Decompress::new(true);
    let mut moves = Vec::with_capacity(1 << 16);
    let status = inflate.decompress_vec(stream, &mut moves, FlushDecompress::Finish);
    if inflate.total_out() >= 1 << 16 {
        // It is not read to its end, and too long for the second reader.
        return Some(moves);
    }
    let is_whole =
        matches!(status, Ok(Status::StreamEnd)) && inflate.total_in() == stream.len() as u64;
    is_whole.then_some(moves)
}

type Key = (BTreeMap<Point, Colour>, Colour);

fn key(board: &Board) -> Key {
    (board.stones.clone(), board.to_move)
}

/// A position in the tables of a walk: its stones, or from version 3 on what is folded.
#[derive(PartialEq, Eq, Hash)]
enum Entry {
    Stones(Key),
    Folded(Folded),
}

impl Entry {
    fn of(board: &Board, version: u8) -> Self {
        match version {
            3 => Self::Folded(folded(board)),
            _ => Self::Stones(key(board)),
        }
    }
}

struct Walk<'a> {
    moves: std::slice::Iter<'a, u8>,
    version: u8,
    limit: u64,
    winner: Colour,
    /// Finished positions and parts, of each part that is not finished.
    tables: Vec<[HashMap<Entry, u64>; 2]>,
    positions: u64,
    parts: u64,
    endings: u64,
}

impl Walk<'_> {
    fn table(&mut self, kind: usize) -> &mut HashMap<Entry, u64> {
        let tables = self.tables.last_mut().expect("the outermost tables");
        &mut tables[kind]
    }

    /// The length of the longest game; `None` if the strategy is none.
    fn longest(&mut self, board: &Board) -> Option<u64> {
        if let Some(winner) = board.winner() {
            return (winner == self.winner).then_some(0);
        }
        let legal = board.legal_points();
        if board.to_move != self.winner {
            let mut longest = 0;
            for at in legal {
                longest = longest.max(1 + self.longest(&after(board, at))?);
            }
            return Some(longest);
        }
        let entry = Entry::of(board, self.version);
        if let Some(&plies) = self.table(0).get(&entry) {
            return Some(plies);
        }
        self.positions += 1;
        let mut number = *self.moves.next()?;
        if self.version == 3 && number == 254 {
            if !is_won(board, self.limit) {
                return None;
            }
            self.endings += 1;
            self.table(0).insert(entry, 0);
            return Some(0);
        }
        let begins_part = self.version > 1 && number == 255;
        if begins_part {
            let last = if self.version == 3 { 253 } else { 254 };
            number = *self.moves.next().filter(|&&number| number <= last)?;
        }
        let next = after(board, *legal.get(usize::from(number))?);
        let plies = match begins_part {
            true => self.part(&next)?,
            false => self.longest(&next)?,
        };
        self.table(0).insert(entry, 1 + plies);
        Some(1 + plies)
    }

    fn part(&mut self, board: &Board) -> Option<u64> {
        if let Some(winner) = board.winner()
            && winner != self.winner
        {
            return None;
        }
        let entry = Entry::of(board, self.version);
        if let Some(&plies) = self.table(1).get(&entry) {
            return Some(plies);
        }
        self.parts += 1;
        self.tables.push(Default::default());
        let plies = self.longest(board)?;
        self.tables.pop();
        self.table(1).insert(entry, plies);
        Some(plies)
    }
}

/// Whether the side to move wins this ending, by a search of at most `limit` positions.
fn is_won(board: &Board, limit: u64) -> bool {
    let (won, counted) = Search::within(board, limit);
    won && counted <= limit
}

fn after(board: &Board, at: Point) -> Board {
    let mut after = board.clone();
    after.play(at);
    after
}

/// Finds the moves of a certificate.
struct Solver {
    version: u8,
    limit: u64,
    winners: HashMap<Key, Colour>,
    moves: Vec<u8>,
}

impl Solver {
    fn winner(&mut self, board: &Board) -> Colour {
        if let Some(winner) = board.winner() {
            return winner;
        }
        if let Some(&winner) = self.winners.get(&key(board)) {
            return winner;
        }
        let wins = |at| self.winner(&after(board, at)) == board.to_move;
        let winner = match board.legal_points().into_iter().any(wins) {
            true => board.to_move,
            false if board.to_move == Colour::Black => Colour::White,
            false => Colour::Black,
        };
        self.winners.insert(key(board), winner);
        winner
    }

    /// Adds the winner's moves in the positions from here on that are not in `done`, which holds finished positions and
    /// parts. With parts, some moves begin one.
    fn walk(&mut self, board: &Board, winner: Colour, done: &mut [HashSet<Entry>; 2]) {
        if board.winner().is_some() {
            return;
        }
        let legal = board.legal_points();
        if board.to_move != winner {
            for at in legal {
                self.walk(&after(board, at), winner, done);
            }
        } else if !done[0].contains(&Entry::of(board, self.version)) {
            if self.version == 3 && is_won(board, self.limit) {
                self.moves.push(254);
                done[0].insert(Entry::of(board, self.version));
                return;
            }
            let wins = |&at: &Point| self.winner(&after(board, at)) == winner;
            let number = legal.iter().position(wins).expect("a winning move");
            let begins_part = self.version > 1 && self.moves.len().is_multiple_of(3);
            if begins_part {
                self.moves.push(255);
            }
            self.moves.push(number as u8);
            let next = after(board, legal[number]);
            if !begins_part {
                self.walk(&next, winner, done);
            } else if !done[1].contains(&Entry::of(&next, self.version)) {
                self.walk(&next, winner, &mut Default::default());
                done[1].insert(Entry::of(&next, self.version));
            }
            done[0].insert(Entry::of(board, self.version));
        }
    }
}

thread_local! {
    static VALID: [Naive; 6] = [(0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (2, 3)]
        .map(|(position, version)| solved(POSITIONS[position], version));
}

/// A valid certificate.
fn solved(text: &str, version: u8) -> Naive {
    let board = Board::parse(text).expect("a diagram");
    // By counting alone, or the small positions would be one ending.
    let limit = u64::from(version == 3);
    let mut solver = Solver {
        version,
        limit,
        winners: HashMap::new(),
        moves: Vec::new(),
    };
    let winner = solver.winner(&board);
    solver.walk(&board, winner, &mut Default::default());
    let mut naive = Naive {
        version,
        board,
        winner,
        numbers: [0; 4],
        limit,
        moves: solver.moves,
    };
    naive.numbers = naive.walk().expect("a strategy");
    let [positions, parts, endings, _] = naive.numbers;
    assert!(version == 3 || (parts > 0) == (version == 2 && positions > 0));
    assert_eq!(endings > 0, version == 3);
    naive
}

/// A valid certificate file.
fn valid(choice: u8) -> Vec<u8> {
    VALID.with(|valid| valid[usize::from(choice) % valid.len()].seal())
}

/// A certificate in which positions, claims and moves are changed, with numbers that are right if there are any, unless
/// they are changed too.
fn altered(choice: u8, choices: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
    let (stones, edits, shape): (u8, u8, u8) = choices.arbitrary()?;
    let mut naive = VALID.with(|valid| {
        let Naive {
            version,
            board,
            winner,
            moves,
            ..
        } = &valid[usize::from(choice) % valid.len()];
        let version = match shape & 1 {
            0 => *version,
            _ => version % 3 + 1,
        };
        Naive {
            version,
            board: board.clone(),
            winner: *winner,
            numbers: [0; 4],
            limit: if version == 3 {
                1 + u64::from(shape >> 5)
            } else {
                0
            },
            moves: moves.clone(),
        }
    });
    for _ in 0..stones % 4 {
        let (at, stone): (u8, u8) = choices.arbitrary()?;
        let points = naive.board.points();
        let at = points[usize::from(at) % points.len()];
        match Colour::ALL[..2].get(usize::from(stone % 3)) {
            Some(&colour) => drop(naive.board.stones.insert(at, colour)),
            None => drop(naive.board.stones.remove(&at)),
        }
    }
    for _ in 0..edits % 16 {
        edit(&mut naive.moves, choices)?;
    }
    if shape & 2 != 0 {
        naive.winner = Colour::ALL[usize::from(shape >> 7)];
    }
    if shape & 4 != 0 {
        naive.board.to_move = Colour::ALL[usize::from(shape >> 6 & 1)];
    }
    naive.numbers = match naive
        .board
        .refusals()
        .is_empty()
        .then(|| naive.walk())
        .flatten()
    {
        Some(numbers) => numbers,
        None => choices.arbitrary::<[u16; 4]>()?.map(u64::from),
    };
    if shape & 8 != 0 {
        let which = usize::from(shape >> 4 & 3);
        naive.numbers[which] =
            naive.numbers[which].wrapping_add_signed(choices.arbitrary::<i8>()?.into());
    }
    Ok(naive.seal())
}
