//! Tanbo as one of the games that can be asked for by name.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::linear::Linear;
use super::network::{self, Network, planes};
use super::position::Root;
use super::setup::{Named, NamedError, Setup, Start};
use super::sgf;
use super::weights::{WeightTable, Weights, weights_for};
use super::{Position, cases, colour, diagram, exact, inputs, with_position};
use crate::board::vertex;
use crate::board::{BoardSize, Point};
use crate::eval::playout::{self, Playout, PlayoutCounts};
use crate::game::{Game, Seat};
use crate::params::{Leaf, Params};
use crate::search::one_ply;
use crate::util::random::Random;
use crate::variant::{
    Arrangement, BoardView, Case, Exact, ExactSettings, GameRecord, Group, MoveCode, Notation,
    RunningGame, SetupError, SharedStart, StartPosition, Stones, Variant, running_game,
};

/// The side of the board if nothing is said: the tournament board.
pub const DEFAULT_SIDE: usize = 19;

/// Tanbo, for two to four players.
pub struct Tanbo;

impl Variant for Tanbo {
    fn name(&self) -> &'static str {
        "tanbo"
    }

    fn title(&self) -> &'static str {
        "Tanbo"
    }

    fn credit(&self) -> &'static str {
        "Tanbo, Mark Steere's game of roots (1993)"
    }

    fn summary(&self) -> &'static str {
        "A stone goes beside exactly one of its own colour. A root that cannot grow is removed;\n\
         who has the last root wins."
    }

    fn rules(&self) -> String {
        "The connected stones of one colour are a root.\n\
         On your turn, put a stone on an empty point beside exactly one stone of your own; enemy\n\
         stones do not matter. You cannot pass.\n\
         The points where its owner could extend a root are its root space. A root without root\n\
         space is bounded.\n\
         If your move bounds the root that it extends, that root is removed, and nothing else.\n\
         Otherwise every other bounded root is removed, whoever owns it.\n\
         A player without stones is out. Whoever owns the last root wins; there are no draws.\n"
            .to_string()
    }

    fn colours(&self) -> &'static [&'static str] {
        &["black", "white", "red", "green"]
    }

    fn setups(&self) -> &'static [&'static str] {
        &["classic", "dense", "corners"]
    }

    fn start(
        &self,
        side: Option<usize>,
        setup: Option<&str>,
        players: Option<usize>,
    ) -> Result<SharedStart, SetupError> {
        let size = BoardSize::new(side.unwrap_or(DEFAULT_SIDE))
            .map_err(|error| SetupError::Size(error.to_string()))?;
        let wrong = |error: NamedError| SetupError::Setup(error.to_string());
        let named = match setup {
            None => Named::default_for(size),
            Some(name) => name.parse().map_err(wrong)?,
        };
        let setup = named.setup(size, players.unwrap_or(2)).map_err(wrong)?;
        checked(setup, None)
    }

    fn read(&self, text: &str, players: Option<usize>) -> Result<SharedStart, SetupError> {
        checked(position(text)?, players)
    }

    fn cases(&self) -> &'static [Case] {
        cases::CASES
    }

    fn record_extension(&self) -> &'static str {
        "sgf"
    }

    fn record(&self, record: GameRecord) -> String {
        match record.start.any().downcast_ref::<Start>() {
            Some(start) => {
                let setup = start.setup().clone();
                sgf::write(&record.map(setup, point))
            }
            None => String::new(),
        }
    }

    fn decode(&self, bytes: Vec<u8>) -> Result<String, String> {
        let text = sgf::decode(&bytes);
        if is_sgf(&text) || text.as_bytes() == bytes.as_slice() {
            return Ok(text);
        }
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_string())
    }

    fn is_record(&self, bytes: &[u8]) -> bool {
        is_sgf(&sgf::decode(bytes))
    }

    fn is_own_record(&self, head: &[u8]) -> bool {
        sgf::is_own(head)
    }

    fn read_some(
        &self,
        bytes: &[u8],
        most: usize,
        otherwise: &dyn Fn(Option<usize>) -> Option<SharedStart>,
    ) -> Vec<Result<GameRecord, String>> {
        let text = sgf::decode(bytes);
        let mut places = sgf::Places::new(&text);
        let mut defaults = BTreeMap::new();
        let record = |game: Result<sgf::SgfGame, sgf::SgfError>| {
            let game = game.map_err(|error| error.to_string())?;
            let default = defaults
                .entry(game.size)
                .or_insert_with(|| otherwise(Some(game.size.side())));
            let start = start_or(&game, default.as_ref()).map_err(|error| {
                let (line, column) = game.place(&mut places);
                format!("line {line}, column {column}: {error}")
            })?;
            let Some(checked) = start.any().downcast_ref() else {
                return Err("it is no start of Tanbo".to_string());
            };
            game.check_late(checked, &mut places)
                .map_err(|error| error.to_string())?;
            Ok(game.record.map(start, MoveCode::from))
        };
        sgf::games(&text).take(most.max(1)).map(record).collect()
    }
}

