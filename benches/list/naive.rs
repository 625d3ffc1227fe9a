//! The rules, implemented as they are written, and the check of the list-based position against
//! them.

use crate::shared::{Position, Random, Root, Tally, place, setup, z_score};

const EMPTY: usize = 2;

/// A position that keeps nothing but the stones. Point `i` is column `i % size` of row `i / size`.
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

    /// The points a root can grow to. Each has exactly one own neighbour, so none is counted twice.
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

/// Panics unless everything the position keeps agrees with the naive rules.
fn compare<P: Position>(position: &P, naive: &Naive) {
    let stride = P::SIZE + 1;
    let point_of = |i: usize| place(stride, i % P::SIZE, i / P::SIZE);
    let cell = |point: usize| {
        let colour = naive.cells[index(stride, point)];
        (colour != EMPTY).then_some(colour)
    };

    let sorted = |mut points: Vec<usize>| {
        points.sort_unstable();
        points
    };
    let mut kept = position.roots();
    let listed = |root: &Root| (root.colour, root.space, sorted(root.stones.clone()));
    let mut found: Vec<_> = naive
        .roots()
        .into_iter()
        .map(|root| {
            let points = root.iter().map(|&i| point_of(i)).collect();
            (naive.cells[root[0]], naive.space(&root), sorted(points))
        })
        .collect();
    found.sort_unstable();
    kept.sort_unstable_by_key(listed);
    assert_eq!(
        kept.iter().map(listed).collect::<Vec<_>>(),
        found,
        "roots: colour, space, stones"
    );
    for me in 0..2 {
        let legal: Vec<_> = naive.legal(me).into_iter().map(point_of).collect();
        assert_eq!(sorted(position.legal(me)), legal, "legal points");
        assert_eq!(position.moves(me), legal.len(), "number of legal points");
    }
    position.audit(&cell, &kept);
}

/// The naive number of the point that [`place`] numbers `point`.
fn index(stride: usize, point: usize) -> usize {
    (point / stride - 1) * (stride - 1) + point % stride
}

/// Plays games in step with the naive rules, then separate games of both, and compares mean length
/// and share of black wins. Prints the comparison; false if a difference is above 4 standard
/// errors.
pub(crate) fn check<P: Position>(games: u64, seed: u64) -> bool {
    let start = P::new(&setup(P::SIZE));
    let mut random = Random::new(seed);
    let mut stepped = Tally::default();
    for _ in 0..games {
        let mut position = start;
        let mut naive = Naive::new(P::SIZE);
        let mut me = 0;
        let mut length = 0;
        let winner = loop {
            compare(&position, &naive);
            if let Some(winner) = naive.winner() {
                break winner;
            }
            let point = position.random_move(me, &mut random);
            position.play(me, point);
            naive.play(me, index(P::SIZE + 1, point));
            length += 1;
            me ^= 1;
        };
        stepped.add((winner, length));
    }
    let (mut naive, mut listed) = (Tally::default(), Tally::default());
    for _ in 0..2 * games {
        naive.add(Naive::new(P::SIZE).play_out(&mut random));
    }
    for _ in 0..50 * games {
        let mut position = start;
        listed.add(position.play_out(&mut random));
    }
    let z_length = z_score(listed.length(), naive.length());
    let z_black = z_score(listed.black(), naive.black());
    println!(
        "{{\"size\":{},\"games_checked\":{games},\"moves_checked\":{},\
         \"naive_games\":{},\"list_games\":{},\"naive_length\":{:.3},\"list_length\":{:.3},\
         \"z_length\":{z_length:.2},\"naive_black\":{:.4},\"list_black\":{:.4},\
         \"z_black\":{z_black:.2}}}",
        P::SIZE,
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
