//! Setups, random numbers, points on a board with guards, and the interface that the check uses.

/// A position that keeps a list of legal points for each colour. Points are numbered as [`place`]
/// numbers them; black is 0, white is 1, and black begins.
pub(crate) trait Position: Copy {
    const SIZE: usize;

    fn new(stones: &[Stone]) -> Self;

    /// The number of legal points of a colour.
    fn moves(&self, me: usize) -> usize;

    fn random_move(&self, me: usize, random: &mut Random) -> usize;

    /// Puts a stone of colour `me` on a point that is legal for it.
    fn play(&mut self, me: usize, point: usize);

    /// The roots with space, for the check.
    fn roots(&self) -> Vec<Root>;

    /// The legal points of a colour in any order, for the check.
    fn legal(&self, me: usize) -> Vec<usize>;

    /// Panics unless everything else that the position keeps agrees with the stones (`cell` is
    /// `None` for an empty point) and the roots.
    fn audit(&self, cell: &dyn Fn(usize) -> Option<usize>, roots: &[Root]);

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
            // No root is bounded after a move, so a player without a move has no stones.
            if self.moves(me) == 0 {
                return (me ^ 1, length);
            }
            if self.moves(me ^ 1) == 0 {
                return (me, length);
            }
        }
    }
}

/// A maximal connected group of stones.
pub(crate) struct Root {
    /// Its number in the position.
    pub(crate) number: usize,
    pub(crate) colour: usize,
    pub(crate) space: usize,
    pub(crate) stones: Vec<usize>,
}

// ------------------------------------------------------------
// Points
// ------------------------------------------------------------

/// Fewer roots than this stand in a setup, and no new ones appear.
pub(crate) const ROOTS: usize = 32;

/// The number of a point where rows lie `stride` = size + 1 points apart, with one guard column
/// between them and a guard row below and above: (size + 2) * (size + 1) points in all. Point 0 is
/// a guard.
pub(crate) fn place(stride: usize, column: usize, row: usize) -> usize {
    (row + 1) * stride + column
}

#[inline(always)]
pub(crate) fn neighbours<const STRIDE: usize>(point: usize) -> [usize; 4] {
    [point - STRIDE, point - 1, point + 1, point + STRIDE]
}

/// `array[i]`, checked in debug builds only; `--check` in a debug build has every index checked.
#[inline(always)]
pub(crate) fn get<T: Copy, const L: usize>(array: &[T; L], i: impl Into<usize>) -> T {
    let i = i.into();
    debug_assert!(i < L);
    // SAFETY: callers pass points of the board and its guards, slots of a list, or root numbers,
    // and the arrays are as long as these go.
    unsafe { *array.get_unchecked(i) }
}

/// `array[i] = value`, checked in debug builds only.
#[inline(always)]
pub(crate) fn put<T: Copy, const L: usize>(array: &mut [T; L], i: impl Into<usize>, value: T) {
    let i = i.into();
    debug_assert!(i < L);
    // SAFETY: as for `get`.
    unsafe { *array.get_unchecked_mut(i) = value }
}

// ------------------------------------------------------------
// Random numbers
// ------------------------------------------------------------

/// xoshiro256++ by David Blackman and Sebastiano Vigna, seeded by splitmix64.
pub(crate) struct Random([u64; 4]);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut state = seed;
        Self(std::array::from_fn(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }))
    }

    #[inline(always)]
    pub(crate) fn next(&mut self) -> u64 {
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
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

// ------------------------------------------------------------
// Setups
// ------------------------------------------------------------

/// A stone of a setup; column and row count from 0 at A1.
#[derive(Clone, Copy)]
pub(crate) struct Stone {
    pub(crate) column: usize,
    pub(crate) row: usize,
    pub(crate) colour: usize,
}

pub(crate) fn board(size: usize) -> impl Iterator<Item = (usize, usize)> {
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

/// The standard setup of a board; on 7x7 the dense one.
pub(crate) fn setup(size: usize) -> Vec<Stone> {
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
        _ => unreachable!("the command line allows no other size"),
    }
}

// ------------------------------------------------------------
// Counting
// ------------------------------------------------------------

/// Counts of random games.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) games: u64,
    pub(crate) moves: u64,
    pub(crate) squared_lengths: u64,
    pub(crate) black_wins: u64,
}

impl Tally {
    #[inline(always)]
    pub(crate) fn add(&mut self, (winner, length): (usize, u64)) {
        self.games += 1;
        self.moves += length;
        self.squared_lengths += length * length;
        self.black_wins += u64::from(winner == 0);
    }

    /// Mean length of a game, and the variance of that mean.
    pub(crate) fn length(&self) -> (f64, f64) {
        let games = self.games as f64;
        let mean = self.moves as f64 / games;
        (
            mean,
            (self.squared_lengths as f64 / games - mean * mean) / games,
        )
    }

    /// Share of black wins, and the variance of that share.
    pub(crate) fn black(&self) -> (f64, f64) {
        let games = self.games as f64;
        let share = self.black_wins as f64 / games;
        (share, share * (1.0 - share) / games)
    }
}

pub(crate) fn z_score((a, variance_a): (f64, f64), (b, variance_b): (f64, f64)) -> f64 {
    (a - b) / (variance_a + variance_b).sqrt()
}
