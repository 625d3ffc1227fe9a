//! What the network is told of a position, against definitions in words.

use std::collections::BTreeSet;

use tanada::engine::Engine;
use tanada::network::{Model, Scratch};
use tanada::params::Params;

use super::oracle::{Board, Colour, Point, SplitMix};
use super::{point, size, start};

type Set = BTreeSet<Point>;

/// The sets of a side that the facts and numbers are made of.
#[derive(Default)]
struct Side {
    stones: Set,
    /// Where it may move.
    legal: Set,
    /// Empty points without own neighbours.
    virgin: Set,
    /// Those beside a legal point.
    near: Set,
    playable: Set,
    /// The points of space of each root, and its stones.
    roots: Vec<(Set, Set)>,
}

fn side(board: &Board, colour: Colour) -> Side {
    let empty: Set = board
        .points()
        .into_iter()
        .filter(|&p| board.is_empty_point(p))
        .collect();
    let legal: Set = empty
        .iter()
        .copied()
        .filter(|&p| board.can_place(p, colour))
        .collect();
    let virgin: Set = empty
        .iter()
        .copied()
        .filter(|&p| board.own_neighbours(p, colour).is_empty())
        .collect();
    let near = beside(board, &virgin, &legal, 1);
    let stones = board.stones.iter();
    Side {
        stones: stones
            .filter(|(_, c)| **c == colour)
            .map(|(p, _)| *p)
            .collect(),
        near,
        playable: board.playable_space(colour),
        roots: board
            .roots_of(colour)
            .iter()
            .map(|root| (board.root_space(root), root.points.clone()))
            .collect(),
        legal,
        virgin,
    }
}

/// The points of `a` with at least so many neighbours in `b`.
fn beside(board: &Board, a: &Set, b: &Set, least: usize) -> Set {
    let count = |p: &Point| {
        board
            .neighbours(*p)
            .iter()
            .filter(|q| b.contains(q))
            .count()
    };
    a.iter().copied().filter(|p| count(p) >= least).collect()
}

/// Neighbours in `b`, summed over the points of `a`.
fn contacts(board: &Board, a: &Set, b: &Set) -> usize {
    let count = |p: &Point| {
        board
            .neighbours(*p)
            .iter()
            .filter(|q| b.contains(q))
            .count()
    };
    a.iter().map(count).sum()
}

/// Points less pairs plus squares of four.
fn euler(board: &Board, set: &Set) -> f32 {
    let square = |&&(x, y): &&Point| {
        [(x + 1, y), (x, y + 1), (x + 1, y + 1)]
            .iter()
            .all(|p| set.contains(p))
    };
    let pairs = contacts(board, set, set) / 2;
    set.len() as f32 - pairs as f32 + set.iter().filter(square).count() as f32
}

fn less(a: &Set, b: &Set) -> Set {
    a.difference(b).copied().collect()
}

fn both(a: &Set, b: &Set) -> Set {
    a.intersection(b).copied().collect()
}

fn either(a: &Set, b: &Set) -> Set {
    a.union(b).copied().collect()
}

/// The moves of the side to move that leave the root that they extend without space.
fn suicides(board: &Board) -> Set {
    let bounds = |&p: &Point| {
        let mut after = board.clone();
        after.play(p).contains(&p)
    };
    board.legal_points().into_iter().filter(bounds).collect()
}

/// The sides with stones in the order of play from the side to move on: two, or else four, where empty
/// sides stand for the missing.
fn sides(board: &Board) -> Vec<Side> {
    let first = Colour::ALL.iter().position(|&c| c == board.to_move);
    let turns = Colour::ALL.iter().cycle().skip(first.unwrap()).take(4);
    let has_stones = |colour: &&Colour| board.stones.values().any(|c| c == *colour);
    let mut sides: Vec<Side> = turns
        .filter(has_stones)
        .map(|&colour| side(board, colour))
        .collect();
    if sides.len() > 2 {
        sides.resize_with(4, Side::default);
    }
    sides
}

