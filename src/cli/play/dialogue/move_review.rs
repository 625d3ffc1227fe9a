//! A review of Tanada's last move, as `tanada analyze` reviews moves.

use std::sync::atomic::Ordering::Relaxed;

use crate::review::{self, MoveReview, ReviewSettings};

use super::super::super::options;
use super::state::Dialogue;

/// A sentence about each move of Tanada's last turn, from longer searches than the moves themselves
/// had. `None` before its first turn, after a signal, or if the game has no record.
pub(super) fn review_of_last_turn(dialogue: &Dialogue) -> Option<String> {
    let player = dialogue.seat()?;
    let mut record = dialogue.engine.game_record()?;
    let last = record.moves.iter().rposition(|mv| mv.seat != player)?;
    let seat = record.moves.get(last)?.seat;
    record.moves.truncate(last + 1);
    let before = record.moves.iter().rposition(|mv| mv.seat != seat);
    let from = before.map_or(0, |number| number + 1);
    let settings = ReviewSettings {
        params: dialogue.params.clone(),
        limits: &|| options::limits(&dialogue.params),
        best: 1,
        line: 1,
    };
    let stop = &dialogue.stop;
    let moves = review::examine_end(&record, from, &settings, &|| stop.load(Relaxed)).ok()?;
    let sentences: Vec<String> = moves.iter().map(sentence).collect();
    // A signal may have come before the first move was judged.
    if sentences.is_empty() {
        return None;
    }
    Some(format!("After a longer search: {}", sentences.join(" ")))
}

fn sentence(mv: &MoveReview) -> String {
    let chance = |value: f64| format!("{:.0} %", 100.0 * value);
    let name = &mv.name;
    let own = match mv.proven {
        Some("win") => format!("{name} wins for certain"),
        Some("loss") => format!("{name} loses for certain"),
        Some(_) => format!("{name} draws for certain"),
        None => format!("{name} gives it {}", chance(mv.value)),
    };
    let better = format!("{} would give {}", mv.best, chance(mv.best_value));
    match (mv.mark, mv.is_sure()) {
        (Some(mark), _) => format!("{own}, {} ({}): {better}.", mark.phrase(), mark.sign()),
        (None, true) => format!("{own}; {better}."),
        (None, false) => format!("{own}, and no move is clearly better."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::Mark;

    fn moved(loss: f64, interval: Option<[f64; 2]>, mark: Option<Mark>) -> MoveReview {
        MoveReview {
            number: 1,
            turn: 1,
            player: 0,
            name: "C3".into(),
            value: 0.6 - loss,
            proven: None,
            best: "D4".into(),
            best_value: 0.6,
            loss,
            loss_interval: interval,
            mark,
            comment: None,
            change: Default::default(),
        }
    }

    #[test]
    fn praise_and_blame_stay_within_what_is_known() {
        let blunder = moved(0.3, Some([0.25, 0.35]), Some(Mark::Blunder));
        let blame = "C3 gives it 30 %, a blunder (??): D4 would give 60 %.";
        assert_eq!(sentence(&blunder), blame);
        let small = moved(0.03, Some([0.02, 0.04]), None);
        assert_eq!(sentence(&small), "C3 gives it 57 %; D4 would give 60 %.");
        // A loss within the noise does not count, but the move is not called the best either.
        for interval in [None, Some([0.0, 0.2])] {
            let noise = sentence(&moved(0.1, interval, None));
            assert_eq!(noise, "C3 gives it 50 %, and no move is clearly better.");
        }
        let lost = MoveReview {
            proven: Some("loss"),
            ..moved(0.6, Some([0.6, 0.6]), Some(Mark::Blunder))
        };
        assert!(sentence(&lost).starts_with("C3 loses for certain, a blunder"));
    }
}
