//! How long a game lasts: whether the side that wins does so within `n` plies.
//!
//! The attacker is the side that wins; the other one defends. "Does the attacker win within `n`
//! plies?" is a position of its own: the side to move wins it if it attacks and the answer is yes,
//! or if it defends and the answer is no.
//!
//! The answer is no if the defender certainly lasts longer (`min_plies`). With one root a side the
//! game ends within `max_plies`; with that many plies left the question becomes "who wins at
//! all?", which shares its key with the plain search.

use super::mask::Mask;
use super::one_root::OneRoot;
use super::playable_space::PlayableSpace;
use super::rank;
use super::roots::Roots;
use crate::cpu::{self, Kernel};
use crate::solver::table::ResultTable;
use crate::solver::{Child, Key, Next, Solvable};

/// In place of a number of plies: no limit.
const UNLIMITED: u32 = u32::MAX;

/// Whether the attacker wins within a number of plies.
#[derive(Clone)]
pub(super) struct WinInN<P> {
    pub(super) position: P,
    /// At least 1.
    pub(super) plies: u32,
    pub(super) attacker_to_move: bool,
}

impl<P> WinInN<P> {
    #[inline(always)]
    fn new(position: P, plies: u32, attacker_to_move: bool) -> Self {
        Self {
            position,
            plies,
            attacker_to_move,
        }
    }
}

/// The plies left and the rank of a position, or whether the attacker wins in time if counting
/// decides.
type Judgement = Result<(u32, i32), bool>;

pub(super) enum Question<M: Mask, const N: usize> {
    /// Counting decides whether the attacker wins in time.
    Answered(bool),
    OneRoot(WinInN<OneRoot<M>>),
    Roots(WinInN<Roots<M, N>>),
}

impl<M: Mask, const N: usize> Question<M, N> {
    /// Whether the attacker wins from `position` within this many plies.
    pub(super) fn new(position: &Roots<M, N>, plies: u32, attacker_to_move: bool) -> Self {
        match position.one_root_once() {
            Some(position) => match judge_one_root(&position, plies, attacker_to_move) {
                Err(answer) => Self::Answered(answer),
                Ok((plies, _)) => Self::OneRoot(WinInN::new(position, plies, attacker_to_move)),
            },
            None => match judge_roots(position, plies, attacker_to_move) {
                Err(answer) => Self::Answered(answer),
                Ok((plies, _)) => Self::Roots(WinInN::new(*position, plies, attacker_to_move)),
            },
        }
    }

    /// The answer, if it is known without a search.
    pub(super) fn known(&self, table: &ResultTable) -> Option<bool> {
        let (won, attacker_to_move) = match self {
            Question::Answered(answer) => return Some(*answer),
            Question::OneRoot(asked) => (table.probe(asked.key()), asked.attacker_to_move),
            Question::Roots(asked) => (table.probe(asked.key()), asked.attacker_to_move),
        };
        won.map(|won| won == attacker_to_move)
    }
}

/// The most plies that a game lasts in which the defender can place at most `stones`.
#[inline(always)]
fn max_plies(stones: u32, attacker_to_move: bool) -> u32 {
    (2 * stones).saturating_sub(u32::from(!attacker_to_move))
}

/// A lower bound on the plies that a game with one root a side lasts: by the stones that the
/// defender can place where the attacker cannot play, and by its legal points that do not spoil
/// each other, where the attacker can take one a move.
#[inline(always)]
fn min_plies<M: Mask>(
    defender: PlayableSpace<M>,
    attacker: PlayableSpace<M>,
    spare: u32,
    attacker_to_move: bool,
    stride: u32,
) -> u32 {
    let sole = defender.playable & !attacker.playable;
    let alone = defender.restricted_to(sole, stride);
    let sure = spare + alone.sure_stones(stride);
    let shared = defender.legal & attacker.playable & !sole.neighbours(stride);
    let quiet = independent_points(shared, stride);
    let both = match sure {
        0 => quiet,
        _ => quiet + 2 * sure - u32::from((quiet % 2 == 1) == attacker_to_move),
    };
    both.max(independent_points(defender.legal, stride)).max(1)
}

