//! The order of moves where it matters most: in positions with much left to play a small network
//! judges what each move leads to. It costs several times what the sums of [`rank`](super::rank)
//! do, which is little beside the thousands of positions that may lie below a move.
//!
//! There is one for each kind of position, with one hidden layer:
//! `w2 · max(0, w1 · x + b1) + b2`, where `x` are [`COUNTS`] numbers of the side to move and as
//! many of the other side. Lower outputs are to be searched first. How the weights were found is
//! told in `net.txt`.

use std::sync::LazyLock;

use super::mask::Mask;
use super::side::Side;

/// Numbers of a side, see [`Camp::counts`].
const COUNTS: usize = 15;
/// Hidden units.
const HIDDEN: usize = 16;
/// Kinds of positions: one root each, one against two, two against one, all others.
const KINDS: usize = 4;
/// What the output is multiplied with to be a rank.
const SCALE: f32 = 1000.0;

/// One network.
struct Net {
    w1: [[[f32; HIDDEN]; COUNTS]; 2],
    b1: [f32; HIDDEN],
    w2: [f32; HIDDEN],
    b2: f32,
}

/// The networks of all kinds.
pub(super) struct Nets([Net; KINDS]);

/// A side as a network sees it.
#[derive(Clone, Copy)]
pub(super) struct Camp<'a, M> {
    pub(super) side: Side<M>,
    /// The stones of each root; none where each side has one.
    pub(super) roots: &'a [M],
    /// No more stones than this fit into the side's space.
    pub(super) most: u32,
    /// Stones that can be placed where the other side has no say.
    pub(super) spare: u32,
}

impl<M: Mask> Camp<'_, M> {
    /// What a network is told of a side.
    #[inline(always)]
    fn counts(&self, enemy: Side<M>, stride: u32) -> [f32; COUNTS] {
        let count = |set: M| set.len() as f32;
        let Side { legal, open } = self.side;
        let beside = legal.beside(stride);
        let virgin = open & !legal;
        let near = virgin & beside;
        let enemy_near = enemy.open & !enemy.legal & enemy.legal.beside(stride);
        let (a, b, c, d) = (legal << 1, legal >> 1, legal << stride, legal >> stride);
        let twice = a & b | c & d | (a | b) & (c | d);
        let mut weakest = u32::MAX;
        for root in self.roots {
            weakest = weakest.min((root.beside(stride) & legal).len());
        }
        [
            count(open),
            count(legal),
            self.most as f32,
            // Where the other side cannot play, and where neither needs to wait for it.
            count(open & !enemy.open),
            count(legal & !enemy.open),
            // Legal points beside others, which spoil each other.
            count(legal & beside),
            // What a move makes legal.
            count(near),
            self.spare as f32,
            if self.roots.is_empty() {
                0.0
            } else {
                weakest as f32
            },
            self.roots.len() as f32,
            // Two steps away.
            count(virgin & !near & near.beside(stride)),
            // A move there neither costs nor brings another.
            count(legal & !beside & !virgin.beside(stride)),
            // Pairs of neighbours.
            count(open & open << 1) + count(open & open << stride),
            // Where the other side can be at once or after one move.
            count(legal & (enemy_near | enemy.legal)),
            // Beside two legal points.
            count(twice & virgin),
        ]
    }
}

impl Nets {
    /// The networks that come with the program.
    pub(super) fn get() -> Option<&'static Self> {
        static NETS: LazyLock<Option<Nets>> = LazyLock::new(|| Nets::read(include_str!("net.txt")));
        // The file is part of the build and a test reads it.
        NETS.as_ref()
    }

    /// One network a line; lines that begin with `#` are comments.
    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut nets = [const { None }; KINDS];
        for net in &mut nets {
            let mut numbers = lines.next()?.split_whitespace();
            let mut number = || {
                numbers
                    .next()?
                    .parse::<f32>()
                    .ok()
                    .filter(|x| x.is_finite())
            };
            let mut read = Net {
                w1: [[[0.0; HIDDEN]; COUNTS]; 2],
                b1: [0.0; HIDDEN],
                w2: [0.0; HIDDEN],
                b2: 0.0,
            };
            let w1 = read.w1.as_flattened_mut().as_flattened_mut().iter_mut();
            let rest = read.b1.iter_mut().chain(&mut read.w2).chain([&mut read.b2]);
            for weight in w1.chain(rest) {
                *weight = number()?;
            }
            *net = numbers.next().is_none().then_some(read);
        }
        let [Some(a), Some(b), Some(c), Some(d)] = nets else {
            return None;
        };
        lines.next().is_none().then_some(Self([a, b, c, d]))
    }

    /// The rank of a move that leads to a position with these sides, the side to move first.
    #[inline(always)]
    pub(super) fn rank<M: Mask>(&self, camps: [Camp<'_, M>; 2], stride: u32) -> i32 {
        let [own, other] = camps;
        let kind = match (own.roots.len(), other.roots.len()) {
            (0, _) => 0,
            (1, 2) => 1,
            (2, 1) => 2,
            _ => 3,
        };
        let net = &self.0[kind];
        let counts = own.counts(other.side, stride);
        let other_counts = other.counts(own.side, stride);
        // Two sums, so that neither waits for the other's last step.
        let (mut sum, mut other_sum) = (net.b1, [0.0; HIDDEN]);
        let rows = counts.iter().zip(&net.w1[0]);
        let other_rows = other_counts.iter().zip(&net.w1[1]);
        for ((count, weights), (other_count, other_weights)) in rows.zip(other_rows) {
            for (unit, weight) in sum.iter_mut().zip(weights) {
                *unit += count * weight;
            }
            for (unit, weight) in other_sum.iter_mut().zip(other_weights) {
                *unit += other_count * weight;
            }
        }
        let mut output = net.b2;
        for ((unit, other_unit), weight) in sum.iter().zip(&other_sum).zip(&net.w2) {
            output += (unit + other_unit).max(0.0) * weight;
        }
        (output * SCALE) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_read() {
        assert!(Nets::get().is_some());
        assert!(Nets::read("").is_none());
        let text = include_str!("net.txt");
        assert!(Nets::read(&format!("{text}1\n")).is_none());
        let (shorter, _) = text.trim_end().rsplit_once(' ').unwrap();
        assert!(Nets::read(shorter).is_none());
        assert!(Nets::read(&format!("{shorter} nan")).is_none());
        assert!(Nets::read(&format!("{shorter} 1")).is_some());
    }
}
