//! The searches of a turn against brute force, and hand-made positions.

use ahash::AHashSet;

use super::*;
use crate::game::{Outcome, Playout as _};
use crate::taratibu::notation::write_turn;
use crate::taratibu::piece::{REACH, is_lost, squares_of};
use crate::taratibu::square::SQUARES;
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

/// As [`TurnView::distances`], by relaxing every step as often as there are steps.
fn plain_distances(position: &Position, seat: usize, most: u8) -> Distances {
    let mut distances = [[FAR; KINDS]; KINDS];
    let attackers = TurnView::new(position, seat).attacker_kinds;
    let movable = squares_of(attackers, position.squares(seat));
    let stuck = position.occupied_by(seat) & !movable;
    let fixed = stuck | position.occupied_by(1 - seat);
    for attacker in bits(attackers) {
        let start = usize::from(position.squares(seat)[attacker]);
        let mut steps_to = [FAR; SQUARES];
        steps_to[start] = 0;
        for _ in 0..most {
            for from in 0..SQUARES {
                let passes = from == start || fixed >> from & 1 == 0;
                if steps_to[from] < most && passes {
                    for to in bits(REACH[attacker][from]) {
                        steps_to[to] = steps_to[to].min(steps_to[from] + 1);
                    }
                }
            }
        }
        for enemy in bits(position.alive(1 - seat)) {
            let square = usize::from(position.squares(1 - seat)[enemy]);
            distances[enemy][attacker] = steps_to[square];
        }
    }
    distances
}

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
        spent += u32::from(position.spent_kinds() != 0);
        let found = TurnView::new(&position, mover).distances(MOST.into());
        let plain = plain_distances(&position, mover, MOST);
        assert_eq!(found, plain, "{}", position.to_line());
    }
    assert!(spent > 10, "{spent}");
}

/// Visits every assignment of different attackers to some of the `targets` with a sum of distances
/// of at most `left`: the targets that are `taken`, as bits, and what is left.
fn each_assignment(
    distances: &Distances,
    targets: u16,
    (used, taken): (u16, u16),
    left: u8,
    visit: &mut dyn FnMut(u16, u8),
) {
    let Some(target) = bits(targets).next() else {
        return visit(taken, left);
    };
    let others = targets & !(1 << target);
    each_assignment(distances, others, (used, taken), left, visit);
    for attacker in (0..KINDS).filter(|attacker| used >> attacker & 1 == 0) {
        let distance = distances[target][attacker];
        if distance <= left {
            let with = (used | 1 << attacker, taken | 1 << target);
            each_assignment(distances, others, with, left - distance, visit);
        }
    }
}

#[test]
fn the_bounds_are_those_of_the_cheapest_assignment() {
    const MOST: u8 = FAR - 1;
    let mut random = Random::new(19);
    let some_kinds = |number: u32, random: &mut Random| {
        let mut kinds = 0u16;
        while kinds.count_ones() < number {
            kinds |= 1 << random.below(KINDS as u32);
        }
        kinds
    };
    for _ in 0..40 {
        let mut view = TurnView::new(&Position::new_game(), 0);
        view.attacker_kinds = some_kinds(1 + random.below(6), &mut random);
        view.enemy_kinds = some_kinds(1 + random.below(5), &mut random);
        let mut distances = [[FAR; KINDS]; KINDS];
        for target in bits(view.enemy_kinds) {
            for attacker in bits(view.attacker_kinds) {
                distances[target][attacker] = match random.below(9) {
                    0 => FAR,
                    steps => steps as u8,
                };
            }
        }
        let mut least = vec![FAR; 1 << KINDS];
        let enemies = view.enemy_kinds;
        each_assignment(&distances, enemies, (0, 0), MOST, &mut |taken, left| {
            let least = &mut least[usize::from(taken)];
            *least = (*least).min(MOST - left);
        });
        assert_eq!(least_steps(&view, &distances), least);
        for set in (1..1 << KINDS).filter(|set| set & !enemies == 0) {
            for most in 0..=MOST {
                let fits = assignable(set, most.into(), |target| &distances[target]);
                assert_eq!(fits, least[usize::from(set)] <= most, "{set:b} in {most}");
            }
        }
    }
}

/// As [`value`], by the pieces one by one.
fn worth(kinds: u16) -> u32 {
    let of = |kind: &Kind| kinds >> kind.index() & 1 == 1;
    Kind::ALL.into_iter().filter(of).map(Kind::value).sum()
}

/// As [`threat`], by every assignment of pieces to targets.
fn plain_threat(position: &Position, seat: usize, steps: u8) -> (bool, u32) {
    let enemies = position.alive(1 - seat);
    let distances = plain_distances(position, seat, steps);
    let (mut wins, mut most) = (false, 0);
    each_assignment(&distances, enemies, (0, 0), steps, &mut |taken, _| {
        wins |= is_lost(enemies & !taken);
        most = most.max(worth(taken));
    });
    (wins, most)
}

#[test]
fn a_threat_is_the_most_that_the_bounds_allow() {
    let mut random = Random::new(31);
    let (mut wins, mut values) = (0, AHashSet::new());
    for _ in 0..60 {
        let turn = 2 + random.below(8) as u8;
        let Some(position) = reach(turn, 50, &mut random) else {
            continue;
        };
        for seat in 0..2 {
            for steps in 1..=5 {
                let plain = plain_threat(&position, seat, steps);
                let found = threat(&position, seat, steps.into());
                assert_eq!(found, plain, "{} in {steps}", position.to_line());
                wins += u32::from(plain.0);
                values.insert(plain.1);
            }
        }
    }
    assert!(wins > 20 && values.len() > 50, "{wins}, {}", values.len());
}

