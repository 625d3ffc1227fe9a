//! The positions above the frontier, and the cheapest set of hypotheses that decides the question.
//!
//! A *hypothesis* says who wins a position of the frontier. The work to show that the side to move
//! wins or loses a position is estimated from the frontier upward:
//!
//! ```text
//! frontier   win = n / p        loss = n / (1 - p)      n nodes predicted, p chance to win
//! within     win = min loss(c)  loss = sum of win(c)    over the positions c after each move
//! ```
//!
//! These are proof and disproof numbers (Allis, van der Meulen and van den Herik, "Proof-number
//! search", 1994), counted in nodes of the solver. As there, the first hypothesis to be tested is the one
//! that serves the proof and the disproof: below a loss, the move whose win is cheapest to refute.

use std::collections::HashMap;

use super::prediction::{Outlook, Prediction};
use super::relatives::Relatives;
use crate::tanbo::Start;

/// What is known of a position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum State {
    /// It is on the frontier.
    Open(Outlook),
    /// It is on the frontier, and the solver gave up.
    GivenUp(Outlook),
    /// Whether the side to move wins.
    Solved(bool),
    /// The positions after each move, the other side to move.
    Inner(Vec<usize>),
}

pub(crate) struct Node {
    /// In canonical form.
    pub(crate) start: Start,
    /// The same as text.
    pub(crate) name: String,
    pub(crate) state: State,
    /// The engine's last estimate before the winner was known or the position was expanded; `None` if
    /// there was none.
    pub(super) outlook: Option<Outlook>,
    /// The positions before it.
    pub(super) parents: Vec<usize>,
}

/// The estimated work to show that the side to move wins or loses; one is infinite, and the other 0,
/// if the result is known.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Work {
    win: f64,
    loss: f64,
}

impl Work {
    fn known(won: bool) -> Self {
        let (win, loss) = if won {
            (0.0, f64::INFINITY)
        } else {
            (f64::INFINITY, 0.0)
        };
        Self { win, loss }
    }
}

/// That the side to move wins or loses a position of the frontier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hypothesis {
    pub(crate) node: usize,
    pub(crate) won: bool,
    /// Nodes that the solver will need, as predicted.
    pub(crate) nodes: f64,
    /// The chance that it is true.
    pub(crate) chance: f64,
    /// Whether the solver gave up.
    pub(crate) is_given_up: bool,
    /// How long the search was that the chance comes from: 0 is the first, short one.
    pub(crate) depth: usize,
}

/// The cheapest set of hypotheses that decides the question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    /// Whether the side to move at the root wins if they hold.
    pub(crate) won: bool,
    /// Empty if the question is decided. The first should be tested first: if it is false, that changes
    /// most.
    pub(crate) hypotheses: Vec<Hypothesis>,
}

impl Plan {
    /// Whether the side to move at the root wins, if that is known.
    pub(crate) fn result(&self) -> Option<bool> {
        self.hypotheses.is_empty().then_some(self.won)
    }
}

/// The positions reached so far; positions that are equal under symmetry and exchange of colours
/// are one node.
#[derive(Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    index: HashMap<String, usize>,
}

impl Tree {
    /// The first node added.
    pub(crate) const ROOT: usize = 0;

    #[cfg(test)]
    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(super) fn indices(&self) -> std::ops::Range<usize> {
        0..self.nodes.len()
    }

    pub(crate) fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    pub(crate) fn node_mut(&mut self, index: usize) -> &mut Node {
        &mut self.nodes[index]
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Adds a position, unless it is there.
    pub(crate) fn add(
        &mut self,
        start: Start,
        name: String,
        state: State,
        outlook: Option<Outlook>,
    ) -> usize {
        let next = self.nodes.len();
        let index = *self.index.entry(name.clone()).or_insert(next);
        if index == next {
            self.nodes.push(Node {
                start,
                name,
                state,
                outlook,
                parents: Vec::new(),
            });
        }
        index
    }

    pub(crate) fn set(&mut self, index: usize, state: State) {
        if let State::Inner(children) = &state {
            for &child in children {
                self.nodes[child].parents.push(index);
            }
        }
        let node = &mut self.nodes[index];
        if let State::Open(outlook) | State::GivenUp(outlook) = &node.state {
            node.outlook = Some(*outlook);
        }
        node.state = state;
    }

    fn known(&self, work: Work) -> Option<bool> {
        match work {
            Work { win: 0.0, .. } => Some(true),
            Work { loss: 0.0, .. } => Some(false),
            Work { .. } => None,
        }
    }

    /// The plan, found from what is known now.
    pub(crate) fn plan(&self, prediction: &Prediction) -> Plan {
        let mut estimate = Estimate {
            nodes: &self.nodes,
            prediction,
            relatives: Relatives::new(&self.nodes, prediction),
            works: vec![None; self.nodes.len()],
        };
        let root = estimate.work(Self::ROOT);
        let Estimate {
            mut relatives,
            works,
            ..
        } = estimate;
        let mut plan = Plan {
            won: root.win <= root.loss,
            hypotheses: Vec::new(),
        };
        let mut seen = vec![false; self.nodes.len()];
        let mut left = vec![(Self::ROOT, plan.won)];
        while let Some((index, won)) = left.pop() {
            let work = works[index].unwrap_or(Work::known(won));
            if self.known(work).is_some() || std::mem::replace(&mut seen[index], true) {
                continue;
            }
            let loss = |child: &usize| works[*child].map_or(f64::INFINITY, |work| work.loss);
            match &self.nodes[index].state {
                State::Solved(_) => {}
                State::Inner(children) if won => {
                    let best = children.iter().min_by(|a, b| loss(a).total_cmp(&loss(b)));
                    left.extend(best.map(|&child| (child, false)));
                }
                State::Inner(children) => {
                    let mut children = children.clone();
                    // The last one comes next.
                    children.sort_by(|a, b| loss(b).total_cmp(&loss(a)));
                    left.extend(children.into_iter().map(|child| (child, true)));
                }
                State::Open(outlook) | State::GivenUp(outlook) => {
                    let shift = relatives.shift(index, outlook.depth());
                    let chance = prediction.chance(*outlook, shift);
                    plan.hypotheses.push(Hypothesis {
                        node: index,
                        won,
                        nodes: prediction.nodes(*outlook),
                        chance: if won { chance } else { 1.0 - chance },
                        is_given_up: matches!(self.nodes[index].state, State::GivenUp(_)),
                        depth: outlook.depth(),
                    });
                }
            }
        }
        plan
    }
}

/// The work of each node, estimated from the frontier upward.
struct Estimate<'a> {
    nodes: &'a [Node],
    prediction: &'a Prediction,
    relatives: Relatives<'a>,
    /// Those that are known so far.
    works: Vec<Option<Work>>,
}

