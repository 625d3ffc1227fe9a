//! The yardstick for playout speed: a list-based incremental Tanbo position, as fast as that
//! design goes.
//!
//! It plays uniformly random games from the standard setups and prints how many moves a second it
//! made. It uses only the standard library and nothing of this crate, so that it stays an
//! independent program:
//!
//! ```text
//! list_position --size 7|9|13|19 [--seconds S] [--seed N]    one JSON object
//! list_position --check [--size N] [--seed N]                every step against naive rules
//! ```
//!
//! `scripts/playout-speed.sh` compiles it for the machine at hand and measures the engine against
//! it.
//!
//! The design is the usual one: a board in an array with guard points, for each colour a list of
//! its legal points with the slot of every point in it, a linked list of stones for each root, and
//! a count of the space of each root. What it owes its speed to, each found by measuring:
//!
//! - Number of own neighbours, their roots and "occupied" share one 16-bit word per colour and
//!   point (see [`Key`]).
//! - Points are appended to a list without a branch: write behind the end, then lengthen the list
//!   by 0 or 1.
//! - Lifting a root appends every point that might become legal; a second pass sorts them out.
//! - Points are bytes where the board is small enough; indices are checked in debug builds only.
#![allow(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

use std::hint::select_unpredictable;
use std::time::Instant;

// ------------------------------------------------------------
// The position
// ------------------------------------------------------------

/// What one colour knows about one point: bit 15 says that the point is occupied (by anyone) or off
/// the board, bits 10 to 14 count the own stones next to it, bits 0 to 9 add up the root numbers of
/// those stones. A legal point is one with `key >> COUNT == 1`, and then the low bits are the
/// number of the root it extends.
type Key = u16;
const COUNT: u32 = 10;
const ONE: Key = 1 << COUNT;
const ROOT: Key = ONE - 1;
const TAKEN: Key = 1 << 15;

/// Fewer roots than this stand in a setup, and no new ones appear. The last number is nobody's.
const ROOTS: usize = 32;
const NO_ROOT: Key = ROOTS as Key - 1;

/// The number of a point, in as few bytes as the board allows.
trait Index: Copy + Into<usize> {
    fn of(index: usize) -> Self;
}

impl Index for u8 {
    #[inline(always)]
    fn of(index: usize) -> Self {
        index as Self
    }
}

impl Index for u16 {
    #[inline(always)]
    fn of(index: usize) -> Self {
        index as Self
    }
}

/// `array[i]`, checked in debug builds only; `--check` in a debug build has every index checked.
#[inline(always)]
fn get<T: Copy, const L: usize>(array: &[T; L], i: impl Into<usize>) -> T {
    let i = i.into();
    debug_assert!(i < L);
    // SAFETY: callers pass points of the board and its guards, slots of a list, or root numbers,
    // and the arrays are as long as these go.
    unsafe { *array.get_unchecked(i) }
}

/// `array[i] = value`, checked in debug builds only.
#[inline(always)]
fn put<T: Copy, const L: usize>(array: &mut [T; L], i: impl Into<usize>, value: T) {
    let i = i.into();
    debug_assert!(i < L);
    // SAFETY: as for `get`.
    unsafe { *array.get_unchecked_mut(i) = value }
}

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

/// A position on a board whose rows lie `STRIDE` = size + 1 points apart, with one guard column
/// between them and a guard row below and above: `AREA` = (size + 2) * (size + 1) points.
#[derive(Clone, Copy)]
#[repr(C)]
struct Position<I, const STRIDE: usize, const AREA: usize> {
    sides: [Side<I, AREA>; 2],
    space: [u16; ROOTS],
    /// The stones of a root, newest first; point 0 is a guard and ends the list.
    newest: [I; ROOTS],
    older: [I; AREA],
    colour: [u8; ROOTS],
}

