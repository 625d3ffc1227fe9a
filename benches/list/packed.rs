//! The packed list-based position: the same lists as the plain one, with the branches taken out.
//! What it owes its speed to, each found by measuring:
//!
//! - Number of own neighbours, their roots and "occupied" share one 16-bit word per colour and
//!   point (see [`Key`]).
//! - Points are appended to a list without a branch: write behind the end, then lengthen the list
//!   by 0 or 1.
//! - Lifting a root appends every point that might become legal; a second pass sorts them out.
//! - Points are bytes where the board is small enough.

use std::hint::select_unpredictable;

use crate::shared::{
    Index, Position, ROOTS, Random, Root, Stone, board, get, neighbours, place, put,
};

/// What one colour knows about one point: bit 15 says that the point is occupied (by anyone) or off
/// the board, bits 10 to 14 count the own stones next to it, bits 0 to 9 add up the root numbers of
/// those stones. A legal point is one with `key >> COUNT == 1`, and then the low bits are the
/// number of the root it extends.
type Key = u16;
const COUNT: u32 = 10;
const ONE: Key = 1 << COUNT;
const ROOT: Key = ONE - 1;
const TAKEN: Key = 1 << 15;

/// The last number of a root is nobody's.
const NO_ROOT: Key = ROOTS as Key - 1;

/// What one colour knows. A slot means something only while its point is in the list.
/// (With `repr(C)` 19x19 is a tenth faster.)
#[derive(Clone, Copy)]
#[repr(C)]
struct Side<I, const AREA: usize> {
    moves: usize,
    key: [Key; AREA],
    slot: [I; AREA],
    legal: [I; AREA],
}

/// A position on a board whose rows lie `STRIDE` points apart, see [`place`].
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Packed<I, const STRIDE: usize, const AREA: usize> {
    sides: [Side<I, AREA>; 2],
    space: [u16; ROOTS],
    /// The stones of a root, newest first; point 0 is a guard and ends the list.
    newest: [I; ROOTS],
    older: [I; AREA],
    colour: [u8; ROOTS],
}

impl<I: Index, const STRIDE: usize, const AREA: usize> Packed<I, STRIDE, AREA> {
    /// Removes the bounded roots, but for the one that was just extended and has space.
    #[inline(never)]
    fn lift_others(&mut self, root: Key, bounded: &[Key]) {
        let mut lifted = [NO_ROOT; 8];
        let mut n = 0;
        for &other in bounded.iter().filter(|&&other| other != root) {
            lifted[n] = other;
            n += 1;
        }
        self.lift(&lifted[..n]);
    }

    /// Removes roots without space, all at once.
    #[inline]
    fn lift(&mut self, roots: &[Key]) {
        let before = [self.sides[0].moves, self.sides[1].moves];
        // Append each point at the moment when it is empty with one own neighbour. That moment
        // comes once at most.
        for &root in roots {
            let me = usize::from(get(&self.colour, root)) & 1;
            let [mine, theirs] = self
                .sides
                .get_disjoint_mut([me, me ^ 1])
                .expect("two colours");
            let mut stone: usize = get(&self.newest, root).into();
            while stone != 0 {
                let key = get(&mine.key, stone) & !TAKEN;
                put(&mut mine.key, stone, key);
                let key = get(&theirs.key, stone) & !TAKEN;
                put(&mut theirs.key, stone, key);
                put(&mut theirs.legal, theirs.moves, I::of(stone));
                theirs.moves += usize::from(key >> COUNT == 1);
                for next in neighbours::<STRIDE>(stone) {
                    let key = get(&mine.key, next) - ONE - root;
                    put(&mut mine.key, next, key);
                    put(&mut mine.legal, mine.moves, I::of(next));
                    mine.moves += usize::from(key >> COUNT == 1);
                }
                stone = get(&self.older, stone).into();
            }
        }
        // Keep those that still have one; the others have none left.
        for (side, before) in self.sides.iter_mut().zip(before) {
            let mut moves = before;
            for i in before..side.moves {
                let point = get(&side.legal, i);
                let key = get(&side.key, point);
                put(&mut side.legal, moves, point);
                put(&mut side.slot, point, I::of(moves));
                moves += usize::from(key >> COUNT);
                let space = get(&self.space, key & ROOT) + (key >> COUNT);
                put(&mut self.space, key & ROOT, space);
            }
            side.moves = moves;
        }
    }
}

impl<I: Index, const STRIDE: usize, const AREA: usize> Position for Packed<I, STRIDE, AREA> {
    const DESIGN: &'static str = "packed";
    const SIZE: usize = STRIDE - 1;

    fn new(stones: &[Stone]) -> Self {
        assert!(AREA == (STRIDE + 1) * STRIDE && stones.len() < ROOTS);
        let none = I::of(0);
        let side = Side {
            key: [TAKEN; AREA],
            slot: [none; AREA],
            legal: [none; AREA],
            moves: 0,
        };
        let mut position = Self {
            sides: [side; 2],
            space: [0; ROOTS],
            newest: [none; ROOTS],
            older: [none; AREA],
            colour: [0; ROOTS],
        };
        for side in &mut position.sides {
            for (column, row) in board(Self::SIZE) {
                side.key[place(STRIDE, column, row)] = 0;
            }
        }
        for (root, stone) in stones.iter().enumerate() {
            let point = place(STRIDE, stone.column, stone.row);
            position.newest[root] = I::of(point);
            position.colour[root] = stone.colour as u8;
            for side in &mut position.sides {
                side.key[point] |= TAKEN;
            }
            for next in neighbours::<STRIDE>(point) {
                position.sides[stone.colour].key[next] += ONE + root as Key;
            }
        }
        for side in &mut position.sides {
            for point in 0..AREA {
                let key = side.key[point];
                if key >> COUNT == 1 {
                    side.legal[side.moves] = I::of(point);
                    side.slot[point] = I::of(side.moves);
                    side.moves += 1;
                    position.space[usize::from(key & ROOT)] += 1;
                }
            }
        }
        position
    }

