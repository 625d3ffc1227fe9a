//! Whether a side can capture given enemy pieces within the steps of a turn: an iterative
//! deepening search with an admissible bound (IDA*, Korf, 1985).
//!
//! The *attackers* are the mover's unspent pieces. Enemy pieces do not move during the turn, and a
//! piece that captures stays on the square of its victim. So no piece ever steps through a square
//! that holds an enemy or spent piece at the start; only attackers make room. And each capture
//! needs an attacker of its own.
//!
//! The lower bound on the steps needed is the cheapest assignment of different attackers to the
//! targets, by distances around these fixed squares, as if attackers could pass through each
//! other. It is admissible: in every sequence each target is captured by an attacker of its own,
//! which made at least that many steps. So the first sequence found is a shortest one.

use ahash::AHashMap;
use arrayvec::ArrayVec;

use super::piece::{DISTANCE, FAR, KINDS, REACH, Rings, WITHIN, squares_of, steps_from};
use super::position::{LAST_TURN, NONE, Position, Step};
use super::square::{SQUARES, Square, bits};

/// By target, then by attacker: the steps from the attacker to the target.
pub(super) type Distances = [[u8; KINDS]; KINDS];

/// The result of a search for captures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CaptureResult {
    /// A shortest sequence of steps.
    Steps(Vec<Step>),
    /// The targets cannot be captured in time.
    Impossible,
    /// The node budget was used up.
    Unknown,
}

/// What matters of a position in one turn of a side.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnView {
    /// By kind: the squares of the attackers.
    pub(super) attackers: [u8; KINDS],
    /// The kinds of the attackers, as bits.
    pub(super) attacker_kinds: u16,
    /// The squares of the attackers.
    own: u64,
    /// The squares of spent pieces.
    spent: u64,
    /// By kind: the squares of the enemy's pieces.
    enemy_squares: [u8; KINDS],
    /// The kinds of the enemy's pieces, as bits.
    pub(super) enemy_kinds: u16,
    /// The squares of the enemy's pieces.
    pub(super) enemy_set: u64,
}

impl TurnView {
    /// The turn of `seat`: if it is that seat's turn, without spent pieces; otherwise with all
    /// pieces.
    #[inline(always)]
    pub(super) fn new(position: &Position, seat: usize) -> Self {
        let spent_kinds = if position.mover() == seat {
            position.spent_kinds()
        } else {
            0
        };
        Self::without(position, seat, spent_kinds)
    }

    /// A future turn of `seat`, with all of its pieces.
    #[inline(always)]
    pub(super) fn whole(position: &Position, seat: usize) -> Self {
        Self::without(position, seat, 0)
    }

    #[inline(always)]
    fn without(position: &Position, seat: usize, spent_kinds: u16) -> Self {
        let attackers = *position.squares(seat);
        let spent = squares_of(spent_kinds, &attackers);
        Self {
            attackers,
            attacker_kinds: position.alive(seat) & !spent_kinds,
            own: position.occupied_by(seat) & !spent,
            spent,
            enemy_squares: *position.squares(1 - seat),
            enemy_kinds: position.alive(1 - seat),
            enemy_set: position.occupied_by(1 - seat),
        }
    }

    /// By number of steps: the squares that some attacker reaches on an empty board.
    #[inline(always)]
    pub(super) fn rings(&self) -> Rings {
        let mut rings = [0; 8];
        for attacker in bits(self.attacker_kinds) {
            let within = &WITHIN[attacker][usize::from(self.attackers[attacker])];
            for (all, within) in rings.iter_mut().zip(within) {
                *all |= within;
            }
        }
        rings
    }

    /// The squares of enemy pieces of some kinds.
    #[inline(always)]
    pub(super) fn squares_of(&self, kinds: u16) -> u64 {
        squares_of(kinds, &self.enemy_squares)
    }

