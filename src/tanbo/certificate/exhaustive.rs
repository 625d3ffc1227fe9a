//! Who wins, found by trying everything.

use std::collections::HashMap;

use super::bits::{Points, Rules, Stones};

/// Whether the side to move wins; `known` holds what was found before on this board.
pub(super) fn wins(
    rules: &Rules<u64>,
    stones: Stones<u64>,
    known: &mut HashMap<Stones<u64>, bool>,
) -> bool {
    if stones.own == 0 || stones.other == 0 {
        return stones.other == 0;
    }
    if let Some(&won) = known.get(&stones) {
        return won;
    }
    let mut moves = rules.legal(stones.own, stones.other).each();
    let won = moves.any(|at| !wins(rules, rules.play(stones, at), known));
    known.insert(stones, won);
    won
}