/// The size of a greedily chosen subset in which no two points are neighbours.
#[inline(always)]
fn independent_points<M: Mask>(set: M, stride: u32) -> u32 {
    let quiet = set & !set.neighbours(stride);
    let mut count = quiet.len();
    let mut left = set & !quiet;
    while !left.is_empty() {
        let point = M::bit(left.lowest());
        left &= !(point | point.neighbours(stride));
        count += 1;
    }
    count
}

#[inline(always)]
fn judge_one_root<M: Mask>(position: &OneRoot<M>, plies: u32, attacker_to_move: bool) -> Judgement {
    let most = position.max_stones();
    let attacker_wins = position.bounds(most).map(|won| won == attacker_to_move);
    if attacker_wins == Some(false) {
        return Err(false);
    }
    let (attacker, defender, place) = if attacker_to_move {
        (position.own, position.other, 1)
    } else {
        (position.other, position.own, 0)
    };
    let spare = position.spare[place];
    let left = if plies >= max_plies(most[place] + spare, attacker_to_move) {
        if attacker_wins.is_some() {
            return Err(true);
        }
        UNLIMITED
    } else {
        if plies < min_plies(defender, attacker, spare, attacker_to_move, position.stride) {
            return Err(false);
        }
        plies
    };
    let (spaces, spares) = ([position.own, position.other], position.spare);
    let rank = rank::of_one_root(spaces, most, spares, position.stride, None);
    Ok((left, rank))
}

#[inline(always)]
fn judge_roots<M: Mask, const N: usize>(
    position: &Roots<M, N>,
    plies: u32,
    attacker_to_move: bool,
) -> Judgement {
    let spaces = position.spaces();
    if let Some((won, most)) = position.bounds(spaces) {
        if won != attacker_to_move {
            return Err(false);
        }
        if plies >= max_plies(most, attacker_to_move) {
            return Err(true);
        }
    }
    if plies != UNLIMITED {
        let defender = spaces[usize::from(attacker_to_move)];
        if plies < independent_points(defender.legal, position.stride()).max(1) {
            return Err(false);
        }
    }
    Ok((plies, position.rank(spaces, None)))
}

fn one_fewer(plies: u32) -> u32 {
    match plies {
        UNLIMITED => UNLIMITED,
        _ => plies - 1,
    }
}

struct ExpandOneRoot<'a, M: Mask> {
    question: &'a WinInN<OneRoot<M>>,
    children: &'a mut Vec<Child<WinInN<OneRoot<M>>>>,
}

impl<M: Mask> ExpandOneRoot<'_, M> {
    /// Adds the move to `position`, unless counting decides it; returns whether it wins.
    #[inline(always)]
    fn add(&mut self, position: OneRoot<M>) -> bool {
        let attacks = self.question.attacker_to_move;
        let plies = one_fewer(self.question.plies);
        match judge_one_root(&position, plies, !attacks) {
            Err(answer) => answer == attacks,
            Ok((plies, rank)) => {
                let next = WinInN::new(position, plies, !attacks);
                self.children.push(Child::new(rank, Next::Same(next)));
                false
            }
        }
    }
}

impl<M: Mask> Kernel for ExpandOneRoot<'_, M> {
    type Output = Option<bool>;

    #[inline(always)]
    fn run(mut self) -> Option<bool> {
        let start = self.children.len();
        let position = &self.question.position;
        for point in position.own.legal.points() {
            match position.play(point) {
                Err(true) => return Some(true),
                Err(false) => {}
                Ok(next) => {
                    if self.add(next) {
                        return Some(true);
                    }
                }
            }
        }
        if position.spare[0] > 0 && self.add(position.play_spare()) {
            return Some(true);
        }
        (self.children.len() == start).then_some(false)
    }
}

struct ExpandRoots<'a, M: Mask, const N: usize> {
    question: &'a WinInN<Roots<M, N>>,
    children: &'a mut Vec<Child<WinInN<Roots<M, N>>>>,
}

