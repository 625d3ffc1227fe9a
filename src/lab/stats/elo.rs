//! Elo differences and expected scores.

/// The Elo difference of an expected score: `400 log10(score / (1 - score))`. It is infinite at 0
/// and 1 and beyond.
///
/// A. E. Elo, "The Rating of Chessplayers, Past and Present" (1978), with the logistic curve of 400
/// points for a factor of ten in the odds.
pub(crate) fn elo_from_score(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score.log10() - (1.0 - score).log10())
}

/// The expected score at an Elo difference: `1 / (1 + 10^(-elo / 400))`.
pub(crate) fn score_from_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_points() {
        assert_eq!(elo_from_score(0.5), 0.0);
        assert!((elo_from_score(0.75) - 190.848_501_9).abs() < 1e-6);
        assert!((elo_from_score(10.0 / 11.0) - 400.0).abs() < 1e-9);
        assert!((score_from_elo(100.0) - 0.640_065).abs() < 1e-6);
        assert!((score_from_elo(-200.0) - 0.240_253).abs() < 1e-6);
    }

    #[test]
    fn there_and_back() {
        for i in -40..=40 {
            let elo = f64::from(i) * 20.0;
            assert!((elo_from_score(score_from_elo(elo)) - elo).abs() < 1e-9);
        }
    }

    #[test]
    fn the_ends_are_infinite() {
        assert_eq!(elo_from_score(1.0), f64::INFINITY);
        assert_eq!(elo_from_score(0.0), f64::NEG_INFINITY);
        assert_eq!(elo_from_score(1.2), f64::INFINITY);
        assert_eq!(score_from_elo(f64::INFINITY), 1.0);
        assert_eq!(score_from_elo(f64::NEG_INFINITY), 0.0);
    }
}
