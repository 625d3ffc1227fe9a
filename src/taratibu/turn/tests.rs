//! The searches of a turn against brute force, and hand-made positions.

use ahash::AHashSet;

use super::*;
use crate::game::{Outcome, Playout as _};
use crate::taratibu::notation::write_turn;
use crate::taratibu::piece::{FAR, REACH, squares_of};
use crate::taratibu::square::{SQUARES, bits};
use crate::util::random::Random;

/// A position on turn `turn` after random and greedy steps.
fn reach(turn: u8, greedy_share: u32, random: &mut Random) -> Option<Position> {
    let mut position = Position::new_game();
    while position.turn() < turn && position.outcome().is_none() {
        let step = if random.below(100) < greedy_share {
            greedy(&position)?
        } else {
            let moves = position.legal_moves();
            moves[random.below(moves.len() as u32) as usize]
        };
        position.play(step);
    }
    position.outcome().is_none().then_some(position)
}

/// Plays steps, all of one turn, and says whether they win.
fn wins_by(position: &Position, steps: &[Step]) -> bool {
    let mut after = *position;
    let seat = position.to_move();
    for (i, &step) in steps.iter().enumerate() {
        assert!(after.is_legal(step), "{}", write_turn(steps));
        assert_eq!(after.turn(), position.turn());
        after.play(step);
        assert_eq!(after.outcome().is_some(), i + 1 == steps.len());
    }
    after.outcome() == Some(Outcome::Winner(seat))
}

/// As [`find_win`], by trying every sequence of steps.
fn find_win_by_brute_force(position: &Position) -> Option<Vec<Step>> {
    (1..=u32::from(position.steps_left())).find_map(|depth| {
        let mut steps = Vec::new();
        let mut seen = AHashSet::new();
        wins(position, depth, &mut steps, &mut seen).then_some(steps)
    })
}

/// Whether the mover wins in `depth` steps of this turn. Hashes of positions include the steps
/// left.
fn wins(position: &Position, depth: u32, steps: &mut Vec<Step>, seen: &mut AHashSet<u64>) -> bool {
    if depth == 0 || !seen.insert(position.hash()) {
        return false;
    }
    for step in position.legal_moves() {
        let mut next = *position;
        next.play(step);
        steps.push(step);
        let won = next.outcome() == Some(Outcome::Winner(position.to_move()));
        let same_turn = next.turn() == position.turn() && next.outcome().is_none();
        if won || same_turn && wins(&next, depth - 1, steps, seen) {
            return true;
        }
        steps.pop();
    }
    false
}

fn compare(position: &Position) -> bool {
    let plain = find_win_by_brute_force(position);
    match (find_win(position, None), &plain) {
        (WinSearch::Win(steps), Some(plain)) => {
            assert!(wins_by(position, &steps), "{}", position.to_line());
            assert_eq!(steps.len(), plain.len(), "{}", position.to_line());
        }
        (WinSearch::NoWin, None) => {}
        (fast, _) => panic!("{fast:?} but {plain:?} in {}", position.to_line()),
    }
    plain.is_some()
}

/// Shortest paths by relaxing every step until nothing changes.
#[test]
fn distances_go_around_enemy_and_spent_pieces() {
    const MOST: u8 = 5;
    let mut random = Random::new(17);
    let mut spent = 0;
    for _ in 0..150 {
        let turn = 3 + random.below(7) as u8;
        let Some(mut position) = reach(turn, 70, &mut random) else {
            continue;
        };
        // Further steps of the turn, of which captures spend the piece.
        for _ in 0..random.below(4) {
            let mut next = position;
            let Some(step) = greedy(&position) else { break };
            next.play(step);
            if next.turn() == turn && next.outcome().is_none() {
                position = next;
            }
        }
        let mover = position.mover();
        let view = TurnView::new(&position, mover);
        let movable = squares_of(view.attacker_kinds, position.squares(mover));
        let stuck = position.occupied_by(mover) & !movable;
        spent += u32::from(stuck != 0);
        let fixed = stuck | position.occupied_by(1 - mover);
        let found = view.distances(MOST.into());
        for attacker in bits(view.attacker_kinds) {
            let start = usize::from(position.squares(mover)[attacker]);
            let mut steps_to = [FAR; SQUARES];
            steps_to[start] = 0;
            for _ in 0..MOST {
                for from in 0..SQUARES {
                    let passes = from == start || fixed >> from & 1 == 0;
                    if steps_to[from] < MOST && passes {
                        for to in bits(REACH[attacker][from]) {
                            steps_to[to] = steps_to[to].min(steps_to[from] + 1);
                        }
                    }
                }
            }
            for enemy in bits(view.enemy_kinds) {
                let square = usize::from(position.squares(1 - mover)[enemy]);
                assert_eq!(
                    found[enemy][attacker],
                    steps_to[square],
                    "{}",
                    position.to_line()
                );
            }
        }
    }
    assert!(spent > 10, "{spent}");
}

