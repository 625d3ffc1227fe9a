//! The game by name: its start, its notation, and its search.

use std::sync::Arc;
use std::time::Duration;

use tanada::eval::playout::{self, Playout, PlayoutCounts};
use tanada::game::{Game, Seat, perft};
use tanada::params::{Leaf, Params};
use tanada::search::one_ply;
use tanada::util::random::Random;
use tanada::variant::{
    Arrangement, Capabilities, Case, GameProgress, MoveCode, Notation, RecordFormat, RunningGame,
    SharedStart, StartPosition, TextRecords, Variant, with_searcher, with_tree_search,
};

use super::{Column, FULL, OpenLines, Position};

/// Three in a row, where stones drop.
pub(crate) struct ThreeInARow;

impl Variant for ThreeInARow {
    fn name(&self) -> &'static str {
        "three"
    }

    fn title(&self) -> &'static str {
        "Three in a Row"
    }

    fn credit(&self) -> &'static str {
        "Three in a Row, with stones that drop"
    }

    fn summary(&self) -> &'static str {
        "Stones drop to the lowest free square of a column; three in a row win."
    }

    fn colours(&self) -> &'static [&'static str] {
        &["yellow", "blue"]
    }

    fn setups(&self) -> &'static [&'static str] {
        &["empty"]
    }

    fn start(
        &self,
        side: Option<usize>,
        _setup: Option<&str>,
        players: Option<usize>,
    ) -> Result<SharedStart, String> {
        match (side, players) {
            (None | Some(3), None | Some(2)) => Ok(Arc::new(Position::default())),
            _ => Err("expected size 3 and 2 players".to_string()),
        }
    }

    /// Three rows from the top, as they are shown.
    fn read(&self, text: &str, _players: Option<usize>) -> Result<SharedStart, String> {
        let mut position = Position::default();
        let rows: Vec<&str> = text.lines().collect();
        for (rank, row) in rows.iter().rev().enumerate() {
            for (file, letter) in row.chars().enumerate() {
                if let Some(seat) = "YB".find(letter) {
                    position.stones[seat] |= 1 << (3 * file + rank);
                }
            }
        }
        if rows.len() == 3 && position.show() == text.trim_end() {
            Ok(Arc::new(position))
        } else {
            Err(format!("`{text}` is no position"))
        }
    }

    fn records(&self) -> &dyn RecordFormat {
        &TextRecords(&ThreeInARow)
    }

    fn cases(&self) -> &'static [Case] {
        &[Case {
            name: "start",
            side: 3,
            setup: "empty",
            players: 2,
            moves: "",
        }]
    }
}

impl Column {
    fn read(word: &str) -> Option<Self> {
        let at = ["a", "b", "c"].iter().position(|column| *column == word)?;
        Some(Column(at as u8))
    }
}

impl StartPosition for Position {
    fn variant(&self) -> &'static dyn Variant {
        &ThreeInARow
    }

    fn side(&self) -> usize {
        3
    }

    fn players(&self) -> &[Seat] {
        &Seat::ALL[..2]
    }

    fn to_move(&self) -> Seat {
        Game::to_move(self)
    }

    fn text(&self) -> String {
        self.position_text()
    }

    fn new_game(&self, params: &Params, _weights: Option<&str>) -> Box<dyn RunningGame> {
        match params.leaf {
            Leaf::Network | Leaf::Linear => with_tree_search(*self, params, OpenLines),
            Leaf::Playout => with_tree_search(*self, params, Playout::new(params)),
            Leaf::Greedy => with_searcher(*self, params, one_ply(OpenLines, params.seed)),
        }
    }

    fn perft(&self, depth: u32) -> u64 {
        perft(&mut self.clone(), depth)
    }

    fn playouts(&self, random: &mut Random, time: Duration) -> (PlayoutCounts, Duration) {
        playout::for_a_while(self, random, time)
    }

    fn arrangement(&self) -> Arrangement {
        Arrangement {
            is_default: *self == Position::default(),
            ..Arrangement::default()
        }
    }
}

impl Capabilities for Position {}

impl Notation for Position {
    fn show(&self) -> String {
        let square = |bit: u16| match self.stones.map(|own| own & bit != 0) {
            [true, _] => 'Y',
            [_, true] => 'B',
            _ => '.',
        };
        let row = |rank: u16| (0..3).map(|file| square(1 << (3 * file + rank))).collect();
        let rows: Vec<String> = [2, 1, 0].map(row).into();
        rows.join("\n")
    }

    fn position_text(&self) -> String {
        self.show()
    }

    fn read_moves(&self, word: &str) -> Result<Vec<MoveCode>, String> {
        let column = Column::read(word).ok_or(format!("`{word}` is no column, expected a, b or c"));
        column.map(|column| vec![MoveCode::new(Self::code(column))])
    }

    fn write_moves(&self, moves: &[MoveCode]) -> String {
        let names = moves
            .iter()
            .map(|code| ["a", "b", "c"][usize::from(code.number())]);
        names.collect::<Vec<_>>().join(" ")
    }

    fn expected_move(&self) -> String {
        "a column that is not full".to_string()
    }
}

impl GameProgress for Position {
    fn moves_left(&self) -> u32 {
        (FULL & !(self.stones[0] | self.stones[1]))
            .count_ones()
            .div_ceil(2)
    }

    fn in_play(&self) -> Vec<Seat> {
        Seat::ALL[..2].to_vec()
    }
}
