//! What the outcomes of relatives say about a position.
//!
//! The engine misjudges positions that come from the same one in the same way. *Relatives* are the
//! positions the same number of plies after a common ancestor: [`PLIES`], or fewer if the question is
//! nearer. The log-odds of a position move by the shift `u` at which the outcomes of its relatives are
//! likeliest:
//!
//! ```text
//! max over u   -u^2 / (2 v) + sum of ln P(outcome | log-odds + u)      v the variance of shifts
//! ```
//!
//! That is a logistic regression with one random effect. Outcomes are those that the solver found of
//! positions which the engine had judged. What the longest search misjudges is another matter: only
//! relatives that it judged too say something about that.

use std::collections::HashMap;

use super::calibration::chance_at;
use super::prediction::{DEPTHS, Prediction};
use super::tree::{Node, State};

/// Plies up to the common ancestor. 2 and 4 foretold results worse.
const PLIES: usize = 6;
/// The variance of shifts, in log-odds.
const VARIANCE: f64 = 4.0;
/// The most steps for a shift, and the slope at which it is found.
const STEPS: usize = 50;
const FLAT: f64 = 1e-6;

/// The number of plies up, and the ancestors there in ascending order.
type Family = (usize, Vec<usize>);
/// A node that is solved, its log-odds, and whether it is won.
type Outcome = (usize, f64, bool);

/// Shifts of log-odds by the outcomes that are known now.
pub(super) struct Relatives<'a> {
    nodes: &'a [Node],
    /// The outcomes so many plies after an ancestor, without and with the longest search.
    outcomes: [HashMap<(usize, usize), Vec<Outcome>>; 2],
    /// The shifts that were asked for, by the parents and by the family.
    of_parents: [HashMap<&'a [usize], f64>; 2],
    of_family: [HashMap<Family, f64>; 2],
}

impl<'a> Relatives<'a> {
    pub(super) fn new(nodes: &'a [Node], prediction: &Prediction) -> Self {
        let mut relatives = Self {
            nodes,
            outcomes: Default::default(),
            of_parents: Default::default(),
            of_family: Default::default(),
        };
        for (index, node) in nodes.iter().enumerate() {
            if let (State::Solved(won), Some(outlook)) = (&node.state, node.outlook) {
                let (plies, ancestors) = relatives.family(index);
                let kinds = 0..=usize::from(outlook.depth() == DEPTHS);
                for (kind, outcomes) in kinds.zip(&mut relatives.outcomes) {
                    let odds = prediction.log_odds(outlook, DEPTHS - 1 + kind);
                    for &ancestor in &ancestors {
                        let outcomes = outcomes.entry((plies, ancestor)).or_default();
                        outcomes.push((index, odds, *won));
                    }
                }
            }
        }
        relatives
    }

    /// What the outcomes of the relatives of a node that is not solved add to its log-odds after a
    /// search of this depth.
    pub(super) fn shift(&mut self, index: usize, depth: usize) -> f64 {
        let kind = usize::from(depth == DEPTHS);
        let parents: &[usize] = &self.nodes[index].parents;
        if let Some(shift) = self.of_parents[kind].get(parents) {
            return *shift;
        }
        let family = self.family(index);
        let shift = match self.of_family[kind].get(&family) {
            Some(shift) => *shift,
            None => {
                let shift = self.shift_of(&family, kind);
                self.of_family[kind].insert(family, shift);
                shift
            }
        };
        self.of_parents[kind].insert(parents, shift);
        shift
    }

    fn shift_of(&self, (plies, ancestors): &Family, kind: usize) -> f64 {
        let of_ancestor = |ancestor: &usize| self.outcomes[kind].get(&(*plies, *ancestor));
        let mut outcomes: Vec<_> = ancestors.iter().filter_map(of_ancestor).flatten().collect();
        outcomes.sort_unstable_by_key(|(node, ..)| node);
        outcomes.dedup_by_key(|(node, ..)| node);
        likeliest_shift(outcomes.iter().map(|(_, odds, won)| (*odds, *won)))
    }

    fn family(&self, index: usize) -> Family {
        let mut ancestors = vec![index];
        for plies in 0..PLIES {
            let parents = ancestors.iter().flat_map(|&node| &self.nodes[node].parents);
            let mut next: Vec<usize> = parents.copied().collect();
            if next.is_empty() {
                return (plies, ancestors);
            }
            next.sort_unstable();
            next.dedup();
            ancestors = next;
        }
        (PLIES, ancestors)
    }
}

/// The shift at which the outcomes are likeliest, of log-odds and whether those positions were won.
fn likeliest_shift(outcomes: impl Iterator<Item = (f64, bool)> + Clone) -> f64 {
    // The slope falls from one end to the other: each outcome adds less than 1 to it.
    let most = VARIANCE * outcomes.clone().count() as f64;
    let (mut low, mut high, mut shift, mut last) = (-most, most, 0.0, most);
    for _ in 0..STEPS {
        let (mut slope, mut curve) = (-shift / VARIANCE, 1.0 / VARIANCE);
        for (odds, won) in outcomes.clone() {
            let chance = chance_at(odds + shift);
            slope += f64::from(won) - chance;
            curve += chance * (1.0 - chance);
        }
        if slope.abs() < FLAT {
            break;
        }
        if slope > 0.0 {
            low = shift;
        } else {
            high = shift;
        }
        // Where most outcomes are surprises, steps go too far and come back; then the middle is better.
        let (step, before) = (slope / curve, shift);
        let is_shrinking = step.abs() < last / 2.0 && (low..high).contains(&(shift + step));
        shift = if is_shrinking {
            shift + step
        } else {
            f64::midpoint(low, high)
        };
        last = (shift - before).abs();
    }
    shift
}

