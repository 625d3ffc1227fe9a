//! Whether a side can capture given enemy pieces in the steps it has.
//!
//! A turn has a fixed frame. Enemy pieces do not move in it, and a piece that
//! captures stands where its prey stood and may not step again. So a square that holds
//! an enemy piece or a spent piece when the search begins is never one that a piece
//! can step through, whatever is captured; all that moves out of the way are the
//! mover's own unspent pieces, the *hunters*. And every capture needs its own hunter.
//!
//! This gives a lower bound on the steps still needed: let the hunters pass through
//! each other, so that each has its distance to each target around the fixed squares,
//! and take the cheapest assignment of different hunters to the targets. It is
//! admissible because in any real sequence each target is captured by its own hunter,
//! which made at least so many steps, none of them shared. The search deepens from
//! this bound step by step and drops whatever the bound says cannot be done in time,
//! so what it finds is shortest and what it does not find is not there.

use ahash::AHashMap;
use arrayvec::ArrayVec;

use super::piece::{DISTANCE, FAR, KINDS, REACH, Rings, WITHIN};
use super::position::{LAST_TURN, NONE, Position, Step};
use super::square::{SQUARES, Square, bits};

/// The steps from each hunter to each target: by target, then by hunter.
pub(super) type Distances = [[u8; KINDS]; KINDS];

/// What a search for captures came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A shortest sequence of steps.
    Steps(Vec<Step>),
    /// It cannot be done.
    Nothing,
    /// The nodes were used up.
    Unknown,
}

/// A side's pieces and the enemy's, as far as one turn of this side is concerned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene {
    /// By kind: the squares of the hunters.
    pub(super) hunters: [u8; KINDS],
    /// The kinds of the hunters, as bits.
    pub(super) hunting: u16,
    /// The squares of the hunters.
    own: u64,
    /// The squares of spent pieces.
    spent: u64,
    /// By kind: the squares of the enemy's pieces.
    prey: [u8; KINDS],
    /// The kinds of the enemy's pieces, as bits.
    pub(super) alive: u16,
    /// The squares of the enemy's pieces.
    pub(super) enemy: u64,
}

impl Scene {
    /// The turn of `seat`: with the pieces that are not spent if the turn is on, with
    /// all of them if it is to come.
    #[inline(always)]
    pub(super) fn new(position: &Position, seat: usize) -> Self {
        let spent_kinds = match position.mover() == seat {
            true => position.spent_kinds(),
            false => 0,
        };
        Self::without(position, seat, spent_kinds)
    }

    /// A turn of `seat` to come, with all of its pieces.
    #[inline(always)]
    pub(super) fn whole(position: &Position, seat: usize) -> Self {
        Self::without(position, seat, 0)
    }

    #[inline(always)]
    fn without(position: &Position, seat: usize, spent_kinds: u16) -> Self {
        let hunters = *position.squares(seat);
        let mut spent = 0;
        for kind in bits(u64::from(spent_kinds)) {
            spent |= 1 << (hunters[kind] & 63);
        }
        Self {
            hunters,
            hunting: position.alive(seat) & !spent_kinds,
            own: position.occupied_by(seat) & !spent,
            spent,
            prey: *position.squares(1 - seat),
            alive: position.alive(1 - seat),
            enemy: position.occupied_by(1 - seat),
        }
    }

    /// The squares that some hunter can reach in so many steps on an empty board.
    #[inline(always)]
    pub(super) fn rings(&self) -> Rings {
        let mut rings = [0; 8];
        for hunter in bits(u64::from(self.hunting)) {
            let within = &WITHIN[hunter][usize::from(self.hunters[hunter])];
            for (all, within) in rings.iter_mut().zip(within) {
                *all |= within;
            }
        }
        rings
    }

    /// The squares of enemy pieces of some kinds.
    #[inline(always)]
    pub(super) fn squares_of(&self, kinds: u16) -> u64 {
        bits(u64::from(kinds)).fold(0, |set, kind| set | 1 << (self.prey[kind] & 63))
    }

