//! Commands that show the evaluation of every move and the result of the last search.

use super::call::{Call, Reply, done};
use super::gfx::{AMOUNT, CHANCE, Gfx, percent, short};
use super::gogui::stones;
use super::parse::GtpError;
use super::session::{LastReport, Session};
use crate::board::Point;
use crate::engine::{Engine, Event};
use crate::game::{Outcome, Seat};
use crate::params::{Leaf, Params};
use crate::search::{MoveReport, SearchLimits};
use crate::variant::{MoveCode, Stones};

/// A second engine at the position after `events` events. It leaves the session's tree alone.
fn fork(session: &Session, events: usize) -> Engine {
    let params = Params {
        leaf: Leaf::Linear,
        evaluation_noise: 0.0,
        threads: 1,
        memory: 1,
        // Evaluations are wanted, not exact results.
        solve_points: 0,
        ..session.engine().params().clone()
    };
    session.engine().fork(params, events)
}

/// The evaluation of every legal move, best first: the winning chance, 0 to 1, that it gives to
/// the side to move.
fn evaluation(session: &Session) -> Vec<(MoveCode, f32)> {
    let mut engine = fork(session, session.engine().events().len());
    let report = engine.search(&SearchLimits::of_iterations(1), &|| false);
    let chance = |found: &MoveReport<MoveCode>| {
        let initial = found.initial_value.filter(|_| found.proof.is_none());
        initial.unwrap_or(found.value)
    };
    let moves = report.moves.iter().map(|found| (found.mv, chance(found)));
    let mut moves: Vec<(MoveCode, f32)> = moves.collect();
    moves.sort_by(|a, b| b.1.total_cmp(&a.1));
    moves
}

pub(super) fn evaluation_list(session: &mut Session, _: &Call<'_>) -> Reply {
    let engine = session.engine();
    let lines: Vec<String> = evaluation(session)
        .into_iter()
        .map(|(code, chance)| format!("{} {chance:.4}", engine.name(code)))
        .collect();
    Ok(lines.join("\n").into())
}

pub(super) fn names(engine: &Engine, variation: &[MoveCode]) -> String {
    let names = variation.iter().map(|&code| engine.name(code));
    names.collect::<Vec<_>>().join(" ")
}

/// The point that a move is on.
pub(super) fn point(stones: &dyn Stones, code: MoveCode) -> Option<Point> {
    let mut points = stones.size().points();
    points.find(|&p| MoveCode::from(p) == code)
}

pub(super) fn evaluation_gfx(session: &mut Session, _: &Call<'_>) -> Reply {
    let stones = stones(session)?;
    let moves: Vec<(Point, f32)> = evaluation(session)
        .into_iter()
        .filter_map(|(code, chance)| Some((point(stones, code)?, chance)))
        .collect();
    let mut gfx = Gfx::new(stones.size());
    gfx.shares(CHANCE, moves.iter().copied());
    gfx.values("LABEL", moves.iter().map(|&(p, share)| (p, percent(share))));
    // Rounded numbers may be equal, so the best move is marked.
    gfx.points("CIRCLE", moves.first().map(|&(p, _)| p));
    Ok(gfx.finish().into())
}

fn last(session: &Session) -> Result<&LastReport, GtpError> {
    session.last_report.as_ref().ok_or_else(no_search)
}

pub(super) fn no_search() -> GtpError {
    GtpError::Other("no search in this game yet".into())
}

/// What is known of a move before its first visit: ` prior` or ` initialValue` and the number. Empty
/// if the search has neither.
pub(super) fn before_search(
    found: &MoveReport<MoveCode>,
    number: impl Fn(f32) -> String,
) -> String {
    let prior = found.prior.map(|prior| ("prior", prior));
    let known = prior.or(found.initial_value.map(|value| ("initialValue", value)));
    known.map_or(String::new(), |(name, value)| {
        format!(" {name} {}", number(value))
    })
}

/// The proven result of a move for `seat`.
pub(super) fn proof(seat: Seat, found: &MoveReport<MoveCode>) -> Option<&'static str> {
    Some(match found.proof? {
        Outcome::Winner(winner) if winner == seat => "won",
        Outcome::Winner(_) => "lost",
        Outcome::Draw => "drawn",
    })
}

pub(super) fn last_moves(session: &mut Session, _: &Call<'_>) -> Reply {
    let found = last(session)?;
    let engine = fork(session, found.events);
    let seat = engine.to_move();
    let lines: Vec<String> = found
        .report
        .listed()
        .map(|m| {
            let variation = names(&engine, &m.principal_variation);
            let result = proof(seat, m).map_or(String::new(), |word| format!(" {word}"));
            let name = engine.name(m.mv);
            let (value, visits) = (m.value, m.visits);
            let before = before_search(m, |number| format!("{number:.4}"));
            format!("{name} value {value:.4} visits {visits}{before}{result} pv {variation}")
        })
        .collect();
    Ok(lines.join("\n").into())
}