    /// The distances of all attackers to all enemy pieces around the fixed squares; [`FAR`] if
    /// above `most`.
    #[inline(always)]
    pub(super) fn distances(&self, most: u32) -> Distances {
        let mut distances = [[FAR; KINDS]; KINDS];
        let fixed = self.enemy_set | self.spent;
        let mut kind_at = [0u8; SQUARES];
        for kind in bits(self.enemy_kinds) {
            kind_at[usize::from(self.enemy_squares[kind]) % SQUARES] = kind as u8;
        }
        for attacker in bits(self.attacker_kinds) {
            let mut frontier = 1u64 << (self.attackers[attacker] & 63);
            let mut seen = frontier | self.spent;
            let mut steps = 0;
            while frontier != 0 && steps < most {
                steps += 1;
                let mut next = 0;
                for square in bits(frontier) {
                    next |= REACH[attacker][square];
                }
                next &= !seen;
                seen |= next;
                for square in bits(next & self.enemy_set) {
                    distances[usize::from(kind_at[square])][attacker] = steps as u8;
                }
                frontier = next & !fixed;
            }
        }
        distances
    }
}

/// A lower bound on the steps to capture all `targets`: the sum of their least distances to an
/// attacker on an empty board, by [`TurnView::rings`]; at least [`FAR`] if it is impossible.
#[inline(always)]
pub(super) fn quick_bound(rings: &Rings, targets: u64) -> u32 {
    if targets & !rings[7] != 0 {
        return u32::from(FAR);
    }
    // A target counts once for each number of steps that is too small for it.
    rings[..7]
        .iter()
        .map(|ring| (targets & !ring).count_ones())
        .sum()
}

/// Whether different attackers can be assigned to all targets with a sum of distances of at most
/// `most`; `row` gives the distances of a target.
#[inline(always)]
pub(super) fn assignable<'a>(
    targets: u16,
    most: u32,
    row: impl Fn(usize) -> &'a [u8; KINDS],
) -> bool {
    let mut rows: ArrayVec<(&[u8; KINDS], u8), KINDS> = ArrayVec::new();
    let mut sum = 0;
    for target in bits(targets) {
        let row = row(target);
        let least = row.iter().fold(FAR, |least, &d| least.min(d));
        sum += u32::from(least);
        rows.push((row, least));
    }
    sum <= most && assign(&rows, 0, most - sum)
}

/// Assigns a different attacker to each row, with at most `slack` above the sum of the least
/// distances.
fn assign(rows: &[(&[u8; KINDS], u8)], used: u16, slack: u32) -> bool {
    let Some(((row, least), rest)) = rows.split_first() else {
        return true;
    };
    for (attacker, &distance) in row.iter().enumerate() {
        let extra = u32::from(distance - least);
        if distance < FAR
            && used & 1 << attacker == 0
            && extra <= slack
            && assign(rest, used | 1 << attacker, slack - extra)
        {
            return true;
        }
    }
    false
}

/// By square: the steps of one kind of attacker to one target.
type DistanceField = [u8; SQUARES];

/// A search for captures in one turn. It remembers what failed between calls.
pub(super) struct CaptureSearch {
    view: TurnView,
    /// By target and attacker, computed on first use.
    fields: [[DistanceField; KINDS]; KINDS],
    /// By target: the attackers whose field is computed, as bits.
    computed: [u16; KINDS],
    /// The distances of the attackers from their current squares.
    distances: Distances,
    /// By position and targets: the largest number of steps that was too small.
    failed: AHashMap<u128, u8>,
    path: ArrayVec<Step, { LAST_TURN as usize }>,
    /// Nodes visited so far.
    pub(super) nodes: u64,
    budget: u64,
}

impl CaptureSearch {
    /// A search of at most `budget` nodes; `distances` are those of `view`.
    pub(super) fn new(view: TurnView, distances: Distances, budget: u64) -> Self {
        Self {
            view,
            fields: [[[FAR; SQUARES]; KINDS]; KINDS],
            computed: [0; KINDS],
            distances,
            failed: AHashMap::new(),
            path: ArrayVec::new(),
            nodes: 0,
            budget,
        }
    }