    /// The distances of all hunters to all enemy pieces around the fixed squares, as far
    /// as they are `most` at most.
    #[inline(always)]
    pub(super) fn distances(&self, most: u32) -> Distances {
        let mut distances = [[FAR; KINDS]; KINDS];
        let fixed = self.enemy | self.spent;
        let mut kind_at = [0u8; SQUARES];
        for kind in bits(u64::from(self.alive)) {
            kind_at[usize::from(self.prey[kind]) % SQUARES] = kind as u8;
        }
        for hunter in bits(u64::from(self.hunting)) {
            let mut frontier = 1u64 << (self.hunters[hunter] & 63);
            let mut seen = frontier | self.spent;
            let mut steps = 0;
            while frontier != 0 && steps < most {
                steps += 1;
                let mut next = 0;
                for square in bits(frontier) {
                    next |= REACH[hunter][square];
                }
                next &= !seen;
                seen |= next;
                for square in bits(next & self.enemy) {
                    distances[usize::from(kind_at[square])][hunter] = steps as u8;
                }
                frontier = next & !fixed;
            }
        }
        distances
    }
}

/// A lower bound on the steps that capturing all `targets` takes: the sum of each one's
/// smallest distance to a hunter on an empty board, by [`Scene::rings`]; [`FAR`] and above
/// if it cannot be done.
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

/// Whether different hunters can be assigned to all targets with distances that sum up
/// to `most` at most; `row` tells a target's distances.
#[inline(always)]
pub(super) fn assignable<'a>(
    targets: u16,
    most: u32,
    row: impl Fn(usize) -> &'a [u8; KINDS],
) -> bool {
    let mut rows: ArrayVec<(&[u8; KINDS], u8), KINDS> = ArrayVec::new();
    let mut sum = 0;
    for target in bits(u64::from(targets)) {
        let row = row(target);
        let least = row.iter().fold(FAR, |least, &d| least.min(d));
        sum += u32::from(least);
        rows.push((row, least));
    }
    sum <= most && assign(&rows, 0, most - sum)
}

/// Gives every row a hunter of its own, at `slack` more than the smallest distances.
fn assign(rows: &[(&[u8; KINDS], u8)], used: u16, slack: u32) -> bool {
    let Some(((row, least), rest)) = rows.split_first() else {
        return true;
    };
    for (hunter, &distance) in row.iter().enumerate() {
        let extra = u32::from(distance - least);
        if distance < FAR
            && used & 1 << hunter == 0
            && extra <= slack
            && assign(rest, used | 1 << hunter, slack - extra)
        {
            return true;
        }
    }
    false
}

/// By square: the steps of a hunter of one kind to one target.
type Field = [u8; SQUARES];

/// A search for captures in one turn. What failed is remembered from one question to
/// the next.
pub(super) struct Pursuit {
    scene: Scene,
    /// By target and hunter, made when first needed.
    fields: [[Field; KINDS]; KINDS],
    /// By target: the hunters whose field is made.
    made: [u16; KINDS],
    /// By target: the distance of each hunter where it stands now.
    distances: Distances,
    /// By what is where and what is to be captured: the most steps that were too few.
    failed: AHashMap<u128, u8>,
    path: ArrayVec<Step, { LAST_TURN as usize }>,
    /// Nodes visited so far.
    pub(super) nodes: u64,
    budget: u64,
}

impl Pursuit {
    /// A search from a scene whose distances are known, of `budget` nodes at most.
    pub(super) fn new(scene: Scene, distances: Distances, budget: u64) -> Self {
        Self {
            scene,
            fields: [[[FAR; SQUARES]; KINDS]; KINDS],
            made: [0; KINDS],
            distances,
            failed: AHashMap::new(),
            path: ArrayVec::new(),
            nodes: 0,
            budget,
        }
    }

    /// Allows so many more nodes.
    pub(super) fn go_on(&mut self, nodes: u64) {
        self.budget = self.nodes.saturating_add(nodes);
    }

    /// The shortest way to capture all pieces of one of the `sets`, in `most` steps.
    pub(super) fn shortest(&mut self, sets: &[u16], most: u32) -> Found {
        for limit in 1..=most {
            for &targets in sets {
                if self.search(targets, limit, KINDS) {
                    return Found::Steps(self.path.to_vec());
                }
            }
        }
        match self.nodes > self.budget {
            true => Found::Unknown,
            false => Found::Nothing,
        }
    }

