//! The final choice: which move is the best after a search.

use std::cmp::Ordering;

use super::node::Node;
use super::perspective::Perspective;

/// Moves with a smaller part of the most visits have no lower confidence bound.
const BOUNDED_FROM: f32 = 0.2;

/// The minimum variance of a visit's value: values near 0 and 1 are less certain than they seem.
const LEAST_VARIANCE: f32 = 0.01;

/// The children of a node, ranked for the seat to move there.
pub(super) struct Ranking<'a> {
    children: &'a [Node],
    perspective: Perspective<'a>,
    /// The best of the known results that are neither won nor lost.
    certain: Option<f32>,
    /// The number of standard errors below the mean at which the lower confidence bound lies; 0
    /// ranks by visits.
    lcb_deviations: f32,
    /// The most visits of a child that is not a proven loss.
    most: u32,
}

/// The rank of a child, the most important criterion first.
#[derive(PartialEq, PartialOrd)]
struct Rank {
    class: i32,
    lcb: Option<f32>,
    visits: u32,
    mean: f32,
    prior: f32,
}

impl<'a> Ranking<'a> {
    pub(super) fn new(
        children: &'a [Node],
        perspective: Perspective<'a>,
        lcb_deviations: f32,
    ) -> Self {
        let results = children.iter().filter_map(Node::proof);
        let values = results.map(|outcome| perspective.value(outcome));
        let rivals = children.iter().filter(|node| !perspective.is_lost(node));
        let certain = values.filter(|value| *value > 0.0 && *value < 1.0);
        Self {
            children,
            perspective,
            certain: certain.reduce(f32::max),
            lcb_deviations,
            most: rivals.map(Node::visits).max().unwrap_or(0),
        }
    }

    /// Exact wins come first and exact losses last, just behind the children that seem worse than
    /// a certain result. Then the lower confidence bound decides, if it is wanted and the child has
    /// enough visits, then visits, the mean and the prior.
    fn rank(&self, place: usize) -> Rank {
        let node = &self.children[place];
        let value = |outcome| self.perspective.value(outcome);
        let class = match node.proof().map(value) {
            Some(value) if value >= 1.0 => 2,
            Some(value) if value <= 0.0 => -1,
            Some(_) => 1,
            None => i32::from(self.certain.is_none_or(|certain| node.mean() >= certain)),
        };
        let is_known = node.visits() > 0 && node.visits() as f32 >= BOUNDED_FROM * self.most as f32;
        let lcb = match node.proof().map(value) {
            None => is_known.then(|| self.lower_confidence_bound(node)),
            certain => certain,
        };
        Rank {
            class,
            lcb: lcb.filter(|_| self.lcb_deviations > 0.0),
            visits: node.visits(),
            mean: node.mean(),
            prior: node.prior(),
        }
    }

    /// The mean minus some standard errors, as if visits were independent games. They are not, but
    /// the bounds can be compared (KataGo chooses in a similar way).
    fn lower_confidence_bound(&self, node: &Node) -> f32 {
        let mean = node.mean();
        let variance = (mean * (1.0 - mean)).max(LEAST_VARIANCE);
        mean - self.lcb_deviations * (variance / node.visits() as f32).sqrt()
    }

    /// Which of two children is better; of equal ones, the earlier.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let ranks = self.rank(a).partial_cmp(&self.rank(b));
        ranks.unwrap_or(Ordering::Equal).then(b.cmp(&a))
    }

    /// The places of the children, the best first.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.children.len()).collect();
        places.sort_by(|&a, &b| self.compare(b, a));
        places
    }

    pub(super) fn best(&self) -> Option<usize> {
        (0..self.children.len()).max_by(|&a, &b| self.compare(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Outcome, Seat};
    use crate::search::perspective::TWO;

    /// The order of children with these visits of these values and these results.
    fn order(lcb_deviations: f32, children: &[(u32, f32, Option<Outcome>)]) -> Vec<usize> {
        let node = |&(visits, value, proof): &(u32, f32, Option<Outcome>)| {
            let node = Node::default();
            node.reset(1, 0.5, 0.1, proof);
            for _ in 0..visits {
                node.enter(0);
                node.add_value(value, 0);
            }
            node
        };
        let nodes: Vec<Node> = children.iter().map(node).collect();
        Ranking::new(&nodes, TWO, lcb_deviations).order()
    }

    #[test]
    fn visits_or_lower_bounds_decide() {
        let children = [
            (100, 0.5, None),
            (60, 0.6, None),
            (19, 0.9, None),
            (0, 0.0, None),
        ];
        assert_eq!(order(0.0, &children), [0, 1, 2, 3]);
        // 0.5 - 0.05 against 0.6 - 0.063; of the third too little is known.
        assert_eq!(order(1.0, &children), [1, 0, 2, 3]);
        // 0.5 - 0.5 against 0.6 - 0.632.
        assert_eq!(order(10.0, &children), [0, 1, 2, 3]);
    }

    #[test]
    fn results_come_before_bounds() {
        let [own, other] = [0, 1].map(|seat| Some(Outcome::Winner(Seat::ALL[seat])));
        let children = [
            (90, 0.9, None),
            (900, 0.0, other),
            (1, 0.2, own),
            (500, 0.4, None),
        ];
        assert_eq!(order(1.0, &children), [2, 3, 0, 1], "too few visits");
        let draw = Some(Outcome::Draw);
        let children = [
            (90, 0.4, None),
            (100, 0.6, None),
            (2, 0.5, draw),
            (95, 0.7, None),
        ];
        assert_eq!(order(1.0, &children)[..2], [3, 1]);
        assert_eq!(order(0.0, &children)[..2], [1, 3]);
        let last = &order(1.0, &children)[2..];
        assert_eq!(last, [2, 0], "worse than what is certain");
        let children = [(90, 0.52, None), (100, 0.54, None), (9, 0.5, draw)];
        assert_eq!(order(1.0, &children), [2, 1, 0], "not surely better");
        let children = [(900, 0.0, other), (100, 0.5, None), (60, 0.6, None)];
        let found = order(1.0, &children);
        assert_eq!(found, [2, 1, 0], "a lost move is no measure");
    }
}