    /// Raises the budget to `nodes` more nodes than visited.
    pub(super) fn extend(&mut self, nodes: u64) {
        self.budget = self.nodes.saturating_add(nodes);
    }

    /// The shortest way to capture all pieces of one of the `sets` within `most` steps.
    pub(super) fn shortest(&mut self, sets: &[u16], most: u32) -> CaptureResult {
        for limit in 1..=most {
            for &targets in sets {
                if self.search(targets, limit, KINDS) {
                    return CaptureResult::Steps(self.path.to_vec());
                }
            }
        }
        if self.nodes > self.budget {
            CaptureResult::Unknown
        } else {
            CaptureResult::Impossible
        }
    }

    /// Whether `targets` can be captured in `left` steps. `last` is the attacker of the previous
    /// step, which is tried first.
    fn search(&mut self, targets: u16, left: u32, last: usize) -> bool {
        if targets == 0 {
            return true;
        }
        if self.nodes > self.budget || !assignable(targets, left, |t| &self.distances[t]) {
            return false;
        }
        self.nodes += 1;
        let key = self.key(targets);
        if self
            .failed
            .get(&key)
            .is_some_and(|&few| left <= u32::from(few))
        {
            return false;
        }
        let before = (self.view, self.distances);
        let first = (self.view.attacker_kinds >> last & 1 != 0).then_some(last);
        let others = bits(self.view.attacker_kinds).filter(|&attacker| attacker != last);
        // First captures of targets, then plain steps, then other captures, which may clear the way.
        for pass in 0..3 {
            for attacker in first.into_iter().chain(others.clone()) {
                let from = usize::from(before.0.attackers[attacker]);
                let open = REACH[attacker][from] & !before.0.own & !before.0.spent;
                let to = match pass {
                    1 => open & !before.0.enemy_set,
                    _ => open & before.0.enemy_set,
                };
                for to in bits(to) {
                    let taken = self.play(attacker, from, to, left - 1);
                    let hit = taken & targets != 0;
                    let wanted = pass == 1 || hit == (pass == 0);
                    if wanted && self.search(targets & !taken, left - 1, attacker) {
                        return true;
                    }
                    self.path.pop();
                    (self.view, self.distances) = before;
                }
            }
        }
        if self.nodes <= self.budget {
            self.failed.insert(key, left as u8);
        }
        false
    }

    /// Plays a step and returns the captured kind, as a bit.
    fn play(&mut self, attacker: usize, from: usize, to: usize, left: u32) -> u16 {
        self.path.push(Step {
            from: Square::wrapped(from),
            to: Square::wrapped(to),
        });
        let view = &mut self.view;
        let bit = 1u64 << to;
        view.own &= !(1 << from);
        if view.enemy_set & bit == 0 {
            view.own |= bit;
            view.attackers[attacker] = to as u8;
            for target in bits(view.enemy_kinds) {
                self.distances[target][attacker] = self.distance(target, attacker, to, left);
            }
            return 0;
        }
        let enemy_squares = &view.enemy_squares;
        let taken = bits(view.enemy_kinds).find(|&kind| usize::from(enemy_squares[kind]) == to);
        let taken = taken.map_or(0, |kind| 1 << kind);
        view.enemy_kinds &= !taken;
        view.enemy_set &= !bit;
        view.spent |= bit;
        view.attacker_kinds &= !(1 << attacker);
        view.attackers[attacker] = NONE;
        for row in &mut self.distances {
            row[attacker] = FAR;
        }
        taken
    }

