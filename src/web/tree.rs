//! The moves of a game with variations, as a flat list: nested JSON would be deeper than readers of
//! JSON accept.

use serde::{Deserialize, Serialize};

use super::error::ApiError;
use crate::review;
use crate::util::quote::shorten;
use crate::variant::{GameRecord, MoveCode, RecordedMove, RunningGame, SharedStart, VariationMove};

/// The most nodes of a tree.
const MOST: usize = 20_000;

/// The nodes. The first is the start; every other one comes after its parent. The first child of a
/// node goes on with the main line.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct Tree(Vec<Node>);

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
struct Node {
    parent: Option<usize>,
    #[serde(rename = "move")]
    word: Option<String>,
    comment: Option<String>,
}

/// The children of each node.
struct Children(Vec<Vec<usize>>);

impl Children {
    /// `parents` are those of all nodes but the first.
    fn new(parents: impl Iterator<Item = usize>) -> Self {
        let mut children = vec![Vec::new()];
        for (number, parent) in (1..).zip(parents) {
            children.push(Vec::new());
            if let Some(siblings) = children.get_mut(parent) {
                siblings.push(number);
            }
        }
        Self(children)
    }

    /// A child of a node by its place.
    fn of(&self, node: usize, place: usize) -> Option<usize> {
        self.0.get(node)?.get(place).copied()
    }

    /// The nodes of the main line after the first.
    fn main_line(&self) -> Vec<usize> {
        let first = |&node: &usize| self.of(node, 0);
        std::iter::successors(first(&0), first).collect()
    }

    /// Visits every node but the first, in the order in which a book prints them. `play` plays the move of
    /// a node; what follows a node for which it returns false is left out.
    fn walk<E>(
        &self,
        game: &mut dyn RunningGame,
        mut play: impl FnMut(usize, &mut dyn RunningGame) -> Result<bool, E>,
    ) -> Result<(), E> {
        // Each node on the way to the present one, with the place of its next child.
        let mut way = vec![(0, 0)];
        while let Some((node, place)) = way.pop() {
            let Some(child) = self.of(node, place) else {
                game.undo();
                continue;
            };
            way.push((node, place + 1));
            if play(child, game)? {
                way.push((child, 0));
            }
        }
        Ok(())
    }
}

impl Tree {
    /// The tree of a game with its moves as words, and the number of moves of variations that are illegal.
    /// They are left out with what follows them.
    pub(super) fn of(record: &GameRecord) -> (Self, usize) {
        let main = (0..).zip(&record.moves);
        let variations = record.variations.iter();
        let moves: Vec<(usize, &RecordedMove)> = main
            .chain(variations.map(|each| (each.follows, &each.played)))
            .take(MOST)
            .collect();
        let children = Children::new(moves.iter().map(|&(follows, _)| follows));
        let mut words = vec![None; moves.len() + 1];
        let mut illegal = 0;
        let mut game = review::new_game(&record.start);
        let walked: Result<(), ()> = children.walk(&mut *game, |node, game| {
            let Some((_, played)) = moves.get(node.wrapping_sub(1)) else {
                return Ok(false);
            };
            let is_turn = game.to_move() == played.seat && game.is_legal(played.mv);
            if !is_turn {
                illegal += 1;
                return Ok(false);
            }
            if let Some(word) = words.get_mut(node) {
                *word = Some(game.position().write_moves(&[played.mv]));
            }
            Ok(game.play(played.mv).is_ok())
        });
        debug_assert!(walked.is_ok());
        let mut nodes = vec![Node {
            comment: record.comment.clone(),
            ..Node::default()
        }];
        // Where each kept node went.
        let mut places = vec![Some(0)];
        for ((follows, played), word) in moves.iter().zip(words.into_iter().skip(1)) {
            let parent = places.get(*follows).copied().flatten();
            let (Some(parent), Some(word)) = (parent, word) else {
                places.push(None);
                continue;
            };
            places.push(Some(nodes.len()));
            nodes.push(Node {
                parent: Some(parent),
                word: Some(word),
                comment: played.comment.clone(),
            });
        }
        (Self(nodes), illegal)
    }