/// The input planes of the network for as many players as have stones.
pub(super) fn expected_planes(board: &Board) -> Vec<u32> {
    let sides = sides(board);
    let weak = |sides: &[Side], space: usize| -> Set {
        let roots = sides.iter().flat_map(|side| &side.roots);
        let roots = roots.filter(|(s, _)| s.len() == space);
        roots.flat_map(|(s, _)| s.iter().copied()).collect()
    };
    let weak_stones = |sides: &[Side]| -> Set {
        let roots = sides.iter().flat_map(|side| &side.roots);
        let roots = roots.filter(|(s, _)| s.len() <= 2);
        roots
            .flat_map(|(_, stones)| stones.iter().copied())
            .collect()
    };
    let (own, their) = sides.split_at(1);
    let mut sets: Vec<Set> = vec![board.points().into_iter().collect()];
    sets.extend(sides.iter().map(|side| side.stones.clone()));
    sets.extend(sides.iter().map(|side| side.legal.clone()));
    sets.extend(sides.iter().map(|side| side.virgin.clone()));
    sets.extend(sides.iter().map(|side| side.playable.clone()));
    for space in [1, 2] {
        sets.extend([own, their].map(|sides| weak(sides, space)));
    }
    sets.extend([own, their].map(weak_stones));
    sets.push(suicides(board));
    let of_point = |at| {
        let at = super::place(at, size(board.size));
        (0..sets.len()).fold(0, |bits, i| bits | (u32::from(sets[i].contains(&at)) << i))
    };
    size(board.size).points().map(of_point).collect()
}

/// The global features of that network.
pub(super) fn expected_numbers(board: &Board) -> Vec<f32> {
    let sides = sides(board);
    let mut numbers = Vec::new();
    for (i, own) in sides.iter().enumerate() {
        let others = || (0..sides.len()).filter(|&j| j != i).map(|j| &sides[j]);
        let all = |of: fn(&Side) -> &Set| others().flat_map(of).copied().collect::<Set>();
        let (their_legal, their_near) = (all(|s| &s.legal), all(|s| &s.near));
        let (their_virgin, their_playable) = (all(|s| &s.virgin), all(|s| &s.playable));
        let far = less(&beside(board, &own.virgin, &own.near, 1), &own.near);
        let crowded = beside(board, &own.legal, &own.legal, 1);
        let soon = either(&their_legal, &their_near);
        let sole = less(&own.playable, &their_playable);
        let roots = |space| own.roots.iter().filter(|(s, _)| s.len() == space).count();
        let closed = either(&their_legal, &their_virgin);
        numbers.extend([
            own.legal.len() as f32,
            crowded.len() as f32,
            less(&crowded, &beside(board, &own.legal, &own.legal, 2)).len() as f32,
            own.near.len() as f32,
            less(&own.near, &soon).len() as f32,
            far.len() as f32,
            both(&far, &soon).len() as f32,
            own.roots.len() as f32,
            roots(1) as f32,
            roots(2) as f32,
            roots(3) as f32,
            sole.len() as f32,
            less(&own.legal, &their_playable).len() as f32,
            both(&own.legal, &their_virgin).len() as f32,
            less(&own.legal, &closed).len() as f32,
            both(&own.near, &their_legal).len() as f32,
            contacts(board, &own.legal, &own.virgin) as f32,
            (contacts(board, &own.near, &own.near) / 2) as f32,
            contacts(board, &own.legal, &their_virgin) as f32,
            euler(board, &own.playable),
            (contacts(board, &sole, &sole) / 2) as f32,
            beside(board, &own.legal, &sole, 1).len() as f32,
            own.virgin.len() as f32,
            own.stones.len() as f32,
            beside(board, &own.virgin, &own.virgin, 3).len() as f32,
        ]);
    }
    let area = board.points().len() as f32;
    let empty = area - board.stones.len() as f32;
    // Points of at least so many sides.
    let of_sides = |of: fn(&Side) -> &Set, least: usize| -> Set {
        let has = |p: &Point| sides.iter().filter(|side| of(side).contains(p)).count() >= least;
        board.points().into_iter().filter(has).collect()
    };
    let contested = of_sides(|s| &s.playable, 2);
    numbers.extend([
        of_sides(|s| &s.near, 2).len() as f32,
        euler(board, &contested),
        contested.len() as f32,
        empty,
        16.0 * of_sides(|s| &s.playable, 1).len() as f32 / area,
        board.size as f32,
    ]);
    numbers
}