    #[inline(always)]
    fn moves(&self, me: usize) -> usize {
        self.sides[me].moves
    }

    #[inline(always)]
    fn random_move(&self, me: usize, random: &mut Random) -> usize {
        let side = &self.sides[me];
        get(&side.legal, random.below(side.moves)).into()
    }

    #[inline(always)]
    fn play(&mut self, me: usize, point: usize) {
        let [mine, theirs] = self
            .sides
            .get_disjoint_mut([me, me ^ 1])
            .expect("two colours");
        let space = &mut self.space;
        // Roots whose space fell to nothing at some moment of this move.
        let mut bounded = [NO_ROOT; 8];
        let mut n_bounded = 0;

        // The point is no longer legal for the mover.
        let key = get(&mine.key, point);
        let root = key & ROOT;
        put(&mut mine.key, point, key | TAKEN);
        mine.moves -= 1;
        let last = get(&mine.legal, mine.moves);
        let slot = get(&mine.slot, point);
        put(&mut mine.legal, slot, last);
        put(&mut mine.slot, last, slot);
        put(&mut self.older, point, get(&self.newest, root));
        put(&mut self.newest, root, I::of(point));
        // It is not legal for the opponent either. If it was not anyway, all writes go where they
        // do no harm.
        let key = get(&theirs.key, point);
        put(&mut theirs.key, point, key | TAKEN);
        let was_legal = key >> COUNT == 1;
        let end = theirs.moves;
        let slot = select_unpredictable(was_legal, get(&theirs.slot, point).into(), end);
        let last = select_unpredictable(was_legal, get(&theirs.legal, end - 1).into(), point);
        put(&mut theirs.legal, slot, I::of(last));
        put(&mut theirs.slot, last, I::of(slot));
        theirs.moves = end - usize::from(was_legal);
        let loser = select_unpredictable(was_legal, key & ROOT, NO_ROOT);
        let left = get(space, loser).wrapping_sub(u16::from(was_legal));
        put(space, loser, left);
        put(&mut bounded, n_bounded, loser);
        n_bounded += usize::from(was_legal && left == 0);

        let mut moves = mine.moves;
        let mut gained = 0;
        let neighbours = neighbours::<STRIDE>(point);
        let keys = neighbours.map(|next| get(&mine.key, next));
        for (next, key) in neighbours.into_iter().zip(keys) {
            put(&mut mine.key, next, key + ONE + root);
            // The first own neighbour makes a point legal.
            let slot = get(&mine.slot, next);
            put(&mut mine.slot, next, I::of(moves));
            put(&mut mine.legal, moves, I::of(next));
            moves += usize::from(key == 0);
            gained += u16::from(key == 0);
            // The second one takes that away again, perhaps from another root.
            if key >> COUNT == 1 {
                moves -= 1;
                let last = get(&mine.legal, moves);
                put(&mut mine.legal, slot, last);
                put(&mut mine.slot, last, slot);
                let loser = key & ROOT;
                let left = get(space, loser) - 1;
                put(space, loser, left);
                put(&mut bounded, n_bounded, loser);
                n_bounded += usize::from(left == 0);
            }
        }
        mine.moves = moves;
        let space_of_root = get(space, root) + gained - 1;
        put(space, root, space_of_root);

        if space_of_root == 0 {
            self.lift(&[root]);
        } else if n_bounded > 0 {
            self.lift_others(root, &bounded[..n_bounded]);
        }
    }

    fn roots(&self) -> Vec<Root> {
        (0..ROOTS)
            .filter(|&number| self.space[number] > 0)
            .map(|number| {
                let first = Some(self.newest[number].into());
                Root {
                    number,
                    colour: self.colour[number].into(),
                    space: self.space[number].into(),
                    stones: std::iter::successors(first, |&stone| Some(self.older[stone].into()))
                        .take_while(|&stone| stone != 0)
                        .collect(),
                }
            })
            .collect()
    }

    fn legal(&self, me: usize) -> Vec<usize> {
        let side = &self.sides[me];
        side.legal[..side.moves]
            .iter()
            .map(|&point| point.into())
            .collect()
    }

    fn audit(&self, cell: &dyn Fn(usize) -> Option<usize>, roots: &[Root]) {
        assert_eq!(self.space[usize::from(NO_ROOT)], 0, "space of nobody");
        let mut root_at = [NO_ROOT; AREA];
        for root in roots {
            for &stone in &root.stones {
                root_at[stone] = root.number as Key;
            }
        }
        let mut on_board = [false; AREA];
        for (column, row) in board(Self::SIZE) {
            on_board[place(STRIDE, column, row)] = true;
        }
        for (me, side) in self.sides.iter().enumerate() {
            for point in 0..AREA {
                if !on_board[point] {
                    assert!(side.key[point] >= TAKEN, "guard");
                    continue;
                }
                let mut key = if cell(point).is_none() { 0 } else { TAKEN };
                for next in neighbours::<STRIDE>(point) {
                    if on_board[next] && cell(next) == Some(me) {
                        key += ONE + root_at[next];
                    }
                }
                assert_eq!(side.key[point], key, "key");
            }
            for (i, point) in self.legal(me).into_iter().enumerate() {
                assert_eq!(side.slot[point].into(), i, "slot");
            }
        }
    }
}