impl<I: Index, const STRIDE: usize, const AREA: usize> Position<I, STRIDE, AREA> {
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
                side.key[Self::point(column, row)] = 0;
            }
        }
        for (root, stone) in stones.iter().enumerate() {
            let point = Self::point(stone.column, stone.row);
            position.newest[root] = I::of(point);
            position.colour[root] = stone.colour as u8;
            for side in &mut position.sides {
                side.key[point] |= TAKEN;
            }
            for next in Self::neighbours(point) {
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

    fn point(column: usize, row: usize) -> usize {
        (row + 1) * STRIDE + column
    }

    #[inline(always)]
    fn neighbours(point: usize) -> [usize; 4] {
        [point - STRIDE, point - 1, point + 1, point + STRIDE]
    }

    /// Puts a stone of colour `me` on a point that is legal for it.
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
        let neighbours = Self::neighbours(point);
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
                for next in Self::neighbours(stone) {
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

    #[inline(always)]
    fn random_move(&self, me: usize, random: &mut Random) -> usize {
        let side = &self.sides[me];
        get(&side.legal, random.below(side.moves)).into()
    }

    /// Plays on at random; the winner and the number of moves.
    #[inline(always)]
    fn play_out(&mut self, random: &mut Random) -> (usize, u64) {
        let mut me = 0;
        let mut length = 0;
        loop {
            let point = self.random_move(me, random);
            self.play(me, point);
            length += 1;
            me ^= 1;
            // After a move no root is bounded, so that a player without a move has no stones.
            if self.sides[me].moves == 0 {
                return (me ^ 1, length);
            }
            if self.sides[me ^ 1].moves == 0 {
                return (me, length);
            }
        }
    }
}

/// xoshiro256++ by David Blackman and Sebastiano Vigna, seeded by splitmix64.
struct Random([u64; 4]);

impl Random {
    fn new(seed: u64) -> Self {
        let mut state = seed;
        Self(std::array::from_fn(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }))
    }

    #[inline(always)]
    fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    #[inline(always)]
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

// ------------------------------------------------------------
// Setups and counting
// ------------------------------------------------------------

/// A stone of a setup; column and row count from 0 at A1, black is 0 and white 1.
#[derive(Clone, Copy)]
struct Stone {
    column: usize,
    row: usize,
    colour: usize,
}

fn board(size: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..size * size).map(move |i| (i % size, i / size))
}

/// Every `step`th point from A1 in both directions, colours alternating.
fn lattice(size: usize, step: usize, colour_of_a1: usize) -> Vec<Stone> {
    board(size)
        .filter(|(column, row)| column % step == 0 && row % step == 0)
        .map(|(column, row)| Stone {
            column,
            row,
            colour: (column / step + row / step + colour_of_a1) % 2,
        })
        .collect()
}

fn setup(size: usize) -> Vec<Stone> {
    match size {
        7 => lattice(7, 2, 1),
        9 => [(1, 1, 0), (7, 7, 0), (1, 7, 1), (7, 1, 1)]
            .map(|(column, row, colour)| Stone {
                column,
                row,
                colour,
            })
            .to_vec(),
        13 => lattice(13, 4, 0),
        19 => lattice(19, 6, 0),
        _ => usage(),
    }
}

/// What a number of random games came to.
#[derive(Default)]
struct Tally {
    games: u64,
    moves: u64,
    squared_lengths: u64,
    black_wins: u64,
}

impl Tally {
    #[inline(always)]
    fn add(&mut self, (winner, length): (usize, u64)) {
        self.games += 1;
        self.moves += length;
        self.squared_lengths += length * length;
        self.black_wins += u64::from(winner == 0);
    }

    /// Mean length of a game, and the variance of that mean.
    fn length(&self) -> (f64, f64) {
        let games = self.games as f64;
        let mean = self.moves as f64 / games;
        (
            mean,
            (self.squared_lengths as f64 / games - mean * mean) / games,
        )
    }

    /// Share of black wins, and the variance of that share.
    fn black(&self) -> (f64, f64) {
        let games = self.games as f64;
        let share = self.black_wins as f64 / games;
        (share, share * (1.0 - share) / games)
    }
}

fn z_score((a, variance_a): (f64, f64), (b, variance_b): (f64, f64)) -> f64 {
    (a - b) / (variance_a + variance_b).sqrt()
}

fn measure<I: Index, const STRIDE: usize, const AREA: usize>(seconds: f64, seed: u64) {
    let size = STRIDE - 1;
    let start = Position::<I, STRIDE, AREA>::new(&setup(size));
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    let clock = Instant::now();
    while clock.elapsed().as_secs_f64() < seconds {
        for _ in 0..256 {
            let mut position = start;
            tally.add(position.play_out(&mut random));
        }
    }
    let elapsed = clock.elapsed().as_secs_f64();
    println!(
        "{{\"size\":{size},\"playouts\":{},\"moves\":{},\"seconds\":{elapsed:.6},\
         \"playout_moves_per_second\":{:.0},\"black_wins\":{}}}",
        tally.games,
        tally.moves,
        tally.moves as f64 / elapsed,
        tally.black_wins
    );
}

// ------------------------------------------------------------
// The check
// ------------------------------------------------------------

const EMPTY: usize = 2;

/// The rules as they are written, with nothing kept from one move to the next. Point `i` is column
/// `i % size` of row `i / size`.
struct Naive {
    size: usize,
    cells: Vec<usize>,
}

impl Naive {
    fn new(size: usize) -> Self {
        let mut cells = vec![EMPTY; size * size];
        for stone in setup(size) {
            cells[stone.row * size + stone.column] = stone.colour;
        }
        Self { size, cells }
    }

    fn neighbours(&self, point: usize) -> impl Iterator<Item = usize> + use<> {
        let size = self.size;
        let (column, row) = (point % size, point / size);
        let west = (column > 0).then(|| point - 1);
        let east = (column + 1 < size).then(|| point + 1);
        let south = (row > 0).then(|| point - size);
        let north = (row + 1 < size).then(|| point + size);
        [west, east, south, north].into_iter().flatten()
    }

    fn own_neighbours(&self, point: usize, colour: usize) -> impl Iterator<Item = usize> {
        self.neighbours(point)
            .filter(move |&next| self.cells[next] == colour)
    }

    fn is_legal(&self, point: usize, colour: usize) -> bool {
        self.cells[point] == EMPTY && self.own_neighbours(point, colour).count() == 1
    }

    fn legal(&self, colour: usize) -> Vec<usize> {
        (0..self.cells.len())
            .filter(|&point| self.is_legal(point, colour))
            .collect()
    }

    /// The maximal connected groups.
    fn roots(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.cells.len()];
        let mut roots = Vec::new();
        for first in 0..self.cells.len() {
            if self.cells[first] == EMPTY || seen[first] {
                continue;
            }
            seen[first] = true;
            let mut root = vec![first];
            let mut done = 0;
            while done < root.len() {
                for next in self.own_neighbours(root[done], self.cells[first]) {
                    if !seen[next] {
                        seen[next] = true;
                        root.push(next);
                    }
                }
                done += 1;
            }
            roots.push(root);
        }
        roots
    }

    /// A legal point has one own neighbour, so that it cannot be counted twice.
    fn space(&self, root: &[usize]) -> usize {
        let colour = self.cells[root[0]];
        root.iter()
            .flat_map(|&stone| self.neighbours(stone))
            .filter(|&next| self.is_legal(next, colour))
            .count()
    }

    fn play(&mut self, colour: usize, point: usize) {
        assert!(self.is_legal(point, colour));
        self.cells[point] = colour;
        let (current, others): (Vec<_>, Vec<_>) = self
            .roots()
            .into_iter()
            .partition(|root| root.contains(&point));
        let removed: Vec<Vec<usize>> = if self.space(&current[0]) == 0 {
            current
        } else {
            others
                .into_iter()
                .filter(|root| self.space(root) == 0)
                .collect()
        };
        for stone in removed.into_iter().flatten() {
            self.cells[stone] = EMPTY;
        }
    }

    fn winner(&self) -> Option<usize> {
        [1, 0]
            .into_iter()
            .find(|winner| !self.cells.contains(&(winner ^ 1)))
    }

    fn play_out(&mut self, random: &mut Random) -> (usize, u64) {
        let mut me = 0;
        let mut length = 0;
        loop {
            let legal = self.legal(me);
            self.play(me, legal[random.below(legal.len())]);
            length += 1;
            me ^= 1;
            if let Some(winner) = self.winner() {
                return (winner, length);
            }
        }
    }
}