/// The listed moves of a search, with their points.
fn on_points<'a>(
    found: &'a LastReport,
    stones: &dyn Stones,
) -> Vec<(Point, &'a MoveReport<MoveCode>)> {
    let listed = found.report.listed();
    listed
        .filter_map(|m| Some((point(stones, m.mv)?, m)))
        .collect()
}

pub(super) fn visits_gfx(session: &mut Session, _: &Call<'_>) -> Reply {
    let stones = stones(session)?;
    let moves = on_points(last(session)?, stones);
    let visits = moves.iter().map(|(_, m)| m.visits);
    let most = visits.max().unwrap_or(0).max(1);
    let mut gfx = Gfx::new(stones.size());
    let share = |m: &MoveReport<MoveCode>| m.visits as f32 / most as f32;
    gfx.shares(AMOUNT, moves.iter().map(|&(p, m)| (p, share(m))));
    gfx.values("LABEL", moves.iter().map(|&(p, m)| (p, short(m.visits))));
    Ok(gfx.finish().into())
}

pub(super) fn values_gfx(session: &mut Session, _: &Call<'_>) -> Reply {
    let stones = stones(session)?;
    let found = last(session)?;
    let seat = fork(session, found.events).to_move();
    let moves = on_points(found, stones);
    let mut gfx = Gfx::new(stones.size());
    gfx.shares(CHANCE, moves.iter().map(|&(p, m)| (p, m.value)));
    let label =
        |m: &MoveReport<MoveCode>| proof(seat, m).map_or_else(|| percent(m.value), str::to_string);
    gfx.values("LABEL", moves.iter().map(|&(p, m)| (p, label(m))));
    Ok(gfx.finish().into())
}

pub(super) fn variation(session: &mut Session, _: &Call<'_>) -> Reply {
    let found = last(session)?;
    let mut engine = fork(session, found.events);
    // Moves of the variation that were played since are left out; another line ends it.
    let events = session.engine().events();
    let since = events.get(found.events..).unwrap_or_default();
    let best = found.report.best().ok_or(GtpError::IllegalMove)?;
    let line = &best.principal_variation;
    let agrees = |((_, event), &code): (&(_, Event), _)| *event == Event::Move(code);
    if since.len() > line.len() || !since.iter().zip(line).all(agrees) {
        let text = "the game has left the principal variation of the last search";
        return Err(GtpError::Other(text.into()));
    }
    let old = since.len();
    let mut words = Vec::new();
    for (number, &code) in line.iter().enumerate() {
        let letter = engine.variant().letter(engine.to_move());
        let name = engine.name(code);
        if engine.play(code).is_err() {
            break;
        }
        if number >= old {
            words.push(format!("{letter} {name}"));
        }
    }
    Ok(words.join(" ").into())
}

pub(super) fn explain_last_move(session: &mut Session, _: &Call<'_>) -> Reply {
    let found = session.last_report.as_ref();
    let Some((found, best)) = found.and_then(|found| Some((found, found.report.best()?))) else {
        return done();
    };
    let engine = fork(session, found.events);
    let seat = engine.to_move();
    let described = |m: &MoveReport<MoveCode>| match proof(seat, m) {
        Some(word) => format!("{} {word}", engine.name(m.mv)),
        None => {
            let (name, chance) = (engine.name(m.mv), 100.0 * m.value);
            format!("{name} {chance:.1} % after {} visits", m.visits)
        }
    };
    let report = &found.report;
    let mut lines = vec![format!(
        "{}: {}, {} iterations in {:.2} s",
        engine.variant().colour(seat),
        described(best),
        report.iterations,
        report.elapsed.as_secs_f64()
    )];
    let variation = names(&engine, &best.principal_variation);
    lines.push(format!("variation: {variation}"));
    let others = report.listed().filter(|m| m.mv != best.mv).take(3);
    let others: Vec<String> = others.map(described).collect();
    if !others.is_empty() {
        lines.push(format!("others: {}", others.join(", ")));
    }
    Ok(lines.join("\n").into())
}

#[cfg(test)]
mod tests {
    use crate::gtp::session::tests::{play_out, session, session_of};

    const LAST: [&str; 4] = [
        "tanada-last_moves",
        "tanada-visits_gfx",
        "tanada-values_gfx",
        "tanada-variation",
    ];

