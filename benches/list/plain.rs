//! The plain list-based position: separate arrays for the stone on a point, the root of a stone,
//! the number of own neighbours, and the slot in the list. Points enter a list at its end and leave
//! it by changing places with the last one. Branches tell what a move does to each of its
//! neighbours: it becomes legal, it stops being legal, or neither.
//!
//! Those branches are hard to predict and cost more than everything else. Kept because they made
//! the design faster: reading the counts around a move before writing the first, points in 16 bits,
//! unchecked indices. Tried without gain: points in bytes, `repr(C)`, a branch on the count before
//! the one on the cell, a copy of the code for each colour, the length of the list or the space of
//! the root in a variable, a list without the mark for "not in it".

use crate::shared::{Position, ROOTS, Random, Root, Stone, board, get, neighbours, place, put};

/// No point has this slot: the point is not in the list.
const NONE: u16 = u16::MAX;

/// What is on a point: a stone of colour 0 or 1, or one of these.
const EMPTY: u8 = 2;
const GUARD: u8 = 3;

/// What one colour knows.
#[derive(Clone, Copy)]
struct Side<const AREA: usize> {
    moves: usize,
    /// Own stones next to a point.
    count: [u8; AREA],
    /// The root that a legal point extends.
    owner: [u8; AREA],
    /// Where a point is in the list, or `NONE`.
    slot: [u16; AREA],
    legal: [u16; AREA],
}

impl<const AREA: usize> Side<AREA> {
    #[inline(always)]
    fn add(&mut self, point: usize) {
        put(&mut self.legal, self.moves, point as u16);
        put(&mut self.slot, point, self.moves as u16);
        self.moves += 1;
    }

    #[inline(always)]
    fn remove(&mut self, point: usize) {
        self.moves -= 1;
        let last = get(&self.legal, self.moves);
        let slot = get(&self.slot, point);
        put(&mut self.legal, slot, last);
        put(&mut self.slot, last, slot);
        put(&mut self.slot, point, NONE);
    }

    #[inline(always)]
    fn lists(&self, point: usize) -> bool {
        get(&self.slot, point) != NONE
    }
}

/// A position on a board whose rows lie `STRIDE` points apart, see [`place`].
#[derive(Clone, Copy)]
pub(crate) struct Plain<const STRIDE: usize, const AREA: usize> {
    sides: [Side<AREA>; 2],
    cell: [u8; AREA],
    /// The root of a stone.
    root: [u8; AREA],
    space: [u16; ROOTS],
    /// The stones of a root, newest first; point 0 is a guard and ends the list.
    newest: [u16; ROOTS],
    older: [u16; AREA],
    colour: [u8; ROOTS],
}

impl<const STRIDE: usize, const AREA: usize> Plain<STRIDE, AREA> {
    /// A point that has become legal: finds its only own neighbour.
    #[inline(always)]
    fn enter(&mut self, me: usize, point: usize) {
        for next in neighbours::<STRIDE>(point) {
            if usize::from(get(&self.cell, next)) == me {
                let root = get(&self.root, next);
                let space = get(&self.space, root);
                put(&mut self.space, root, space + 1);
                put(&mut self.sides[me].owner, point, root);
            }
        }
        self.sides[me].add(point);
    }

    /// Removes roots without space, all at once.
    fn lift(&mut self, roots: &[u8]) {
        for &root in roots {
            let me = usize::from(get(&self.colour, root));
            let mut stone: usize = get(&self.newest, root).into();
            while stone != 0 {
                put(&mut self.cell, stone, EMPTY);
                for next in neighbours::<STRIDE>(stone) {
                    let count = &mut self.sides[me].count;
                    put(count, next, get(count, next) - 1);
                }
                stone = get(&self.older, stone).into();
            }
        }
        for &root in roots {
            let me = usize::from(get(&self.colour, root));
            let mut stone: usize = get(&self.newest, root).into();
            while stone != 0 {
                let theirs = &self.sides[me ^ 1];
                if get(&theirs.count, stone) == 1 && !theirs.lists(stone) {
                    self.enter(me ^ 1, stone);
                }
                for next in neighbours::<STRIDE>(stone) {
                    let mine = &self.sides[me];
                    if get(&self.cell, next) == EMPTY
                        && get(&mine.count, next) == 1
                        && !mine.lists(next)
                    {
                        self.enter(me, next);
                    }
                }
                stone = get(&self.older, stone).into();
            }
        }
    }
}

impl<const STRIDE: usize, const AREA: usize> Position for Plain<STRIDE, AREA> {
    const SIZE: usize = STRIDE - 1;