impl<M: Mask, const N: usize> Kernel for ExpandRoots<'_, M, N> {
    type Output = Option<bool>;

    #[inline(always)]
    fn run(self) -> Option<bool> {
        let start = self.children.len();
        let WinInN {
            ref position,
            plies,
            attacker_to_move,
        } = *self.question;
        let fewer = one_fewer(plies);
        for point in position.legal().points() {
            let next = match position.play(point) {
                Err(true) => return Some(true),
                Err(false) => continue,
                Ok(next) => next,
            };
            let one_root = next.one_root();
            let judged = match &one_root {
                None => judge_roots(&next, fewer, !attacker_to_move),
                Some(one_root) => judge_one_root(one_root, fewer, !attacker_to_move),
            };
            let (plies, rank) = match judged {
                Err(answer) if answer == attacker_to_move => return Some(true),
                Err(_) => continue,
                Ok(judged) => judged,
            };
            let next = match one_root {
                None => Next::Same(WinInN::new(next, plies, !attacker_to_move)),
                Some(position) => Next::Later(WinInN::new(position, plies, !attacker_to_move)),
            };
            self.children.push(Child::new(rank, next));
        }
        if self.children.len() == start {
            return Some(false);
        }
        if plies != UNLIMITED && !attacker_to_move {
            // The defender asks whether the attacker wins at all.
            let doubt = WinInN::new(*position, UNLIMITED, attacker_to_move);
            self.children
                .push(Child::new(i32::MIN / 2, Next::Again(doubt)));
        }
        None
    }
}

macro_rules! solvable {
    ($position:ty $(, roots: $n:ident)?, kernel: $kernel:ident) => {
        impl<M: Mask $(, const $n: usize)?> Solvable for WinInN<$position> {
            type Later = WinInN<OneRoot<M>>;

            /// Without a limit of plies, the key of the position itself.
            #[inline(always)]
            fn key(&self) -> Key {
                let key = self.position.key();
                match self.plies {
                    UNLIMITED => key,
                    plies => {
                        let Key([a, b]) = key;
                        Key::of(&[a, b, plies.into(), self.attacker_to_move.into()])
                    }
                }
            }

            #[inline(always)]
            fn size(&self) -> u32 {
                self.position.size()
            }

            #[inline]
            fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool> {
                let question = self;
                cpu::dispatch($kernel { question, children })
            }
        }
    };
}
solvable!(OneRoot<M>, kernel: ExpandOneRoot);
solvable!(Roots<M, N>, roots: N, kernel: ExpandRoots);

#[cfg(test)]
mod tests {
    use super::super::naive::{STRIDE, has, places, set_of, some_points, touching};
    use super::*;
    use crate::util::random::Random;

    #[test]
    fn independent_points_are_chosen_greedily() {
        let mut random = Random::new(13);
        for _ in 0..500 {
            let set = some_points(&mut random) | some_points(&mut random);
            let quiet = set_of(|&place| has(set, place) && touching(set, place) == 0);
            let mut chosen = quiet;
            for place in places() {
                if has(set, place) && touching(chosen, place) == 0 {
                    chosen |= set_of(|&other| other == place);
                }
            }
            assert_eq!(independent_points(set, STRIDE), chosen.count_ones());
        }
    }

    #[test]
    fn a_game_of_spares_lasts_as_long_as_the_stones() {
        assert_eq!([0, 1, 5].map(|stones| max_plies(stones, true)), [0, 2, 10]);
        assert_eq!([0, 1, 5].map(|stones| max_plies(stones, false)), [0, 1, 9]);
    }

    /// The defender has a row of its own, from whose left end it grows, and single points that the
    /// attacker may take.
    #[test]
    fn the_defender_lasts_for_its_row_and_every_other_shared_point() {
        let row = |length: u32| set_of(|&(row, column)| row == 0 && column < length);
        let shared =
            |count: u32| set_of(|&(row, column)| row == 4 && column % 2 == 0 && column < 2 * count);
        for (length, spare, count, attacker_moves, defender_moves) in [
            (0, 0, 0, 1, 1),
            (0, 0, 1, 1, 1),
            (0, 0, 3, 3, 3),
            (2, 0, 0, 4, 3),
            (1, 1, 0, 4, 3),
            (0, 2, 0, 4, 3),
            (2, 0, 1, 4, 5),
            (2, 0, 2, 6, 5),
            (3, 1, 3, 10, 11),
        ] {
            let (own, open) = (row(length), shared(count));
            let legal = own & 1 | open;
            let defender = PlayableSpace {
                legal,
                playable: own | open,
            };
            let attacker = PlayableSpace {
                legal: open,
                playable: open,
            };
            let plies =
                |attacker_to_move| min_plies(defender, attacker, spare, attacker_to_move, STRIDE);
            let found = [plies(true), plies(false)];
            assert_eq!(
                found,
                [attacker_moves, defender_moves],
                "{length} {spare} {count}"
            );
        }
    }
}
