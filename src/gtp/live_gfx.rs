//! The graphics that GoGui shows while the engine thinks.

use std::time::Duration;

use super::gfx::{AMOUNT, Gfx, short};
use super::search_info;
use crate::board::Point;
use crate::engine::Engine;
use crate::search::Report;
use crate::variant::MoveCode;

/// The time between two pictures.
pub(super) const INTERVAL: Duration = Duration::from_millis(500);

/// Removes the last picture.
pub(super) const CLEAR: &str = "gogui-gfx: CLEAR\n";

/// The most moves of the variation that are drawn.
const LONGEST: usize = 12;

/// A move needs at least this share of the largest number of visits to be drawn.
const LEAST_SHARE: f32 = 0.01;

/// The picture of a report: the principal variation as numbered stones, the visits of the moves as
/// colours and labels, and a line of text. GoGui knows two colours of stones, so a game of more
/// players has no picture.
pub(super) fn picture(engine: &Engine, report: &Report<MoveCode>) -> Option<String> {
    let best = report.best()?;
    let (variant, players) = (engine.variant(), engine.players());
    if players.len() != 2 {
        return None;
    }
    let stones = engine.stones()?;
    let first = players.iter().position(|&seat| seat == engine.to_move())?;
    let seats = players.iter().cycle().skip(first);
    let variation = best.principal_variation.iter().zip(seats).take(LONGEST);
    let variation: Vec<(char, Point)> = variation
        .filter_map(|(&mv, &seat)| Some((variant.letter(seat), search_info::point(stones, mv)?)))
        .collect();
    let searched = report.moves.iter().filter(|found| found.visits > 0);
    // The best move is chosen by its lower confidence bound, so another may have more visits.
    let most = searched.clone().map(|found| found.visits).max()? as f32;
    let visits: Vec<(Point, u32)> = searched
        .filter(|found| found.visits as f32 >= LEAST_SHARE * most)
        .filter_map(|found| Some((search_info::point(stones, found.mv)?, found.visits)))
        .collect();
    let mut gfx = Gfx::new(stones.size());
    gfx.variation(variation.iter().copied());
    gfx.shares(AMOUNT, visits.iter().map(|&(p, n)| (p, n as f32 / most)));
    // The first move shows its label instead of its number, later moves show their numbers.
    let later = variation.get(1..).unwrap_or_default();
    let is_free = |point: &Point| later.iter().all(|(_, other)| other != point);
    let labels = visits.iter().filter(|(point, _)| is_free(point));
    gfx.values("LABEL", labels.map(|&(p, n)| (p, short(n))));
    let colour = variant.colour(engine.to_move());
    let exact = if best.proof.is_some() { ", exact" } else { "" };
    gfx.text(&format!(
        "{}: {:.1} % for {colour}{exact}, {} visits",
        engine.name(best.mv),
        100.0 * best.value,
        report.visits,
    ));
    Some(format!("gogui-gfx:\n{}\n\n", gfx.finish()))
}

#[cfg(test)]
mod tests {
    use crate::gtp::session::tests::session;
    use crate::search::SearchLimits;

    #[test]
    fn a_picture_shows_the_variation_in_turn() {
        let mut session = session(9);
        session.check("play b B3", "= ");
        let engine = session.engine_mut();
        let mut report = engine.search(&SearchLimits::of_iterations(300), &|| false);
        let picture = super::picture(engine, &report).unwrap();
        let lines: Vec<&str> = picture.split('\n').collect();
        assert_eq!(lines[0], "gogui-gfx:");
        let best = engine.name(report.moves[0].mv);
        let line = |start: &str| *lines.iter().find(|line| line.starts_with(start)).unwrap();
        assert!(
            lines[1].starts_with(&format!("VAR W {best} B ")),
            "{picture}"
        );
        let mut strongest = line("COLOR #20b020 ").split(' ');
        assert!(strongest.any(|word| word == best), "{picture}");
        assert!(line("LABEL ").contains(&format!(" {best} ")), "{picture}");
        let text = line(&format!("TEXT {best}: "));
        assert!(
            text.contains(" % for white, ") && text.ends_with(" visits"),
            "{picture}"
        );
        assert!(picture.ends_with(&format!("{text}\n\n")));
        // The best move need not have the most visits.
        (report.moves[0].visits, report.moves[1].visits) = (31_021, 62_042);
        let picture = super::picture(engine, &report).unwrap();
        assert!(picture.contains(&format!("LABEL {best} 31k")), "{picture}");
        assert!(picture.contains(&format!("#98e070 {best}\n")), "{picture}");
    }

    #[test]
    fn three_players_have_no_picture() {
        let mut session = session(5);
        session.accept("tanada-position X...O/...../...../...../R....");
        let engine = session.engine_mut();
        let report = engine.search(&SearchLimits::of_iterations(9), &|| false);
        assert_eq!(super::picture(engine, &report), None);
    }
}
