//! How long a game lasts: whether the side that wins does so within a number of plies.
//!
//! The attacker is the side that wins, the defender the other one. The question, asked for more
//! and more plies, is searched like who wins; the side to move has won if the attacker makes it
//! in time and moves, or does not and waits. A position that lasts longer than the plies that
//! are left is cut by counting what the defender can place for certain. Once each side has one
//! root, the defender can place no more than so many stones: with as many plies left the
//! question is who wins at all, which is asked and kept as such.

use super::duel::{Duel, ELSEWHERE};
use super::mask::Mask;
use super::rank;
use super::roots::Roots;
use super::side::Side;
use crate::cpu::{self, Kernel};
use crate::solver::table::ResultTable;
use crate::solver::{Child, Key, Next, Solvable};

/// Instead of a number of plies: however long it takes.
const EVER: u32 = u32::MAX;
/// No move: the defender asks whether the attacker wins at all.
const DOUBT: u16 = ELSEWHERE - 1;

/// Whether the attacker wins within a number of plies.
#[derive(Clone)]
pub(super) struct Within<P> {
    pub(super) position: P,
    /// At least 1.
    pub(super) plies: u32,
    /// Whether the attacker is to move.
    pub(super) attacks: bool,
}

/// A question with so many plies left, and the rank of a move that leads to it; what is no
/// question any more, as whether the attacker makes it.
type Judged = Result<(u32, i32), bool>;

/// A question about a position in either phase.
pub(super) enum Question<M: Mask> {
    /// Counting tells the answer: whether the attacker wins in time.
    Answered(bool),
    /// Each side has one root.
    Duel(Within<Duel<M>>),
    /// A side has more.
    Roots(Within<Roots<M>>),
}

impl<M: Mask> Question<M> {
    /// Whether the attacker wins in time, if that is known without a search.
    pub(super) fn known(&self, table: &ResultTable) -> Option<bool> {
        let (won, attacks) = match self {
            Question::Answered(makes) => return Some(*makes),
            Question::Duel(within) => (table.probe(within.key()), within.attacks),
            Question::Roots(within) => (table.probe(within.key()), within.attacks),
        };
        won.map(|won| won == attacks)
    }
}

/// Whether the attacker wins within so many plies; `attacks` if it is to move.
pub(super) fn question<M: Mask>(position: &Roots<M>, plies: u32, attacks: bool) -> Question<M> {
    match position.duel() {
        Some(duel) => match judge_duel(&duel, plies, attacks) {
            Err(makes) => Question::Answered(makes),
            Ok((plies, _)) => Question::Duel(Within {
                position: duel,
                plies,
                attacks,
            }),
        },
        None => match judge_roots(position, plies, attacks) {
            Err(makes) => Question::Answered(makes),
            Ok((plies, _)) => Question::Roots(Within {
                position: *position,
                plies,
                attacks,
            }),
        },
    }
}

/// How long a game lasts at most in which the defender can place so many stones.
#[inline(always)]
fn most_plies(most: u32, attacks: bool) -> u32 {
    (2 * most).saturating_sub(u32::from(!attacks))
}

/// How long a duel lasts at least, the attacker to move or not: by the stones that the defender can
/// place where the attacker cannot play, and by the points where it can play now that do not
/// spoil each other. Of those the attacker can take one a move.
#[inline(always)]
fn fewest_plies<M: Mask>(
    defender: Side<M>,
    attacker: Side<M>,
    spare: u32,
    attacks: bool,
    stride: u32,
) -> u32 {
    let sole = defender.open & !attacker.open;
    let alone = defender.within(sole, stride);
    let sure = spare + alone.some(stride);
    let shared = defender.legal & attacker.open & !sole.beside(stride);
    let quiet = apart(shared, stride);
    let both = match sure {
        0 => quiet,
        _ => quiet + 2 * sure - u32::from((quiet % 2 == 1) == attacks),
    };
    both.max(apart(defender.legal, stride)).max(1)
}

/// The number of some points of a set of which no two are neighbours.
#[inline(always)]
fn apart<M: Mask>(set: M, stride: u32) -> u32 {
    let quiet = set & !set.beside(stride);
    let mut count = quiet.len();
    let mut left = set & !quiet;
    while !left.is_empty() {
        let point = M::bit(left.lowest());
        left &= !(point | point.beside(stride));
        count += 1;
    }
    count
}

#[inline(always)]
fn judge_duel<M: Mask>(duel: &Duel<M>, plies: u32, attacks: bool) -> Judged {
    let most = duel.most();
    let makes = duel.bounds(most).map(|won| won == attacks);
    if makes == Some(false) {
        return Err(false);
    }
    let (attacker, defender, place) = match attacks {
        true => (duel.own, duel.other, 1),
        false => (duel.other, duel.own, 0),
    };
    let spare = duel.spare[place];
    let left = if plies >= most_plies(most[place] + spare, attacks) {
        if makes.is_some() {
            return Err(true);
        }
        EVER
    } else {
        if plies < fewest_plies(defender, attacker, spare, attacks, duel.stride) {
            return Err(false);
        }
        plies
    };
    Ok((left, rank::of_duel(duel, most, None)))
}