#[test]
fn it_is_told_what_the_definitions_say() {
    let boards = [
        ("corners", 4, 2, 30),
        ("corners", 6, 2, 20),
        ("dense", 7, 2, 12),
        ("classic", 9, 2, 8),
        ("classic", 9, 3, 4),
        ("classic", 9, 4, 4),
        ("dense", 11, 2, 3),
        ("classic", 13, 2, 2),
        ("classic", 19, 2, 1),
        ("classic", 19, 4, 1),
        ("corners", 21, 2, 1),
    ];
    for (setup, side, players, games) in boards {
        let mut rng = SplitMix::new(side as u64);
        for _ in 0..games {
            let mut board = Board::setup(setup, side, players).unwrap();
            let mut engine = Engine::new(start(&board), Params::default());
            while board.winner().is_none() {
                let features = engine.training_features().unwrap();
                assert_eq!(features.input_planes().unwrap(), expected_planes(&board));
                assert_eq!(
                    features.global_features().unwrap(),
                    expected_numbers(&board)
                );
                let at = board.random_move(&mut rng).unwrap();
                board.play(at);
                engine.play(point(at, size(side))).unwrap();
            }
        }
    }
}

/// A network and what `scripts/network/fixture.py` says that it says.
#[derive(serde::Deserialize)]
struct Judged {
    network: String,
    cases: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    side: usize,
    planes: Vec<u32>,
    numbers: [f32; 5],
    values: Vec<f32>,
    moves: Vec<f32>,
}

/// Sums in another order.
const TOLERANCE: f32 = 0.001;
/// Beyond that are the moves beside an activation that lies between two whole numbers, since the
/// trainer's biases are fractions: so many of a board at most, by so much.
const BETWEEN: (usize, f32) = (6, 0.2);

fn check_network<const P: usize, const O: usize>(judged: &Judged) {
    let model = Model::<16, 5, P, O>::parse(&judged.network).unwrap();
    for case in &judged.cases {
        let side = case.side;
        let stride = side + 1;
        // A row of guards comes first.
        let cell = |point: usize| stride + point / side * stride + point % side;
        let mut scratch = Scratch::default();
        scratch.begin::<16, P>(stride, side);
        for (point, word) in case.planes.iter().enumerate() {
            for plane in (0..P).filter(|plane| word >> plane & 1 != 0) {
                scratch.set::<P>(cell(point), plane);
            }
        }
        let values = model.value_logits(&mut scratch, &case.numbers, side * side);
        assert_eq!(case.values.len(), O);
        for (value, expected) in values.iter().zip(&case.values) {
            let off = (value - expected).abs();
            assert!(off < TOLERANCE, "{side}: {value} {expected}");
        }
        let mut between = 0;
        for (point, expected) in case.moves.iter().enumerate() {
            let weight = model.policy_logit(&scratch, cell(point));
            let off = (weight - expected).abs();
            assert!(off < BETWEEN.1, "{side}, {point}: {weight} {expected}");
            between += usize::from(off > TOLERANCE);
        }
        assert!(between <= BETWEEN.0, "{side}: {between}");
    }
}

#[test]
fn the_program_says_what_the_trainer_says() {
    let networks: [Judged; 2] =
        serde_json::from_str(include_str!("data/network/judged.json")).unwrap();
    check_network::<16, 1>(&networks[0]);
    check_network::<24, 4>(&networks[1]);
}