    #[test]
    fn every_legal_move_is_evaluated_and_nothing_is_disturbed() {
        let mut other = session(9);
        let mut session = session(9);
        for lines in [0, 7] {
            for _ in 0..lines {
                for session in [&mut session, &mut other] {
                    let side = session.answer("gogui-rules_side_to_move");
                    session.answer(format!("genmove {}", side.trim_start_matches("= ")));
                }
            }
            let list = session.answer("tanada-evaluation");
            let mut names = Vec::new();
            let mut before = 1.0;
            for line in list.trim_start_matches("= ").lines() {
                let (name, chance) = line.split_once(' ').unwrap();
                let chance: f32 = chance.parse().unwrap();
                assert!((0.0..=before).contains(&chance), "{list}");
                before = chance;
                names.push(name.to_string());
            }
            let gfx = session.answer("tanada-evaluation_gfx");
            let lines = || gfx.trim_start_matches("= ").lines();
            let coloured = lines().filter(|line| line.starts_with("COLOR #"));
            let coloured: usize = coloured.map(|line| line.split(' ').count() - 2).sum();
            let labels = lines().find(|line| line.starts_with("LABEL ")).unwrap();
            let labelled = labels.split(' ').count() / 2;
            assert_eq!((coloured, labelled), (names.len(), names.len()), "{gfx}");
            assert!(gfx.ends_with(&format!("\nCIRCLE {}", names[0])), "{gfx}");
            session.check("tanada-evaluation", list);
            let mut legal = session.engine().legal().into_iter();
            assert_eq!(legal.len(), names.len());
            assert!(legal.all(|code| names.contains(&session.engine().name(code))));
        }
        // Later searches are the same as without these commands.
        for line in ["genmove w", "genmove b", "genmove w"] {
            assert_eq!(session.answer(line), other.answer(line));
        }
        play_out(&mut session);
        session.accept("tanada-evaluation; tanada-evaluation_gfx");
    }

    #[test]
    fn a_move_that_wins_is_evaluated_as_won() {
        let mut session = session(4);
        session.check("gogui-setup b A4 b B4 b C4 b D4 w D3 b C3 b C2", "= ");
        session.check_start("tanada-evaluation", "= D2 1.0000\n");
        session.check("genmove b", "= D2");
        let values = session.answer("tanada-values_gfx");
        assert_eq!(values.lines().last(), Some("LABEL D2 won C1 won"));
        session.check_start("tanada-last_moves", "= D2 value 1.0000 ");
        session.check_start("gomill-explain_last_move", "= black: D2 won, ");
    }

    #[test]
    fn what_a_search_found_is_told_until_its_position_is_taken_back() {
        let mut session = session(9);
        let none = "? no search in this game yet";
        session.check(LAST.join("; "), none);
        session.accept("gomill-explain_last_move; tanada-param iterations 200; play b B3");
        let played = session.answer("genmove w");
        let played = played.trim_start_matches("= ");
        let [moves, visits, values, variation] = LAST.map(|line| session.answer(line));
        assert!(
            moves.starts_with(&format!("= {played} value 0.")),
            "{moves}"
        );
        assert!(visits.starts_with("= COLOR #") && visits.contains("\nLABEL "));
        // The most visited move has the strongest colour and a label, too.
        assert!(visits.contains("\nCOLOR #20b020 "), "{visits}");
        assert!(!visits.contains("INFLUENCE"), "{visits}");
        assert!(values.contains(&format!(" {played} ")), "{values}");
        // The move is on the board, so the variation begins after it.
        let shown: Vec<&str> = variation.split(' ').collect();
        assert_eq!(shown[..2], ["=", "B"]);
        assert!(!variation.contains(&format!("W {played}")), "{variation}");
        let (_, line) = moves.lines().next().unwrap().split_once(" pv ").unwrap();
        assert_eq!(shown.len(), 1 + 2 * (line.split(' ').count() - 1));
        let why = session.answer("gomill-explain_last_move");
        assert!(why.starts_with(&format!("= white: {played} ")), "{why}");
        assert!(why.contains(" visits, 200 iterations in ") && why.contains("\nvariation: "));
        session.check("undo", "= ");
        session.check(LAST[0], moves);
        session.check_start("tanada-variation", format!("= W {played} B "));
        session.check("undo", "= ");
        session.check(LAST.join("; "), none);
        session.answer("genmove b");
        session.check("clear_board", "= ");
        session.check(LAST[0], none);
    }

    #[test]
    fn other_games_have_the_lists() {
        let mut session = session_of("taratibu");
        let list = session.answer("tanada-evaluation");
        assert_eq!(list.lines().count(), session.engine().legal().len());
        session.answer("genmove w");
        assert!(session.answer("tanada-last_moves").contains(" pv "));
        session.check("tanada-visits_gfx", "? unknown command");
        session.check_start("gomill-explain_last_move", "= white: ");
    }
}
