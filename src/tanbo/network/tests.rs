use super::*;
use crate::tanbo::setup::{NamedSetup, Setup, Start};

fn evaluate<const SEATS: usize>(position: &Position<8, SEATS>) -> Evaluation {
    let params = Params {
        evaluation_noise: 0.0,
        ..Params::default()
    };
    let network = Network::new(None, position.size(), &params);
    let moves: Vec<Point> = position.legal(position.to_move()).iter().collect();
    let (mut same, mut evaluation) = (position.clone(), Evaluation::default());
    let random = &mut Random::new(1);
    // The last one is max^n.
    for (turns, paranoia) in [(1, 1.0), (1, 0.3), (0, 1.0), (0, 0.0)] {
        let mover = position.to_move();
        let root = Seat::new((mover.index() + turns) % SEATS);
        let utility = MultiplayerUtility { root, paranoia };
        network.evaluate(&mut same, &moves, &utility, random, &mut evaluation);
        let value = utility.value(mover, &evaluation.values, SEATS);
        assert_eq!(evaluation.moves.len(), moves.len());
        assert!(evaluation.moves.iter().all(|found| found.value == value));
        if SEATS > 2 && turns == 1 && paranoia == 1.0 {
            assert!((value - (1.0 - evaluation.values[root])).abs() < 1e-5);
        }
    }
    assert!((evaluation.priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    assert!((evaluation.values.0.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    evaluation
}

/// A start of the position's stones, with every seat moved on by `turns`.
fn turned(position: &Position<8, 4>, turns: usize) -> Start {
    let next = |seat: Seat| Seat::new((seat.index() + turns) % 4);
    let stone = |point: Point| Some((point, next(position.stone_at(point)?)));
    let setup = Setup {
        size: position.size(),
        stones: position.size().points().filter_map(stone).collect(),
        to_move: next(position.to_move()),
    };
    setup.check(None).unwrap()
}

#[test]
fn players_are_seen_in_the_order_of_play() {
    let mut position = Position::<8, 4>::new(&NamedSetup::Classic.start(9, 4));
    let mut random = Random::new(3);
    let mut seen = [false; 5];
    while position.outcome().is_none() {
        let living = (0..4).filter(|&s| position.root_count(Seat::new(s)) > 0);
        let living: Vec<usize> = living.collect();
        let evaluation = evaluate(&position);
        for turns in 1..4 {
            let same = evaluate(&Position::<8, 4>::new(&turned(&position, turns)));
            assert_eq!(same.priors, evaluation.priors);
            for seat in 0..4 {
                let value = evaluation.values[Seat::new(seat)];
                assert_eq!(same.values[Seat::new((seat + turns) % 4)], value);
                assert_eq!(value > 0.0, living.contains(&seat));
            }
        }
        seen[living.len()] = true;
        let moves: Vec<Point> = position.legal(position.to_move()).iter().collect();
        position.play(moves[random.below(moves.len() as u32) as usize]);
    }
    assert_eq!(seen[2..], [true; 3]);
}

#[test]
fn two_of_four_are_seen_as_two() {
    let start = NamedSetup::Classic.start(9, 2);
    let mut random = Random::new(5);
    let (mut two, mut four) = (Position::<8, 2>::new(&start), Position::<8, 4>::new(&start));
    while two.outcome().is_none() {
        let (one, other) = (evaluate(&two), evaluate(&four));
        assert_eq!(one.values.0, other.values.0);
        assert_eq!(one.priors, other.priors);
        let outcomes = |evaluation: &Evaluation| {
            let moves = evaluation.moves.iter();
            moves.map(|found| found.outcome).collect::<Vec<_>>()
        };
        assert_eq!(outcomes(&one), outcomes(&other));
        let moves: Vec<Point> = two.legal(two.to_move()).iter().collect();
        let point = moves[random.below(moves.len() as u32) as usize];
        two.play(point);
        four.play(point);
    }
}

#[test]
fn small_and_middle_boards_have_networks_of_their_own() {
    let networks: Vec<Network> = (BoardSize::MIN..=BoardSize::MAX)
        .map(|side| Network::new(None, BoardSize::new(side).unwrap(), &Params::default()))
        .collect();
    let changes: Vec<usize> = (1..networks.len())
        .filter(|&i| !Arc::ptr_eq(&networks[i].for_two, &networks[i - 1].for_two))
        .map(|i| BoardSize::MIN + i)
        .collect();
    assert_eq!(changes, [10, 15]);
}