#[inline(always)]
fn judge_roots<M: Mask>(roots: &Roots<M>, plies: u32, attacks: bool) -> Judged {
    let sides = roots.sides();
    if let Some((won, most)) = roots.bounds(sides) {
        if won != attacks {
            return Err(false);
        }
        if plies >= most_plies(most, attacks) {
            return Err(true);
        }
    }
    if plies != EVER {
        let legal = match attacks {
            true => roots.other_legal(),
            false => roots.legal(),
        };
        if plies < apart(legal, roots.stride()).max(1) {
            return Err(false);
        }
    }
    Ok((plies, roots.rank(sides, None)))
}

/// A move fewer.
fn less(plies: u32) -> u32 {
    match plies {
        EVER => EVER,
        _ => plies - 1,
    }
}

struct ExpandDuel<'a, M: Mask> {
    question: &'a Within<Duel<M>>,
    children: &'a mut Vec<Child<Within<Duel<M>>>>,
}

impl<M: Mask> ExpandDuel<'_, M> {
    /// Whether the move to `next` wins at once.
    #[inline(always)]
    fn add(&mut self, mv: u16, next: Duel<M>) -> bool {
        let Within { plies, attacks, .. } = *self.question;
        let plies = less(plies);
        match judge_duel(&next, plies, !attacks) {
            Err(makes) => makes == attacks,
            Ok((plies, rank)) => {
                let within = Within {
                    position: next,
                    plies,
                    attacks: !attacks,
                };
                self.children.push(Child::new(mv, rank, Next::Same(within)));
                false
            }
        }
    }
}

impl<M: Mask> Kernel for ExpandDuel<'_, M> {
    type Output = Option<bool>;

    #[inline(always)]
    fn run(mut self) -> Option<bool> {
        let start = self.children.len();
        let duel = &self.question.position;
        let mut left = duel.own.legal;
        while !left.is_empty() {
            let index = left.lowest();
            left = left.rest();
            match duel.play(M::bit(index)) {
                Err(true) => return Some(true),
                Err(false) => {}
                Ok(next) => {
                    if self.add(index as u16, next) {
                        return Some(true);
                    }
                }
            }
        }
        if duel.spare[0] > 0 && self.add(ELSEWHERE, duel.pass()) {
            return Some(true);
        }
        (self.children.len() == start).then_some(false)
    }
}

struct ExpandRoots<'a, M: Mask> {
    question: &'a Within<Roots<M>>,
    children: &'a mut Vec<Child<Within<Roots<M>>>>,
}

impl<M: Mask> Kernel for ExpandRoots<'_, M> {
    type Output = Option<bool>;

    #[inline(always)]
    fn run(self) -> Option<bool> {
        let start = self.children.len();
        let Within {
            ref position,
            plies,
            attacks,
        } = *self.question;
        let fewer = less(plies);
        let mut left = position.legal();
        while !left.is_empty() {
            let index = left.lowest();
            left = left.rest();
            let next = match position.play(M::bit(index)) {
                Err(true) => return Some(true),
                Err(false) => continue,
                Ok(next) => next,
            };
            let mv = index as u16;
            let duel = next.duel();
            let judged = match &duel {
                None => judge_roots(&next, fewer, !attacks),
                Some(duel) => judge_duel(duel, fewer, !attacks),
            };
            let (plies, rank) = match judged {
                Err(makes) if makes == attacks => return Some(true),
                Err(_) => continue,
                Ok(judged) => judged,
            };
            let child = match duel {
                None => {
                    let within = Within {
                        position: next,
                        plies,
                        attacks: !attacks,
                    };
                    Child::new(mv, rank, Next::Same(within))
                }
                Some(duel) => {
                    let within = Within {
                        position: duel,
                        plies,
                        attacks: !attacks,
                    };
                    Child::new(mv, rank, Next::Later(within))
                }
            };
            self.children.push(child);
        }
        if self.children.len() == start {
            return Some(false);
        }
        if plies != EVER && !attacks {
            let whether = Within {
                position: *position,
                plies: EVER,
                attacks,
            };
            self.children
                .push(Child::new(DOUBT, i32::MIN / 2, Next::Again(whether)));
        }
        None
    }
}

/// The key of a question.
#[inline(always)]
fn key(position: Key, plies: u32, attacks: bool) -> Key {
    match plies {
        EVER => position,
        _ => {
            let [a, b] = position.0;
            Key::of(&[a, b, u64::from(plies), u64::from(attacks)])
        }
    }
}

impl<M: Mask> Solvable for Within<Duel<M>> {
    type Move = u16;
    type Later = Self;

    #[inline(always)]
    fn key(&self) -> Key {
        key(self.position.key(), self.plies, self.attacks)
    }

    #[inline(always)]
    fn size(&self) -> u32 {
        self.position.size()
    }

    #[inline]
    fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool> {
        let question = self;
        cpu::dispatch(ExpandDuel { question, children })
    }
}

impl<M: Mask> Solvable for Within<Roots<M>> {
    type Move = u16;
    type Later = Within<Duel<M>>;

    #[inline(always)]
    fn key(&self) -> Key {
        key(self.position.key(), self.plies, self.attacks)
    }

    #[inline(always)]
    fn size(&self) -> u32 {
        self.position.size()
    }

    #[inline]
    fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool> {
        let question = self;
        cpu::dispatch(ExpandRoots { question, children })
    }
}