impl Estimate<'_> {
    fn work(&mut self, index: usize) -> Work {
        if let Some(work) = self.works[index] {
            return work;
        }
        let nodes = self.nodes;
        let work = match &nodes[index].state {
            State::Solved(won) => Work::known(*won),
            State::Open(outlook) | State::GivenUp(outlook) => {
                let nodes = self.prediction.nodes(*outlook);
                let shift = self.relatives.shift(index, outlook.depth());
                let chance = self.prediction.chance(*outlook, shift);
                Work {
                    win: nodes / chance,
                    loss: nodes / (1.0 - chance),
                }
            }
            State::Inner(children) => {
                let mut work = Work::known(false);
                for &child in children {
                    let child = self.work(child);
                    work.win = work.win.min(child.loss);
                    work.loss += child.win;
                }
                work
            }
        };
        self.works[index] = Some(work);
        work
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::endings::Ending;

    fn tree(states: Vec<State>) -> Tree {
        let start = Ending::parse("4 b X2O/4/4/O2X ?").unwrap().start;
        let mut tree = Tree::default();
        for (index, state) in states.into_iter().enumerate() {
            assert_eq!(
                tree.add(start.clone(), format!("{index}"), state, None),
                index
            );
        }
        tree
    }

    fn open(chance: f64) -> State {
        State::Open(Outlook {
            points: 20,
            chance,
            deep_chances: [None; 2],
        })
    }

    #[test]
    fn the_cheapest_hypotheses_are_chosen_and_replaced() {
        // The root has two moves; after the first the opponent has two replies, after the second one.
        let mut tree = tree(vec![
            State::Inner(vec![1, 2]),
            State::Inner(vec![3, 4]),
            State::Inner(vec![5]),
            open(0.9),
            open(0.9),
            open(0.6),
        ]);
        let prediction = Prediction::default();
        let plan = tree.plan(&prediction);
        // One position to win at 0.6 is cheaper than two at 0.9.
        let tested: Vec<_> = plan.hypotheses.iter().map(|h| (h.node, h.won)).collect();
        assert_eq!((plan.won, tested), (true, vec![(5, true)]));
        // It turns out false: the other two remain.
        tree.set(5, State::Solved(false));
        let mut tested: Vec<_> = tree.plan(&prediction).hypotheses;
        tested.sort_by_key(|h| h.node);
        let tested: Vec<_> = tested.iter().map(|h| (h.node, h.won)).collect();
        assert_eq!(tested, [(3, true), (4, true)]);
        tree.set(3, State::Solved(true));
        assert_eq!(tree.plan(&prediction).result(), None);
        tree.set(4, State::Solved(true));
        assert_eq!(tree.plan(&prediction).result(), Some(true));
    }

    #[test]
    fn a_loss_needs_every_move() {
        let mut tree = tree(vec![State::Inner(vec![1, 2]), open(0.95), open(0.97)]);
        let prediction = Prediction::default();
        let plan = tree.plan(&prediction);
        assert!(!plan.won);
        assert_eq!(plan.hypotheses.len(), 2);
        assert!(plan.hypotheses.iter().all(|h| h.won));
        // The doubtful one comes first.
        assert_eq!(plan.hypotheses[0].node, 1);
        tree.set(1, State::Solved(true));
        tree.set(2, State::Solved(true));
        assert_eq!(tree.plan(&prediction).result(), Some(false));
        // No move at all is a loss.
        tree.set(Tree::ROOT, State::Inner(Vec::new()));
        assert_eq!(tree.plan(&prediction).result(), Some(false));
    }

    #[test]
    fn what_is_cheapest_to_refute_comes_first() {
        // The side to move loses: after the first move because both replies of node 3 win, after the
        // second because there are two moves that win. So one of those may well fail.
        let tree = tree(vec![
            State::Inner(vec![1, 2]),
            State::Inner(vec![3]),
            State::Inner(vec![4, 5]),
            State::Inner(vec![6, 7]),
            open(0.15),
            open(0.15),
            open(0.8),
            open(0.9),
        ]);
        let plan = tree.plan(&Prediction::default());
        let nodes: Vec<_> = plan.hypotheses.iter().map(|h| h.node).collect();
        assert_eq!((plan.won, nodes), (false, vec![6, 7, 4]));
    }

    #[test]
    fn a_position_is_there_once() {
        let mut tree = tree(vec![open(0.5)]);
        let start = tree.node(0).start.clone();
        assert_eq!(
            tree.add(start, "0".to_string(), State::Solved(true), None),
            0
        );
        assert_eq!(tree.node(0).state, open(0.5));
        assert_eq!((tree.find("0"), tree.find("1")), (Some(0), None));
    }
}
