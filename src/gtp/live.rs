//! What GoGui draws while the engine thinks.

use std::time::Duration;

use crate::engine::Engine;
use crate::play::Code;
use crate::search::Report;

/// Between two pictures.
pub(super) const INTERVAL: Duration = Duration::from_millis(500);

/// Takes the last picture away.
pub(super) const CLEAR: &str = "gogui-gfx: CLEAR\n";

/// Moves of the variation that are drawn at most.
const LONGEST: usize = 12;

/// The picture of what is known: the best variation as numbered stones, each move's part of the
/// visits, and a line of text. The front end knows two colours.
pub(super) fn picture(engine: &Engine, report: &Report<Code>) -> Option<String> {
    let best = report.best()?;
    let (ruleset, players) = (engine.ruleset(), engine.players());
    if players.len() != 2 || engine.stones().is_none() {
        return None;
    }
    let first = players.iter().position(|&seat| seat == engine.to_move())?;
    let seats = players.iter().cycle().skip(first);
    let variation = best.principal_variation.iter().zip(seats).take(LONGEST);
    let stones: Vec<String> = variation
        .map(|(&mv, &seat)| format!("{} {}", ruleset.letter(seat), engine.name(mv)))
        .collect();
    let searched = || report.moves.iter().filter(|found| found.visits > 0);
    // The best move may be chosen for its bound and have fewer than another.
    let most = searched().map(|found| found.visits).max().unwrap_or(1) as f32;
    let parts: Vec<String> = searched()
        .map(|found| {
            format!(
                "{} {:.2}",
                engine.name(found.mv),
                found.visits as f32 / most
            )
        })
        .collect();
    let certainty = if best.proof.is_some() { ", exact" } else { "" };
    Some(format!(
        "gogui-gfx:\nVAR {}\nINFLUENCE {}\nTEXT {} {:.1} %{certainty}, {} visits\n\n",
        stones.join(" "),
        parts.join(" "),
        engine.name(best.mv),
        100.0 * best.value,
        report.visits,
    ))
}

#[cfg(test)]
mod tests {
    use crate::gtp::session::tests::{answer, session};
    use crate::search::Limits;

    #[test]
    fn a_picture_shows_the_variation_in_turn() {
        let mut session = session(9);
        answer(&mut session, "play b B3");
        let engine = session.engine_mut();
        let limits = Limits {
            iterations: Some(300),
            ..Limits::default()
        };
        let mut report = engine.search(&limits, &|| false);
        let picture = super::picture(engine, &report).unwrap();
        let lines: Vec<&str> = picture.split('\n').collect();
        assert_eq!(lines[0], "gogui-gfx:");
        let best = engine.name(report.moves[0].mv);
        assert!(
            lines[1].starts_with(&format!("VAR W {best} B ")),
            "{picture}"
        );
        assert!(lines[2].starts_with(&format!("INFLUENCE {best} 1.00 ")));
        assert!(lines[3].starts_with(&format!("TEXT {best} ")) && lines[3].ends_with(" visits"));
        assert_eq!(lines[4..], ["", ""]);
        // The move that is chosen for its bound need not have the most visits.
        (report.moves[0].visits, report.moves[1].visits) = (5_000, 10_000);
        let picture = super::picture(engine, &report).unwrap();
        assert!(
            picture.contains(&format!("INFLUENCE {best} 0.50 ")),
            "{picture}"
        );
    }

    #[test]
    fn three_players_have_no_picture() {
        let mut session = session(5);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "X...O\n.....\n.....\n.....\nR....\n").unwrap();
        let setup = format!("tanada-setup {}", file.path().display());
        assert_eq!(answer(&mut session, &setup), "= ");
        let engine = session.engine_mut();
        let limits = Limits {
            iterations: Some(9),
            ..Limits::default()
        };
        let report = engine.search(&limits, &|| false);
        assert_eq!(super::picture(engine, &report), None);
    }
}
