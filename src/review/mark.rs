//! Marks of moves by their loss of winning chance.

use serde::Serialize;

/// A loss is reported if the lower end of its interval is at least this.
pub(crate) const CERTAIN_LOSS: f64 = 0.005;

/// A move is marked if the lower end of its interval is at least this, and the mean loss at least
/// [`Mark::least`]. With 0.05 for both, marks would vary from run to run: the interval of a loss of
/// 0.06 sometimes begins above and sometimes below.
pub(crate) const CERTAIN_MISTAKE: f64 = 0.04;

/// How bad a mistake is.
///
/// ```
/// use tanada::Mark;
///
/// assert_eq!(Mark::of(0.15).map(Mark::sign), Some("?"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Mark {
    /// A loss of at least [`Mark::least`], 0.05.
    #[serde(rename = "?!")]
    Doubtful,
    /// A loss of at least 0.1.
    #[serde(rename = "?")]
    Mistake,
    /// A loss of at least 0.2.
    #[serde(rename = "??")]
    Blunder,
}

impl Mark {
    /// All marks, the mildest first.
    pub const ALL: [Mark; 3] = [Mark::Doubtful, Mark::Mistake, Mark::Blunder];

    /// The least loss, the sign, the word and the phrase.
    const fn facts(self) -> (f64, &'static str, &'static str, &'static str) {
        match self {
            Mark::Doubtful => (0.05, "?!", "doubtful", "a doubtful move"),
            Mark::Mistake => (0.1, "?", "mistake", "a mistake"),
            Mark::Blunder => (0.2, "??", "blunder", "a blunder"),
        }
    }

    /// The least loss of winning chance with this mark, 0 to 1.
    pub const fn least(self) -> f64 {
        self.facts().0
    }

    /// The mark of a loss, if it has one.
    pub fn of(loss: f64) -> Option<Mark> {
        Mark::ALL.into_iter().rfind(|mark| loss >= mark.least())
    }

    /// The mark of a loss with its interval: only if it is beyond the noise of the search.
    pub(crate) fn beyond_noise(loss: f64, interval: Option<LossInterval>) -> Option<Mark> {
        let is_certain = interval.is_some_and(|i| i.low >= CERTAIN_MISTAKE);
        Mark::of(loss).filter(|_| is_certain)
    }

    /// The mark as in game records: `?!`, `?`, `??`.
    pub const fn sign(self) -> &'static str {
        self.facts().1
    }

    pub const fn word(self) -> &'static str {
        self.facts().2
    }

    /// The mark as a phrase about a move.
    pub const fn phrase(self) -> &'static str {
        self.facts().3
    }
}

/// The 95 % interval of a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LossInterval {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Searches after each of the two moves; 0 if both are exact.
    pub(crate) searches: usize,
}

impl LossInterval {
    /// Whether more searches may decide whether the move is marked.
    pub(crate) fn is_open(&self) -> bool {
        let least = Mark::Doubtful.least();
        self.low < least && self.high >= least
    }
}

/// The loss of a move: best value minus own value, at least 0.
pub(crate) fn loss(best: f64, played: f64) -> f64 {
    rounded((best - played).max(0.0))
}

/// Rounds a chance to four decimals.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// The numbers, from 1, of the marked moves by descending loss; of equal losses the earlier comes
/// first.
pub(crate) fn largest_first(moves: &[(f64, Option<Mark>)]) -> Vec<usize> {
    let is_marked = |number: &usize| moves[number - 1].1.is_some();
    let mut marked: Vec<usize> = (1..=moves.len()).filter(is_marked).collect();
    // The sort is stable.
    marked.sort_by(|a, b| moves[b - 1].0.total_cmp(&moves[a - 1].0));
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_begin_at_their_thresholds() {
        let [doubtful, mistake, blunder] = Mark::ALL.map(Some);
        for (least, greatest, mark) in [
            (0.0, 0.0499, None),
            (0.05, 0.0999, doubtful),
            (0.1, 0.1999, mistake),
            (0.2, 1.0, blunder),
        ] {
            assert_eq!([least, greatest].map(Mark::of), [mark; 2]);
        }
    }

    #[test]
    fn losses_are_never_negative() {
        assert_eq!(loss(0.6, 0.5), 0.1);
        assert_eq!(loss(0.5, 0.6), 0.0);
        assert_eq!(
            largest_first(&[0.04, 0.3, 0.05, 0.3, 0.9, 0.0].map(|loss| (loss, Mark::of(loss)))),
            [5, 2, 4, 3]
        );
    }
}
