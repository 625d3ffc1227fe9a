//! The rules, the original's sample game and remarks, and random games.

use super::*;
use crate::game::{Playout as _, perft};
use crate::taratibu::notation::parse_turn;
use crate::util::random::Random;

fn play(position: &mut Position, turn: &str) {
    position.play_turn(&parse_turn(turn).unwrap()).unwrap();
}

#[test]
fn the_start() {
    let start = Position::new_game();
    assert_eq!((start.turn(), start.steps_left()), (1, 1));
    assert_eq!(start.to_move(), Seat::new(0));
    for (digits, seat, kind) in [
        (('1', '1'), 0, Kind::Sphinx),
        (('6', '1'), 0, Kind::Man),
        (('7', '2'), 0, Kind::Hero),
        (('7', '7'), 1, Kind::Sphinx),
        (('2', '6'), 1, Kind::Turtle),
        (('3', '6'), 1, Kind::Captain),
    ] {
        let square = Square::from_digits(digits.0, digits.1).unwrap();
        assert_eq!(start.piece_at(square), Some((Seat::new(seat), kind)));
    }
    let steps: Vec<String> = start.legal_moves().iter().map(Step::to_string).collect();
    let sphinx: Vec<&String> = steps.iter().filter(|s| s.starts_with("11")).collect();
    assert_eq!(sphinx, ["1132", "1123", "1133"]);
    assert!(steps.contains(&"7264".to_string()));
    assert_eq!(perft(&mut start.clone(), 1), steps.len() as u64);
    let mut mirrored = start;
    mirrored.turn = 2;
    mirrored.steps_left = 2;
    assert_eq!(mirrored.legal_moves().len(), steps.len());
}

#[test]
fn the_sample_game_of_the_original() {
    let mut position = Position::new_game();
    let turns = [
        "7264",
        "4765-6564",
        "3153-5364-5232",
        "1735-7765-3533-3311",
        "4163-6345-4527-5131-3111",
        "6543-6755-4321-5564-2647-4727",
        "3231-3121-7153-5335-3557",
    ];
    for (number, turn) in turns.into_iter().enumerate() {
        assert_eq!(position.turn(), number as u8 + 1);
        assert_eq!(position.outcome(), None);
        play(&mut position, turn);
    }
    assert_eq!(position.outcome(), Some(Outcome::Winner(Seat::new(0))));
    assert_eq!(position.legal_moves(), []);
    assert_eq!(position.steps_left(), 2);
    let step = parse_turn("1112").unwrap()[0];
    assert!(!position.is_legal(step));
}

#[test]
fn whatever_white_moves_first_can_be_captured_in_the_second_turn() {
    for first in Position::new_game().legal_moves() {
        let mut position = Position::new_game();
        position.play(first);
        let captures = |position: &Position| {
            let takes = |step: &Step| step.to == first.to;
            position.legal_moves().iter().any(takes)
        };
        let in_two = position.legal_moves().into_iter().any(|step| {
            let mut next = position;
            next.play(step);
            captures(&next)
        });
        assert!(captures(&position) || in_two, "{first}");
    }
}

#[test]
fn a_piece_that_captured_may_not_step_again() {
    let mut position = Position::new_game();
    play(&mut position, "7264");
    play(&mut position, "4765");
    assert_eq!(position.spent(), []);
    play(&mut position, "6564");
    assert_eq!(position.turn(), 3);
    play(&mut position, "3153-5364");
    assert_eq!(position.spent().len(), 1);
    assert_eq!(position.spent()[0].to_string(), "64");
    let again = parse_turn("6486").unwrap_err().to_string();
    assert!(again.contains("`86`"));
    let step = parse_turn("6453").unwrap()[0];
    assert!(!position.is_legal(step));
    assert!(position.legal_moves().iter().all(|s| s.from != step.from));
}

#[test]
fn wrong_steps_are_refused() {
    let position = Position::new_game();
    // No piece, a black piece, another movement, no movement, an own piece.
    for step in ["3344", "7765", "1144", "1111", "5262"] {
        assert!(!position.is_legal(parse_turn(step).unwrap()[0]), "{step}");
    }
    let mut other = position;
    assert!(other.play_turn(&parse_turn("7264-7264").unwrap()).is_err());
    assert_eq!(other, position);
}

#[test]
fn a_turn_ends_early_when_no_step_is_left() {
    // White has one piece; it captures with three steps left.
    let text = "d.m..../......./......./......./......./......./M.c.... / turn 5, 4 steps left";
    let mut position = Position::parse(text).unwrap();
    play(&mut position, "1121-2131");
    assert_eq!((position.turn(), position.steps_left()), (6, 6));
    assert_eq!(position.to_move(), Seat::new(1));
    assert_eq!(position.spent(), []);
}