/// The start of a record: its stones, or else those of the default for its size.
fn start_or(game: &sgf::SgfGame, default: Option<&SharedStart>) -> Result<SharedStart, String> {
    let checked = |setup: Setup| checked(setup, None).map_err(|refusal| refusal.to_string());
    if let Some(setup) = &game.setup {
        return checked(setup.clone());
    }
    let own: Option<(&SharedStart, &Start)> =
        default.and_then(|start| Some((start, start.any().downcast_ref()?)));
    let Some((default, start)) = own else {
        return Err(format!(
            "the game has no stones before its first move, expected `AB` and `AW` on {0}x{0}",
            game.size
        ));
    };
    match game.to_move {
        // A file may hold very many of them.
        None => Ok(default.clone()),
        Some(seat) if seat == start.setup().to_move => Ok(default.clone()),
        Some(to_move) => checked(Setup {
            to_move,
            ..start.setup().clone()
        }),
    }
}

/// Whether a text is to be read as SGF: it begins like that, or a record begins in it.
fn is_sgf(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with('(') || sgf::has_game(text)
}

/// The point of a code that a Tanbo position gave.
pub fn point(code: MoveCode) -> Point {
    Point::from_number(code.number())
}

fn checked(setup: Setup, players: Option<usize>) -> Result<SharedStart, SetupError> {
    match setup.check(players) {
        Ok(start) => Ok(start.into()),
        Err(refusal) => Err(SetupError::Text(refusal.to_string())),
    }
}

/// The position in the text of a file: a diagram, or the start of an SGF record.
fn position(text: &str) -> Result<Setup, SetupError> {
    let wrong = |error: &dyn std::fmt::Display| SetupError::Text(error.to_string());
    if !is_sgf(text) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        return diagram::parse(text).map_err(|error| wrong(&error));
    }
    let game = sgf::parse(text).map_err(|error| wrong(&error))?;
    if let Some(setup) = game.setup {
        // All that is wrong with it is told together with the number of players.
        return Ok(setup);
    }
    let default = Tanbo.start(Some(game.size.side()), None, None).ok();
    let start = start_or(&game, default.as_ref()).map_err(SetupError::Text)?;
    match start.any().downcast_ref::<Start>() {
        Some(start) => Ok(start.setup().clone()),
        None => Err(SetupError::Text("it is no start of Tanbo".to_string())),
    }
}

impl From<Start> for SharedStart {
    fn from(start: Start) -> Self {
        Arc::new(start)
    }
}

impl StartPosition for Start {
    fn variant(&self) -> &'static dyn Variant {
        &Tanbo
    }

    fn side(&self) -> usize {
        self.size().side()
    }

    fn players(&self) -> &[Seat] {
        Start::players(self)
    }

    fn to_move(&self) -> Seat {
        self.setup().to_move
    }

    fn text(&self) -> String {
        diagram::write(self.setup())
    }

    fn new_game(&self, params: &Params, weights: Option<&str>) -> Box<dyn RunningGame> {
        let network = weights.filter(|text| network::is_network(text));
        let weights = weights.and_then(|text| WeightTable::parse(text).ok());
        let given = network.is_some() || weights.is_some();
        let weights = match weights {
            Some(weights) => weights.for_size(self.size()),
            None => weights_for(self),
        };
        // A file says which of the two it is for.
        let leaf = match (params.leaf, given) {
            (Leaf::Network | Leaf::Linear, true) if network.is_some() => Leaf::Network,
            (Leaf::Network | Leaf::Linear, true) => Leaf::Linear,
            (leaf, _) => leaf,
        };
        with_position!(self, |position| match leaf {
            Leaf::Linear =>
                running_game::with_tree_search(position, params, Linear::new(weights, params)),
            Leaf::Network => {
                let network = Network::new(network, Linear::new(weights, params), params);
                running_game::with_tree_search(position, params, network)
            }
            Leaf::Playout => running_game::with_tree_search(position, params, Playout::new(params)),
            Leaf::Greedy => {
                let linear = Linear::new(weights, params);
                running_game::with_searcher(position, one_ply(linear, params.seed))
            }
        })
    }

    fn weights(&self) -> Vec<f64> {
        let rows = weights_for(self).rows;
        rows.into_iter().flatten().map(f64::from).collect()
    }

    fn weights_text(&self, weights: &[f64], beside: Option<&str>) -> String {
        let weights = Weights::from_inputs(weights);
        let mut table = match beside.map(WeightTable::parse) {
            Some(Ok(table)) => table,
            _ => WeightTable::single(self.size(), weights),
        };
        table.insert(self.size(), weights);
        let names = super::features::NAMES.join(", ");
        let header = format!("# size phase, then the weights of {names}, tempo\n");
        header + &table.to_text()
    }

    fn check_weights(&self, text: &str) -> Result<(), String> {
        if network::is_network(text) {
            let two = matches!(super::shape(self), super::Shape::Two { .. });
            return match two {
                true => network::parse(text).map(|_| ()),
                false => {
                    Err("a network is for Black and White alone, expected weights".to_string())
                }
            };
        }
        match WeightTable::parse(text) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn perft(&self, depth: u32) -> u64 {
        super::perft(self, depth)
    }

    fn playouts(&self, random: &mut Random, time: Duration) -> (PlayoutCounts, Duration) {
        with_position!(self, |position| playout::for_a_while(
            &position, random, time
        ))
    }

    fn arrangement(&self) -> Arrangement {
        let setup = self.setup();
        let token = |seat| colour::letter(seat).to_ascii_lowercase();
        let stone = |point: Point| setup.stones.get(&point).copied();
        let mut line = "gogui-setup".to_string();
        for (&point, &seat) in &setup.stones {
            let vertex = vertex::name(point, setup.size);
            line.push_str(&format!(" {} {vertex}", token(seat)));
        }
        let mut lines = vec![line];
        if setup.to_move != colour::BLACK {
            lines.push(format!("gogui-setup_player {}", token(setup.to_move)));
        }
        let default = Named::default_for(setup.size).setup(setup.size, 2);
        Arrangement {
            shown: vec![
                (
                    "gogui-rules_board",
                    diagram::rows(setup.size, stone).concat(),
                ),
                (
                    "gogui-rules_side_to_move",
                    colour::word(setup.to_move).to_string(),
                ),
            ],
            lines,
            is_default: default.as_ref() == Ok(setup),
        }
    }

    fn any(&self) -> &dyn Any {
        self
    }
}