    fn new(stones: &[Stone]) -> Self {
        assert!(AREA == (STRIDE + 1) * STRIDE && stones.len() < ROOTS);
        let side = Side {
            moves: 0,
            count: [0; AREA],
            owner: [0; AREA],
            slot: [NONE; AREA],
            legal: [0; AREA],
        };
        let mut position = Self {
            sides: [side; 2],
            cell: [GUARD; AREA],
            root: [0; AREA],
            space: [0; ROOTS],
            newest: [0; ROOTS],
            older: [0; AREA],
            colour: [0; ROOTS],
        };
        for (column, row) in board(Self::SIZE) {
            position.cell[place(STRIDE, column, row)] = EMPTY;
        }
        for (root, stone) in stones.iter().enumerate() {
            let point = place(STRIDE, stone.column, stone.row);
            position.cell[point] = stone.colour as u8;
            position.root[point] = root as u8;
            position.newest[root] = point as u16;
            position.colour[root] = stone.colour as u8;
            for next in neighbours::<STRIDE>(point) {
                position.sides[stone.colour].count[next] += 1;
            }
        }
        for me in 0..2 {
            for point in 0..AREA {
                if position.cell[point] == EMPTY && position.sides[me].count[point] == 1 {
                    position.enter(me, point);
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
        // Roots whose space fell to nothing at some moment of this move.
        let mut bounded = [0; 8];
        let mut n_bounded = 0;

        let root = get(&self.sides[me].owner, point);
        self.sides[me].remove(point);
        let space = get(&self.space, root);
        put(&mut self.space, root, space - 1);
        put(&mut self.cell, point, me as u8);
        put(&mut self.root, point, root);
        put(&mut self.older, point, get(&self.newest, root));
        put(&mut self.newest, root, point as u16);
        if get(&self.sides[me ^ 1].count, point) == 1 {
            self.sides[me ^ 1].remove(point);
            let loser = get(&self.sides[me ^ 1].owner, point);
            let left = get(&self.space, loser) - 1;
            put(&mut self.space, loser, left);
            if left == 0 {
                put(&mut bounded, n_bounded, loser);
                n_bounded += 1;
            }
        }

        let around = neighbours::<STRIDE>(point);
        let counts = around.map(|next| get(&self.sides[me].count, next));
        for (next, before) in around.into_iter().zip(counts) {
            put(&mut self.sides[me].count, next, before + 1);
            if get(&self.cell, next) == EMPTY {
                if before == 0 {
                    self.sides[me].add(next);
                    put(&mut self.sides[me].owner, next, root);
                    let space = get(&self.space, root);
                    put(&mut self.space, root, space + 1);
                } else if before == 1 {
                    self.sides[me].remove(next);
                    let loser = get(&self.sides[me].owner, next);
                    let left = get(&self.space, loser) - 1;
                    put(&mut self.space, loser, left);
                    if left == 0 {
                        put(&mut bounded, n_bounded, loser);
                        n_bounded += 1;
                    }
                }
            }
        }

        if get(&self.space, root) == 0 {
            self.lift(&[root]);
        } else if n_bounded > 0 {
            // The extended root may have been without space for a moment only.
            let mut lifted = [0; 8];
            let mut n = 0;
            for &other in &bounded[..n_bounded] {
                if other != root {
                    lifted[n] = other;
                    n += 1;
                }
            }
            if n > 0 {
                self.lift(&lifted[..n]);
            }
        }
    }

    fn roots(&self) -> Vec<Root> {
        (0..ROOTS)
            .filter(|&number| self.space[number] > 0)
            .map(|number| {
                let first = Some(usize::from(self.newest[number]));
                Root {
                    number,
                    colour: self.colour[number].into(),
                    space: self.space[number].into(),
                    stones: std::iter::successors(first, |&stone| {
                        Some(usize::from(self.older[stone]))
                    })
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
        for root in roots {
            for &stone in &root.stones {
                assert_eq!(
                    usize::from(self.root[stone]),
                    root.number,
                    "root of a stone"
                );
            }
        }
        let mut on_board = [false; AREA];
        for (column, row) in board(Self::SIZE) {
            let point = place(STRIDE, column, row);
            on_board[point] = true;
            let found = self.cell[point];
            assert_eq!(
                usize::from(found),
                cell(point).unwrap_or(EMPTY.into()),
                "cell"
            );
            for (me, side) in self.sides.iter().enumerate() {
                let own = neighbours::<STRIDE>(point)
                    .into_iter()
                    .filter(|&next| usize::from(self.cell[next]) == me);
                assert_eq!(usize::from(side.count[point]), own.clone().count(), "count");
                if side.lists(point) {
                    let slot: usize = side.slot[point].into();
                    assert!(slot < side.moves, "slot");
                    assert_eq!(usize::from(side.legal[slot]), point, "slot");
                    for next in own {
                        assert_eq!(side.owner[point], self.root[next], "owner");
                    }
                }
            }
        }
        for point in (0..AREA).filter(|&point| !on_board[point]) {
            assert_eq!(self.cell[point], GUARD, "guard");
        }
        for (me, side) in self.sides.iter().enumerate() {
            let listed = (0..AREA).filter(|&point| side.lists(point)).count();
            assert_eq!(listed, side.moves, "points with a slot, colour {me}");
        }
    }
}