#[test]
fn the_fast_win_search_finds_what_the_plain_one_finds() {
    let mut random = Random::new(11);
    let (mut wins, mut positions) = (0, 0);
    for _ in 0..400 {
        let turn = 4 + random.below(7) as u8;
        let Some(mut position) = reach(turn, 85, &mut random) else {
            continue;
        };
        // With few steps left brute force is fast.
        while position.steps_left() > 3 + u8::from(positions % 4 == 0)
            && position.outcome().is_none()
        {
            let step = match random.below(4) {
                0 => position.playout_step(&mut random),
                _ => greedy(&position).unwrap(),
            };
            position.play(step);
        }
        if position.outcome().is_none() {
            positions += 1;
            wins += u32::from(compare(&position));
        }
    }
    assert!(wins >= 20 && positions >= 100, "{wins} of {positions}");
}

impl Position {
    /// A random step.
    fn playout_step(&self, random: &mut Random) -> Step {
        let mut first = None;
        self.playout().finish(0, random, |_, code| {
            first.get_or_insert(code);
        });
        Self::decode(first.unwrap())
    }
}

/// The kinds that the steps capture.
fn captured(position: &Position, steps: &[Step]) -> u16 {
    let enemy = 1 - position.mover();
    let mut after = *position;
    for &step in steps {
        after.play(step);
    }
    position.alive(enemy) & !after.alive(enemy)
}

/// The most value, by brute force.
fn best_by_brute_force(position: &Position, seen: &mut AHashSet<u64>, best: &mut u32, so_far: u32) {
    if !seen.insert(position.hash()) {
        return;
    }
    *best = so_far.max(*best);
    let enemy = 1 - position.mover();
    for step in position.legal_moves() {
        let mut next = *position;
        next.play(step);
        let taken = position.alive(enemy) & !next.alive(enemy);
        let sum = so_far + value(usize::from(taken));
        if next.turn() == position.turn() && next.outcome().is_none() {
            best_by_brute_force(&next, seen, best, sum);
        } else {
            *best = sum.max(*best);
        }
    }
}

#[test]
fn the_best_capture_is_the_best_there_is() {
    let mut random = Random::new(12);
    let mut count = 0;
    for _ in 0..150 {
        let turn = 2 + random.below(9) as u8;
        let Some(mut position) = reach(turn, 60, &mut random) else {
            continue;
        };
        while position.steps_left() > 3 && position.outcome().is_none() {
            let step = position.playout_step(&mut random);
            position.play(step);
        }
        let found = best_capture(&position);
        let wins = matches!(find_win(&position, None), WinSearch::Win(_));
        if wins || position.outcome().is_some() {
            continue;
        }
        count += 1;
        let mut best = 0;
        best_by_brute_force(&position, &mut AHashSet::new(), &mut best, 0);
        let taken = captured(&position, &found);
        assert_eq!(value(usize::from(taken)), best, "{}", position.to_line());
    }
    assert!(count > 50, "{count}");
}

#[test]
fn the_last_turn_of_the_sample_game_is_found() {
    let mut position = Position::new_game();
    for turn in [
        "7264",
        "4765-6564",
        "3153-5364-5232",
        "1735-7765-3533-3311",
        "4163-6345-4527-5131-3111",
        "6543-6755-4321-5564-2647-4727",
    ] {
        let steps = crate::taratibu::notation::parse_turn(turn).unwrap();
        position.play_turn(&steps).unwrap();
    }
    let WinSearch::Win(steps) = find_win(&position, None) else {
        panic!("the game was won here");
    };
    assert!(wins_by(&position, &steps));
    assert!(steps.len() <= 5);
    assert!(wins_by(&position, &best_capture(&position)));
    assert_eq!(greedy(&position), steps.first().copied());
}

#[test]
fn wins_by_hand() {
    for (text, expected) in [
        (
            "......M/......./......./......./......./......./Am..... / turn 1",
            Some(1),
        ),
        // The Duck never reaches the other colour of squares, and the Man is far.
        (
            "......M/......./......./......./......./m....../....D.. / turn 5",
            None,
        ),
        (
            "......M/......./......./......./......./m....../....D.. / turn 7",
            Some(6),
        ),
        // Two pieces to capture, and a piece captures once.
        (
            "......./......./......./......./......./..mdt../......M / turn 7",
            None,
        ),
    ] {
        let position = Position::parse(text).unwrap();
        let found = match find_win(&position, None) {
            WinSearch::Win(steps) => Some(steps.len()),
            _ => None,
        };
        assert_eq!(found, expected, "{text}");
        compare(&position);
    }
}

#[test]
fn a_budget_ends_the_search() {
    let mut random = Random::new(5);
    let mut unknown = 0;
    for _ in 0..60 {
        if let Some(position) = reach(8, 85, &mut random) {
            unknown += u32::from(find_win(&position, Some(0)) == WinSearch::Unknown);
        }
    }
    assert!(unknown > 0);
}