    /// The children of each node of a list that came from a page.
    fn children(&self) -> Result<Children, ApiError> {
        if self.0.len() > MOST {
            let count = self.0.len();
            let text = format!("the tree has `{count}` nodes: expected at most {MOST}");
            return Err(ApiError::content(text));
        }
        for (number, node) in self.0.iter().enumerate() {
            let is_right = match (number, node.parent, &node.word) {
                (0, None, None) => true,
                (1.., Some(parent), Some(_)) => parent < number,
                _ => false,
            };
            if !is_right {
                let text = format!(
                    "node {number} of the tree is wrong: expected a start, then moves, each after its parent"
                );
                return Err(ApiError::content(text));
            }
        }
        let parents = self.0.iter().skip(1).filter_map(|node| node.parent);
        Ok(Children::new(parents))
    }

    /// Whether some node has more than one child.
    pub(super) fn has_variations(&self) -> bool {
        let mut parents: Vec<_> = self.0.iter().filter_map(|node| node.parent).collect();
        parents.sort_unstable();
        parents.windows(2).any(|pair| pair.first() == pair.last())
    }

    /// The game with the moves of the tree.
    ///
    /// # Errors
    /// The list is no tree, or a move is illegal.
    pub(super) fn record(&self, start: &SharedStart) -> Result<GameRecord, ApiError> {
        let children = self.children()?;
        let mut played: Vec<Option<RecordedMove>> = vec![None; self.0.len()];
        let mut game = review::new_game(start);
        children.walk(&mut *game, |node, game| {
            let found = self.0.get(node).zip(played.get_mut(node));
            let Some((node_of, slot)) = found else {
                return Ok(false);
            };
            let word = node_of.word.as_deref().unwrap_or_default();
            let code = legal(game, word);
            let code = code.map_err(|why| ApiError::content(format!("node {node}: {why}")))?;
            let seat = game.to_move();
            *slot = Some(RecordedMove {
                comment: node_of.comment(),
                ..RecordedMove::new(seat, code)
            });
            Ok(game.play(code).is_ok())
        })?;
        let main = children.main_line();
        // The numbers that the nodes have in the record.
        let mut numbers = vec![0; self.0.len()];
        let mut is_main = vec![false; self.0.len()];
        for &node in &main {
            if let Some(is_main) = is_main.get_mut(node) {
                *is_main = true;
            }
        }
        let others = (1..).zip(is_main.iter().skip(1));
        let others = others.filter_map(|(node, is_main)| (!is_main).then_some(node));
        let mut order = main.clone();
        order.extend(others);
        let mut record = GameRecord::new(start.clone());
        for (number, &node) in (1..).zip(&order) {
            if let Some(own) = numbers.get_mut(node) {
                *own = number;
            }
            let Some(played) = played.get_mut(node).and_then(Option::take) else {
                continue;
            };
            let parent = self.0.get(node).and_then(|node| node.parent);
            let follows = parent.and_then(|parent| numbers.get(parent).copied());
            if number <= main.len() {
                record.moves.push(played);
            } else if let Some(follows) = follows {
                record.variations.push(VariationMove { follows, played });
            }
        }
        record.comment = self.0.first().and_then(Node::comment);
        Ok(record)
    }
}

impl Node {
    fn comment(&self) -> Option<String> {
        self.comment.clone().filter(|text| !text.is_empty())
    }
}