#[test]
fn a_turn_ends_early_when_own_pieces_block_the_others() {
    // The Man captures on the third of the Duck's squares; spent pieces are on the others.
    let text = "......m/......./......./......./d.S..../M....../D.C....\n\
                turn 5, 3 steps left\nspent 31 33";
    let mut position = Position::parse(text).unwrap();
    let duck = parse_turn("1113").unwrap()[0];
    assert!(position.is_legal(duck));
    play(&mut position, "1213");
    assert_eq!((position.turn(), position.steps_left()), (6, 6));
    assert_eq!(position.legal_moves().len(), 3);
}

#[test]
fn every_way_to_win_ends_the_game_in_the_middle_of_a_turn() {
    for (left, last) in [("FDCT", 'F'), ("SETH", 'E'), ("SBAD", 'A')] {
        // Black steps onto the last two pieces of the order, the Man among them.
        let others: String = "SEBAFDCTH".chars().filter(|c| !left.contains(*c)).collect();
        let mut row = others.clone();
        while row.len() < 7 {
            row.push('.');
        }
        let text = format!(
            "{row}/......./......./......./.m...../c....../{last}M.....  / turn 10, 9 steps left"
        );
        let start = Position::parse(&text).unwrap();
        let mut position = start;
        play(&mut position, "1211");
        assert_eq!(position.outcome(), None);
        play(&mut position, "2322");
        assert_eq!(position.outcome(), None);
        play(&mut position, "2221");
        assert_eq!(position.outcome(), Some(Outcome::Winner(Seat::new(1))));
        assert_eq!(position.steps_left(), 6);
    }
}

#[test]
fn the_last_step_of_the_tenth_turn_draws() {
    let mut position = Position::new_game();
    let mut count = 0;
    while position.outcome().is_none() {
        // The first step that captures nothing.
        let enemy = position.occupied_by(1 - position.mover());
        let step = position
            .legal_moves()
            .into_iter()
            .find(|s| enemy & s.to.bit() == 0);
        position.play(step.unwrap());
        count += 1;
    }
    assert_eq!(position.outcome(), Some(Outcome::Draw));
    assert_eq!(count, 55);
    assert_eq!((position.turn(), position.steps_left()), (10, 0));
}

#[test]
fn a_game_without_steps_is_drawn() {
    // Black's only piece captures, and its turn is the last.
    let text = "M....../......./......./......./......./......./..B...m / turn 10, 9 steps left";
    let mut position = Position::parse(text).unwrap();
    play(&mut position, "7161-6151-5141");
    assert_eq!(position.outcome(), None);
    play(&mut position, "4131");
    assert_eq!(position.outcome(), Some(Outcome::Draw));
}

#[test]
fn steps_are_as_far_apart_as_a_man_walks_between_their_targets() {
    let position = Position::new_game();
    for (a, b) in Square::all().flat_map(|a| Square::all().map(move |b| (a, b))) {
        let step = |to: Square| Step {
            from: Square::wrapped(to.index() + 1),
            to,
        };
        let walk = piece::DISTANCE[Kind::Man.index()][a.index()][b.index()];
        assert_eq!(position.distance(step(a), step(b)), u32::from(walk));
    }
}

#[test]
fn the_hash_tells_turns_and_steps_left_apart() {
    let mut hashes = std::collections::HashSet::new();
    for turn in 1..=LAST_TURN {
        for steps_left in 0..=turn {
            let hash = Position::empty(turn, steps_left).hash();
            assert!(hashes.insert(hash), "turn {turn}, {steps_left} steps left");
        }
    }
}

/// Recomputes the incremental fields.
fn check(position: &Position) {
    let mut anew = Position::empty(position.turn, position.steps_left);
    for square in Square::all() {
        if let Some((seat, kind)) = position.piece_at(square) {
            assert_eq!(
                usize::from(position.squares[seat.index()][kind.index()]),
                square.index()
            );
            anew.put(seat.index(), kind.index(), square.index());
        }
    }
    anew.spend(position.spent);
    anew.outcome = position.outcome;
    assert_eq!(anew, *position);
}

#[test]
fn undo_and_hash_are_exact_in_random_games() {
    let mut random = Random::new(3);
    let mut hashes = std::collections::HashMap::new();
    for _ in 0..60 {
        let mut codes = Vec::new();
        Position::new_game()
            .playout()
            .finish(0, &mut random, |_, code| codes.push(code));
        let mut position = Position::new_game();
        let mut played = Vec::new();
        for code in codes {
            let step = Position::decode(code);
            assert_eq!(Position::code(step), code);
            let legal = position.legal_moves();
            assert!(legal.contains(&step));
            assert!(legal.iter().all(|&s| position.is_legal(s)));
            let count = Square::all()
                .flat_map(|from| Square::all().map(move |to| Step { from, to }))
                .filter(|&s| position.is_legal(s))
                .count();
            assert_eq!(count, legal.len());
            let before = position;
            let undo = position.play(step);
            check(&position);
            played.push((before, undo));
            assert_eq!(*hashes.entry(position.hash()).or_insert(position), position);
        }
        while let Some((before, undo)) = played.pop() {
            position.undo(undo);
            assert_eq!(position, before);
        }
    }
}