#[cfg(test)]
mod tests {
    use super::super::prediction::Outlook;
    use super::super::tree::Tree;
    use super::*;
    use crate::lab::endings::Ending;

    const OUTLOOK: Outlook = Outlook {
        points: 20,
        chance: 0.7,
        deep_chances: [None; DEPTHS],
    };

    /// A tree in which node 0 has the children 1 and 2, each of which begins a line of so many plies
    /// with two positions at the end.
    fn two_lines(plies: usize) -> Tree {
        let start = Ending::parse("4 b X2O/4/4/O2X ?").unwrap().start;
        let mut tree = Tree::default();
        let add = |tree: &mut Tree, name: &str| {
            tree.add(start.clone(), name.to_string(), State::Open(OUTLOOK), None)
        };
        add(&mut tree, "root");
        let mut ends = [Vec::new(), Vec::new()];
        for (line, ends) in ends.iter_mut().enumerate() {
            for ply in 0..plies {
                ends.push(add(&mut tree, &format!("{line} {ply}")));
            }
            ends.extend(["first", "second"].map(|name| add(&mut tree, &format!("{line} {name}"))));
        }
        tree.set(Tree::ROOT, State::Inner(vec![ends[0][0], ends[1][0]]));
        for nodes in &ends {
            for pair in nodes[..plies].windows(2) {
                tree.set(pair[0], State::Inner(vec![pair[1]]));
            }
            tree.set(nodes[plies - 1], State::Inner(nodes[plies..].to_vec()));
        }
        tree
    }

    fn shift(tree: &Tree, name: &str) -> f64 {
        shift_after(tree, name, 0)
    }

    fn shift_after(tree: &Tree, name: &str, depth: usize) -> f64 {
        let relatives = &mut Relatives::new(tree.nodes(), &Prediction::default());
        relatives.shift(tree.find(name).unwrap(), depth)
    }

    #[test]
    fn a_surprise_moves_what_comes_from_the_same_position() {
        for plies in 1..=PLIES {
            let mut tree = two_lines(plies);
            assert_eq!(shift(&tree, "1 second"), 0.0);
            let first = tree.find("0 first").unwrap();
            tree.set(first, State::Solved(false));
            let near = shift(&tree, "0 second");
            assert!(near < -1.0, "{plies}: {near}");
            // The ends of the other line come from the root, which may be too far.
            let far = shift(&tree, "1 second");
            assert_eq!(far, if plies < PLIES { near } else { 0.0 }, "{plies}");
        }
    }

    #[test]
    fn positions_without_a_guess_and_nearer_ones_say_nothing() {
        let mut tree = two_lines(2);
        let start = tree.node(Tree::ROOT).start.clone();
        let solved = tree.add(
            start,
            "solved at once".to_string(),
            State::Solved(false),
            None,
        );
        let parent = tree.find("0 1").unwrap();
        tree.set(parent, State::Inner(vec![solved]));
        // One ply before the ends, the other side to move.
        let child = tree.find("1 1").unwrap();
        tree.set(child, State::Solved(false));
        assert_eq!(shift(&tree, "0 second"), 0.0);
    }

    #[test]
    fn the_longest_search_is_corrected_by_its_own_outcomes() {
        let mut tree = two_lines(3);
        let first = tree.find("0 first").unwrap();
        tree.set(first, State::Solved(false));
        assert!(shift_after(&tree, "0 second", 1) < -1.0);
        assert_eq!(shift_after(&tree, "0 second", DEPTHS), 0.0);
        let judged = tree.node_mut(first).outlook.as_mut().unwrap();
        judged.deep_chances[DEPTHS - 1] = Some(0.8);
        assert!(shift_after(&tree, "0 second", DEPTHS) < -1.0);
        assert!(shift_after(&tree, "0 second", 1) < -1.0);
    }

    #[test]
    fn shifts_follow_the_outcomes() {
        let of = |outcomes: &[(f64, bool)]| likeliest_shift(outcomes.iter().copied());
        assert_eq!(of(&[]), 0.0);
        // What was nearly sure says little when it happens, and much when it does not.
        assert!((0.0..0.1).contains(&of(&[(4.0, true)])));
        assert!(of(&[(4.0, false)]) < -1.0);
        // As often won as expected.
        assert!(of(&[(0.0, true), (0.0, false)]).abs() < 1e-9);
        // It is where the slope is 0, and more surprises move it further.
        for odds in [0.0, 3.0, 4.0, 5.0] {
            let mut last = 0.0;
            for count in [1, 3, 5, 50, 500] {
                let shift = of(&vec![(odds, false); count]);
                let slope = -shift / VARIANCE - count as f64 * chance_at(odds + shift);
                assert!(slope.abs() < 1e-3, "{count} of {odds}: {slope}");
                assert!(shift < last, "{count} of {odds}: {shift} after {last}");
                last = shift;
            }
        }
    }
}