/// The one legal move that a word stands for.
fn legal(game: &dyn RunningGame, word: &str) -> Result<MoveCode, String> {
    if game.outcome().is_some() {
        return Err("the game is over already".to_string());
    }
    let codes = game.position().read_moves(word)?;
    match codes[..] {
        [code] if game.is_legal(code) => Ok(code),
        _ => {
            let (word, expected) = (shorten(word, 60), game.position().expected_move());
            Err(format!("illegal move `{word}`: expected {expected}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;
    use serde_json::json;

    fn start() -> SharedStart {
        games::default().start(Some(9), None, None).unwrap()
    }

    fn tree(json: serde_json::Value) -> Tree {
        serde_json::from_value(json).unwrap()
    }

    fn forked() -> Tree {
        // The nodes are in the order in which a person made them.
        tree(json!([
            {"parent": null, "move": null, "comment": "start"},
            {"parent": 0, "move": "C2", "comment": null},
            {"parent": 1, "move": "B7", "comment": "main"},
            {"parent": 0, "move": "B3", "comment": "other"},
            {"parent": 1, "move": "C8", "comment": null},
            {"parent": 2, "move": "D2", "comment": null},
            {"parent": 4, "move": "D2", "comment": "deep"},
        ]))
    }

    #[test]
    fn variations_survive_a_record() {
        let record = forked().record(&start()).unwrap();
        assert_eq!((record.moves.len(), record.variations.len()), (3, 3));
        let (again, illegal) = Tree::of(&record);
        assert_eq!(illegal, 0);
        let expected = json!([
            {"parent": null, "move": null, "comment": "start"},
            {"parent": 0, "move": "C2", "comment": null},
            {"parent": 1, "move": "B7", "comment": "main"},
            {"parent": 2, "move": "D2", "comment": null},
            {"parent": 0, "move": "B3", "comment": "other"},
            {"parent": 1, "move": "C8", "comment": null},
            {"parent": 5, "move": "D2", "comment": "deep"},
        ]);
        assert_eq!(again, tree(expected));
        assert_eq!(again.record(&start()).unwrap(), record);
    }

    #[test]
    fn illegal_variations_are_left_out_of_a_game_and_refused_in_a_tree() {
        let mut record = forked().record(&start()).unwrap();
        record.variations[1].played.mv = record.moves[0].mv;
        let (left, illegal) = Tree::of(&record);
        assert_eq!((left.0.len(), illegal), (5, 1));
        let wrong = tree(json!([{}, {"parent": 0, "move": "C2"}, {"parent": 0, "move": "A1"}]));
        let error = wrong.record(&start()).unwrap_err();
        assert!(
            error.text.starts_with("node 2: illegal move `A1`"),
            "{}",
            error.text
        );
    }

    #[test]
    fn lists_that_are_no_trees_are_refused() {
        for (json, part) in [
            (json!([{"parent": 0, "move": null}]), "node 0"),
            (json!([{"move": "C2"}]), "node 0"),
            (json!([{}, {"parent": 1, "move": "C2"}]), "node 1"),
            (json!([{}, {"parent": 0}]), "node 1"),
            (json!([{}, {"move": "C2"}]), "node 1"),
        ] {
            let error = tree(json.clone()).record(&start()).unwrap_err();
            assert!(error.text.contains(part), "{json}: {}", error.text);
        }
        let many: Vec<Node> = vec![Node::default(); MOST + 1];
        assert!(Tree(many).record(&start()).is_err());
        assert!(Tree::default().record(&start()).unwrap().moves.is_empty());
    }

    /// A long line needs no recursion.
    #[test]
    fn deep_trees_are_walked() {
        let game = games::GAMES[1];
        let start = game.start(None, None, None).unwrap();
        let mut running = review::new_game(&start);
        let mut nodes = vec![Node::default()];
        while running.outcome().is_none() {
            let mv = running.legal()[0];
            nodes.push(Node {
                parent: Some(nodes.len() - 1),
                word: Some(running.position().write_moves(&[mv])),
                comment: None,
            });
            running.play(mv).unwrap();
        }
        let tree = Tree(nodes);
        assert_eq!(Tree::of(&tree.record(&start).unwrap()).0, tree);
    }
}