/// Panics unless everything the position keeps is what the naive rules find.
fn compare<I: Index, const STRIDE: usize, const AREA: usize>(
    position: &Position<I, STRIDE, AREA>,
    naive: &Naive,
    n_roots: usize,
) {
    let place = |i: usize| Position::<I, STRIDE, AREA>::point(i % naive.size, i / naive.size);
    // Stones and roots. A root on the board has space, one that is gone has none.
    let mut root_at = [None; AREA];
    let standing: Vec<usize> = (0..n_roots)
        .filter(|&root| position.space[root] > 0)
        .collect();
    for &root in &standing {
        let mut stone: usize = position.newest[root].into();
        while stone != 0 {
            assert!(
                root_at[stone].replace(root).is_none(),
                "a stone in two roots"
            );
            stone = position.older[stone].into();
        }
    }
    let roots = naive.roots();
    assert_eq!(roots.len(), standing.len(), "number of roots");
    for stones in &roots {
        let root = root_at[place(stones[0])].expect("a root of the naive rules");
        assert_eq!(
            usize::from(position.colour[root]),
            naive.cells[stones[0]],
            "colour"
        );
        assert_eq!(
            usize::from(position.space[root]),
            naive.space(stones),
            "space"
        );
        assert!(
            stones
                .iter()
                .all(|&stone| root_at[place(stone)] == Some(root)),
            "stones of one root"
        );
    }
    assert_eq!(
        roots.iter().flatten().count(),
        root_at.iter().flatten().count(),
        "number of stones"
    );
    assert_eq!(position.space[usize::from(NO_ROOT)], 0, "space of nobody");
    // Keys and lists.
    for (colour, side) in position.sides.iter().enumerate() {
        for i in 0..naive.cells.len() {
            let mut key = if naive.cells[i] == EMPTY { 0 } else { TAKEN };
            for next in naive.own_neighbours(i, colour) {
                key += ONE + root_at[place(next)].expect("a stone") as Key;
            }
            assert_eq!(side.key[place(i)], key, "key");
        }
        let mut listed: Vec<usize> = side.legal[..side.moves]
            .iter()
            .map(|&point| point.into())
            .collect();
        for (i, &point) in listed.iter().enumerate() {
            assert_eq!(side.slot[point].into(), i, "slot");
        }
        listed.sort_unstable();
        let legal: Vec<usize> = naive.legal(colour).into_iter().map(place).collect();
        assert_eq!(listed, legal, "legal points");
    }
    for point in (0..AREA).filter(|&point| !(0..naive.cells.len()).any(|i| place(i) == point)) {
        assert!(
            position.sides.iter().all(|side| side.key[point] >= TAKEN),
            "guard"
        );
    }
}