    /// Captures `targets` in `left` steps, if it can be done. `last` is the hunter of
    /// the step before, which goes on first.
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
        let before = (self.scene, self.distances);
        let first = (self.scene.hunting >> last & 1 != 0).then_some(last);
        let others = bits(u64::from(self.scene.hunting)).filter(|&hunter| hunter != last);
        // Captures of targets, then other steps, then captures that only clear the way.
        for pass in 0..3 {
            for hunter in first.into_iter().chain(others.clone()) {
                let from = usize::from(before.0.hunters[hunter]);
                let open = REACH[hunter][from] & !before.0.own & !before.0.spent;
                let to = match pass {
                    1 => open & !before.0.enemy,
                    _ => open & before.0.enemy,
                };
                for to in bits(to) {
                    let taken = self.play(hunter, from, to, left - 1);
                    let hit = taken & targets != 0;
                    let wanted = pass == 1 || hit == (pass == 0);
                    if wanted && self.search(targets & !taken, left - 1, hunter) {
                        return true;
                    }
                    self.path.pop();
                    (self.scene, self.distances) = before;
                }
            }
        }
        if self.nodes <= self.budget {
            self.failed.insert(key, left as u8);
        }
        false
    }

    /// Plays a step and returns what it captured.
    fn play(&mut self, hunter: usize, from: usize, to: usize, left: u32) -> u16 {
        self.path.push(Step {
            from: Square::wrapped(from),
            to: Square::wrapped(to),
        });
        let scene = &mut self.scene;
        let bit = 1u64 << to;
        scene.own &= !(1 << from);
        if scene.enemy & bit == 0 {
            scene.own |= bit;
            scene.hunters[hunter] = to as u8;
            for target in bits(u64::from(scene.alive)) {
                self.distances[target][hunter] = self.distance(target, hunter, to, left);
            }
            return 0;
        }
        let prey = &scene.prey;
        let taken = bits(u64::from(scene.alive)).find(|&kind| usize::from(prey[kind]) == to);
        let taken = taken.map_or(0, |kind| 1 << kind);
        scene.alive &= !taken;
        scene.enemy &= !bit;
        scene.spent |= bit;
        scene.hunting &= !(1 << hunter);
        scene.hunters[hunter] = NONE;
        for row in &mut self.distances {
            row[hunter] = FAR;
        }
        taken
    }

    /// The distance from a square, no less than the real one where that is above `left`.
    fn distance(&mut self, target: usize, hunter: usize, from: usize, left: u32) -> u8 {
        let prey = usize::from(self.scene.prey[target]) % SQUARES;
        // Often the empty board tells that it is too far.
        let least = DISTANCE[hunter][from][prey];
        if u32::from(least) > left {
            return FAR;
        }
        if self.made[target] & 1 << hunter == 0 {
            self.made[target] |= 1 << hunter;
            self.make(target, hunter, prey);
        }
        self.fields[target][hunter][from]
    }

    /// Fills a field from the target outwards; all movements work both ways.
    fn make(&mut self, target: usize, hunter: usize, prey: usize) {
        // The squares that were fixed at the beginning still are.
        let fixed = self.scene.enemy | self.scene.spent;
        let field = &mut self.fields[target][hunter];
        let mut frontier = 1u64 << prey;
        let mut seen = fixed;
        let mut steps = 0;
        while frontier != 0 {
            let mut next = 0;
            for square in bits(frontier) {
                field[square] = steps;
                next |= REACH[hunter][square];
            }
            frontier = next & !seen;
            seen |= frontier;
            steps += 1;
        }
    }

    /// Everything that what is still possible depends on: exact, no hash.
    fn key(&self, targets: u16) -> u128 {
        let mut key = u128::from(targets) << 16 | u128::from(self.scene.alive);
        for square in self.scene.hunters {
            key = key << 6 | u128::from(square & 63);
        }
        key
    }
}