impl<const W: usize, const SEATS: usize> Notation for Position<W, SEATS> {
    fn show(&self) -> String {
        diagram::with_coordinates(self.size(), |point| self.stone_at(point))
    }

    fn position_text(&self) -> String {
        diagram::write(&setup(self, self.to_move()))
    }

    fn read_moves(&self, word: &str) -> Result<Vec<MoveCode>, String> {
        match vertex::parse(word, self.size()) {
            Ok(point) => Ok(vec![point.into()]),
            Err(error) => Err(error.to_string()),
        }
    }

    fn write_moves(&self, moves: &[MoveCode]) -> String {
        let names = moves
            .iter()
            .map(|&code| vertex::name(point(code), self.size()));
        names.collect::<Vec<_>>().join(" ")
    }

    fn expected_move(&self) -> String {
        let colour = colour::word(self.to_move());
        format!("an empty point with exactly one {colour} stone beside it")
    }

    /// Three quarters of the share of the empty points, as quick games on 9x9 have it.
    fn moves_left(&self) -> u32 {
        3 * self.empty().len() / (4 * self.in_play().len().max(1) as u32)
    }

    fn in_play(&self) -> Vec<Seat> {
        let seats = Seat::ALL.into_iter();
        seats.filter(|&seat| self.root_count(seat) > 0).collect()
    }

    fn inputs(&self) -> Vec<(Seat, Vec<f64>)> {
        inputs::inputs(self)
    }

    fn planes(&self) -> Option<Vec<u16>> {
        planes::planes(self)
    }

    fn numbers(&self) -> Option<Vec<f32>> {
        network::numbers(self)
    }

    fn stones(&self) -> Option<&dyn Stones> {
        Some(self)
    }

    fn drawn(&self) -> Option<&dyn BoardView> {
        Some(self)
    }

    fn exact(&self, settings: &ExactSettings) -> Result<Box<dyn Exact>, String> {
        exact::of_position(self, settings)
    }
}

impl<const W: usize, const SEATS: usize> Stones for Position<W, SEATS> {
    fn size(&self) -> BoardSize {
        Position::size(self)
    }

    fn stone_at(&self, point: Point) -> Option<Seat> {
        Position::stone_at(self, point)
    }

    fn legal(&self, seat: Seat) -> Vec<Point> {
        match self.outcome() {
            Some(_) => Vec::new(),
            None => Position::legal(self, seat).iter().collect(),
        }
    }

    fn groups(&self, seat: Seat) -> u32 {
        self.root_count(seat)
    }

    fn all_groups(&self) -> Vec<Group> {
        let group = |root: Root<W>| Group {
            seat: root.seat,
            stones: root.stones.iter().collect(),
            space: root.space.iter().collect(),
        };
        self.roots().into_iter().map(group).collect()
    }

    fn removed_by(&self, seat: Seat, point: Point) -> Vec<Point> {
        if self.outcome().is_some() || !Position::legal(self, seat).contains(point) {
            return Vec::new();
        }
        let mut after = self.with_to_move(seat);
        after.play(point);
        let taken = |p: &Point| *p == point || Position::stone_at(self, *p).is_some();
        let points = Position::size(self).points().filter(taken);
        points.filter(|&p| after.stone_at(p).is_none()).collect()
    }

    fn playable(&self, seat: Seat) -> Vec<Point> {
        let sets = super::features::playable(self);
        sets.get(seat.index())
            .map_or_else(Vec::new, |set| set.iter().collect())
    }
}

/// The stones of a position with a side to move.
pub fn setup(stones: &dyn Stones, to_move: Seat) -> Setup {
    let size = stones.size();
    let mut setup = Setup::empty(size);
    setup.to_move = to_move;
    for point in size.points() {
        if let Some(seat) = stones.stone_at(point) {
            setup.stones.insert(point, seat);
        }
    }
    setup
}