    /// The distance from a square; if it is above `left`, perhaps a larger one.
    fn distance(&mut self, target: usize, attacker: usize, from: usize, left: u32) -> u8 {
        let square = usize::from(self.view.enemy_squares[target]) % SQUARES;
        // Often it is too far even on an empty board.
        let least = DISTANCE[attacker][from][square];
        if u32::from(least) > left {
            return FAR;
        }
        if self.computed[target] & 1 << attacker == 0 {
            self.computed[target] |= 1 << attacker;
            // Every movement also works backwards, and the squares that were fixed at the start
            // still are.
            let fixed = self.view.enemy_set | self.view.spent;
            self.fields[target][attacker] = steps_from(attacker, square, fixed, 0);
        }
        self.fields[target][attacker][from]
    }

    /// An exact key, not a hash: targets, enemy pieces and attackers determine what is possible.
    fn key(&self, targets: u16) -> u128 {
        let mut key = u128::from(targets) << 16 | u128::from(self.view.enemy_kinds);
        for square in self.view.attackers {
            key = key << 6 | u128::from(square & 63);
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::util::random::Random;

    /// A search with `left` steps from a position of a random game.
    fn random_search(left: u32, random: &mut Random) -> CaptureSearch {
        let mut position = Position::new_game();
        for _ in 0..random.below(45) {
            let steps = position.legal_moves();
            let mut next = position;
            next.play(steps[random.below(steps.len() as u32) as usize]);
            if next.outcome().is_none() {
                position = next;
            }
        }
        let view = TurnView::new(&position, position.mover());
        CaptureSearch::new(view, view.distances(left), u64::MAX)
    }

    /// Attacker, square and next square of every possible step.
    fn possible_steps(view: &TurnView) -> Vec<(usize, usize, usize)> {
        let taken = view.own | view.spent;
        let steps = bits(view.attacker_kinds).flat_map(|attacker| {
            let from = usize::from(view.attackers[attacker]);
            bits(REACH[attacker][from] & !taken).map(move |to| (attacker, from, to))
        });
        steps.collect()
    }

    #[test]
    fn distances_after_each_step_are_those_computed_anew() {
        const LEFT: u32 = 6;
        let mut random = Random::new(23);
        let (mut captures, mut plain) = (0, 0);
        for _ in 0..200 {
            let mut search = random_search(LEFT, &mut random);
            for left in (0..LEFT).rev() {
                let steps = possible_steps(&search.view);
                if steps.is_empty() {
                    break;
                }
                let (attacker, from, to) = steps[random.below(steps.len() as u32) as usize];
                match search.play(attacker, from, to, left) {
                    0 => plain += 1,
                    _ => captures += 1,
                }
                let anew = search.view.distances(left);
                for target in bits(search.view.enemy_kinds) {
                    let within = |d| if u32::from(d) > left { FAR } else { d };
                    let found = search.distances[target].map(within);
                    assert_eq!(found, anew[target], "{:?}", search.path);
                }
            }
        }
        assert!(captures > 100 && plain > 500, "{captures}, {plain}");
    }

    /// By key: the attackers' squares, the enemy's kinds and the targets.
    type States = AHashMap<u128, ([u8; KINDS], u16, u16)>;

    /// Notes all states within `left` steps, and checks that no two share a key.
    fn note_states(search: &mut CaptureSearch, left: u32, states: &mut States) {
        for targets in [1, search.view.enemy_kinds] {
            let state = (search.view.attackers, search.view.enemy_kinds, targets);
            let noted = states.entry(search.key(targets)).or_insert(state);
            assert_eq!(*noted, state);
        }
        if left == 0 {
            return;
        }
        let before = (search.view, search.distances);
        for (attacker, from, to) in possible_steps(&search.view) {
            search.play(attacker, from, to, left - 1);
            note_states(search, left - 1, states);
            search.path.pop();
            (search.view, search.distances) = before;
        }
    }

    #[test]
    fn no_two_states_of_a_turn_share_a_key() {
        let mut random = Random::new(29);
        for _ in 0..8 {
            let mut states = States::new();
            note_states(&mut random_search(2, &mut random), 2, &mut states);
            assert!(states.len() > 100, "{}", states.len());
        }
    }
}