#[test]
fn without_a_capture_the_greedy_player_leaves_the_least_threat() {
    let mut random = Random::new(37);
    let mut count = 0;
    for _ in 0..1000 {
        let turn = 1 + random.below(5) as u8;
        let Some(mut position) = reach(turn, 0, &mut random).filter(|_| count < 12) else {
            continue;
        };
        while position.steps_left() > 1 {
            position.play(position.playout_step(&mut random));
        }
        if position.outcome().is_some() || !best_capture(&position).is_empty() {
            continue;
        }
        count += 1;
        let (enemy, steps) = (1 - position.mover(), position.turn() + 1);
        let least = position.legal_moves().into_iter().min_by_key(|&step| {
            let mut next = position;
            next.play(step);
            plain_threat(&next, enemy, steps)
        });
        assert_eq!(greedy(&position), least, "{}", position.to_line());
    }
    assert_eq!(count, 12);
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
        let sum = so_far + worth(taken);
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
        assert_eq!(worth(taken), best, "{}", position.to_line());
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

/// The first sequence of at most `left` steps that captures the `targets`: captures of targets come
/// first, then plain steps, then other captures; among these, steps of the `last` piece come first.
fn first_in_order(
    position: &Position,
    targets: u16,
    left: u32,
    last: Option<Kind>,
) -> Option<Vec<Step>> {
    if targets == 0 || left == 0 {
        return (targets == 0).then(Vec::new);
    }
    let piece_at = |square| position.piece_at(square).map(|(_, kind)| kind);
    let mut steps = position.legal_moves();
    steps.sort_by_key(|step| {
        let class = match piece_at(step.to) {
            Some(kind) if targets >> kind.index() & 1 == 1 => 0,
            None => 1,
            Some(_) => 2,
        };
        (class, piece_at(step.from) != last)
    });
    steps.into_iter().find_map(|step| {
        let mut next = *position;
        next.play(step);
        let open = targets & next.alive(1 - position.mover());
        if open != 0 && (next.turn() != position.turn() || next.outcome().is_some()) {
            return None;
        }
        let rest = first_in_order(&next, open, left - 1, piece_at(step.from))?;
        Some([vec![step], rest].concat())
    })
}

/// A position with a few pieces on a third of the board, some of the mover's spent.
fn with_few_pieces(random: &mut Random) -> Position {
    let mut position = Position::empty(9, 3);
    let mut free: Vec<usize> = (0..SQUARES / 3).collect();
    let mut square =
        |random: &mut Random| free.swap_remove(random.below(free.len() as u32) as usize);
    for seat in 0..2 {
        let mut kinds: Vec<usize> = (0..KINDS).collect();
        for _ in 0..3 + 3 * (1 - seat) {
            let kind = kinds.swap_remove(random.below(kinds.len() as u32) as usize);
            position.put(seat, kind, square(random));
        }
    }
    let spent = bits(position.alive(0))
        .skip(random.below(4) as usize)
        .step_by(2);
    position.spend(spent.fold(0, |spent, kind| spent | 1 << kind));
    position
}

#[test]
fn the_steps_found_are_the_first_in_the_order_of_the_search() {
    let mut random = Random::new(41);
    let mut by_steps = [0; 4];
    for _ in 0..3000 {
        let position = with_few_pieces(&mut random);
        let WinSearch::Win(found) = find_win(&position, None) else {
            continue;
        };
        by_steps[found.len()] += 1;
        let sets = winning_sets(position.alive(1 - position.mover()));
        let mut limited = (1..=3).flat_map(|left| sets.map(|set| (left, set)));
        let first = limited.find_map(|(left, set)| first_in_order(&position, set, left, None));
        assert_eq!(Some(found), first, "{}", position.to_line());
    }
    assert!(by_steps[1..].iter().all(|&n| n > 20), "{by_steps:?}");
}

#[test]
fn a_search_with_breaks_finds_the_same() {
    let text = "...ad../...AFh./...E.../f.H.b.B/Tt.m.../......S/..CM.sD\n\
                turn 9, white to move, 8 steps left\nspent 45";
    let position = Position::parse(text).unwrap();
    let whole = find_win(&position, None);
    assert!(matches!(&whole, WinSearch::Win(steps) if wins_by(&position, steps)));
    let search = |most: usize| {
        let mut breaks = Vec::new();
        let found = find_win_while(&position, &mut |nodes| {
            breaks.push(nodes);
            breaks.len() < most
        });
        (found, breaks)
    };
    let (found, breaks) = search(50);
    assert_eq!(found, whole);
    assert!(breaks.len() > 3, "{breaks:?}");
    assert!(breaks.is_sorted_by(|a, b| a < b), "{breaks:?}");
    assert_eq!(search(2), (WinSearch::Unknown, breaks[..2].to_vec()));
}

#[test]
fn a_budget_ends_the_search_unless_it_is_over_by_then() {
    for text in [
        // The Duck has to make room for the Captain first, which is a step too many.
        "......./......./......./m....../D....../S....../C......\nturn 9, 2 steps left\nspent 12",
        // Nine steps win, and eight are left.
        "t..afM./......./...F.../....EbD/......./S....C./.d.mh..\nturn 10, 8 steps left",
    ] {
        let position = Position::parse(text).unwrap();
        let (view, distances, sets) = candidate(&position).unwrap();
        let mut search = CaptureSearch::new(view, distances, u64::MAX);
        let found = search.shortest(&sets, position.steps_left().into());
        assert_eq!(found, CaptureResult::Impossible, "{text}");
        let nodes = search.nodes;
        assert_eq!(find_win(&position, Some(nodes)), WinSearch::NoWin, "{text}");
        assert_eq!(
            find_win(&position, Some(nodes - 1)),
            WinSearch::Unknown,
            "{text}"
        );
    }
}