/// Games in step with the naive rules, then separate games of both to compare what they come to.
fn check<I: Index, const STRIDE: usize, const AREA: usize>(games: u64, seed: u64) -> bool {
    let size = STRIDE - 1;
    let stones = setup(size);
    let start = Position::<I, STRIDE, AREA>::new(&stones);
    let mut random = Random::new(seed);
    let mut stepped = Tally::default();
    for _ in 0..games {
        let mut position = start;
        let mut naive = Naive::new(size);
        let mut me = 0;
        let mut length = 0;
        let winner = loop {
            compare(&position, &naive, stones.len());
            if let Some(winner) = naive.winner() {
                break winner;
            }
            let point = position.random_move(me, &mut random);
            position.play(me, point);
            naive.play(me, (point / STRIDE - 1) * size + point % STRIDE);
            length += 1;
            me ^= 1;
        };
        stepped.add((winner, length));
    }
    let (mut naive, mut listed) = (Tally::default(), Tally::default());
    for _ in 0..2 * games {
        naive.add(Naive::new(size).play_out(&mut random));
    }
    for _ in 0..50 * games {
        let mut position = start;
        listed.add(position.play_out(&mut random));
    }
    let z_length = z_score(listed.length(), naive.length());
    let z_black = z_score(listed.black(), naive.black());
    println!(
        "{{\"size\":{size},\"games_checked\":{games},\"moves_checked\":{},\"naive_games\":{},\
         \"list_games\":{},\"naive_length\":{:.3},\"list_length\":{:.3},\"z_length\":{z_length:.2},\
         \"naive_black\":{:.4},\"list_black\":{:.4},\"z_black\":{z_black:.2}}}",
        stepped.moves,
        naive.games,
        listed.games,
        naive.length().0,
        listed.length().0,
        naive.black().0,
        listed.black().0
    );
    z_length.abs() < 4.0 && z_black.abs() < 4.0
}

// ------------------------------------------------------------
// Command line
// ------------------------------------------------------------

fn usage() -> ! {
    eprintln!("usage: list_position --size 7|9|13|19 [--seconds S] [--seed N]");
    eprintln!("       list_position --check [--size 7|9|13|19] [--seed N]");
    std::process::exit(2)
}

fn value<T: std::str::FromStr>(arguments: &mut impl Iterator<Item = String>) -> T {
    arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| usage())
}

fn main() {
    let (mut size, mut seconds, mut seed, mut checking) = (None, 1.0, 1, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--size" => size = Some(value::<usize>(&mut arguments)),
            "--seconds" => seconds = value(&mut arguments),
            "--seed" => seed = value(&mut arguments),
            "--check" => checking = true,
            "--bench" => {} // what `cargo bench` adds
            _ => usage(),
        }
    }
    if checking {
        let sizes = size.map_or(vec![7, 9, 13, 19], |size| vec![size]);
        let mut agree = true;
        for size in sizes {
            agree &= match size {
                7 => check::<u8, 8, 72>(3000, seed),
                9 => check::<u8, 10, 110>(2000, seed),
                13 => check::<u8, 14, 210>(500, seed),
                19 => check::<u16, 20, 420>(200, seed),
                _ => usage(),
            };
        }
        if !agree {
            eprintln!("the random games differ from naive ones");
            std::process::exit(1);
        }
        return;
    }
    match size {
        Some(7) => measure::<u8, 8, 72>(seconds, seed),
        Some(9) => measure::<u8, 10, 110>(seconds, seed),
        Some(13) => measure::<u8, 14, 210>(seconds, seed),
        Some(19) => measure::<u16, 20, 420>(seconds, seed),
        _ => usage(),
    }
}
