//! Commands that show the search while it runs, in the formats of Leela Zero (`lz-`) and KataGo
//! (`kata-`): analysis until the next line, and moves with their analysis. `registry.rs` registers
//! them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::call::{Answer, Call, Reply, Signal, done, shorten};
use super::genmove::{move_of, seat};
use super::paced_search::{SearchObserver, paced_search};
use super::parse::{GtpError, parse_float, parse_integer};
use super::search_info::{before_search, names, proof};
use super::session::Session;
use super::turn_budget::MoveBudget;
use crate::engine::{Engine, NothingLeft};
use crate::search::{Report, SearchLimits};
use crate::variant::MoveCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Integers from 0 to 10000.
    Leela,
    /// Decimals from 0 to 1.
    Kata,
}

struct Request {
    interval: Duration,
    max_moves: usize,
    root_info: bool,
    root_moves: Option<Arc<[u16]>>,
}

/// Ends pondering. The line itself has ended an analysis.
pub(super) fn stop(session: &mut Session, _: &Call<'_>) -> Reply {
    session.allow_pondering(false);
    done()
}

pub(super) fn analyze(session: &mut Session, call: &Call<'_>, dialect: Dialect) -> Reply {
    let request = request(session.engine(), call.arguments)?;
    begin(call);
    let (signal, has_news) = (call.control.signal, call.control.has_news);
    let stop = || signal() != Signal::GoOn || has_news();
    let budget = MoveBudget {
        limits: SearchLimits {
            root_moves: request.root_moves.clone(),
            plain_root: true,
            ..SearchLimits::default()
        },
        pace: None,
    };
    let mut send = sender(call, dialect, &request);
    let mut send = |engine: &Engine, report: &Report<MoveCode>| {
        if !has_news() {
            send(engine, report);
        }
    };
    // A search ends by itself once its result is certain.
    while !stop() {
        let begin = Instant::now();
        let mut observer = SearchObserver {
            interval: request.interval,
            show: &mut send,
        };
        paced_search(session.engine_mut(), &budget, &stop, Some(&mut observer));
        while !stop() && begin.elapsed() < request.interval {
            let left = request.interval.saturating_sub(begin.elapsed());
            std::thread::sleep(left.min(Duration::from_millis(2)));
        }
    }
    Ok(match signal() {
        Signal::Abandon => Answer::Abandoned,
        _ => Answer::Rest("\n".into()),
    })
}

pub(super) fn genmove_analyze(session: &mut Session, call: &Call<'_>, dialect: Dialect) -> Reply {
    let seat = seat(session, call)?;
    let request = request(session.engine(), call.arguments)?;
    begin(call);
    let mut observer = SearchObserver {
        interval: request.interval,
        show: &mut sender(call, dialect, &request),
    };
    let found = move_of(session, seat, call, Some(&mut observer))?;
    Ok(found.map_or(Answer::Abandoned, |word| {
        Answer::Rest(format!("play {word}\n\n"))
    }))
}

/// Sends the first line of an answer that is sent in parts.
fn begin(call: &Call<'_>) {
    let id = call.id.map(|id| id.to_string());
    (call.control.send)(&format!("={}\n", id.unwrap_or_default()));
}

/// A function that sends a line for each report.
fn sender<'a>(
    call: &'a Call<'_>,
    dialect: Dialect,
    request: &'a Request,
) -> impl FnMut(&Engine, &Report<MoveCode>) + 'a {
    move |engine, report| {
        if !report.moves.is_empty() {
            (call.control.send)(&(info(engine, report, dialect, request) + "\n"));
        }
    }
}

/// The line for a report: a block for each move, best first, with `pv` at its end.
fn info(engine: &Engine, report: &Report<MoveCode>, dialect: Dialect, request: &Request) -> String {
    let listed = report.listed().enumerate().take(request.max_moves);
    let blocks = listed.map(|(order, found)| {
        let number = |value: f32| match dialect {
            Dialect::Leela => format!("{}", (10_000.0 * value).round() as u32),
            Dialect::Kata => format!("{value:.6}"),
        };
        let score = match dialect {
            Dialect::Leela => "",
            // There is no score; clients of KataGo expect the field.
            Dialect::Kata => " scoreLead 0",
        };
        let searched = found.symmetry_of.filter(|_| dialect == Dialect::Kata);
        let symmetry_of = searched
            .map(|searched| format!(" isSymmetryOf {}", engine.name(searched)))
            .unwrap_or_default();
        let proof = proof(engine.to_move(), found)
            .map(|word| format!(" proof {word}"))
            .unwrap_or_default();
        format!(
            "info move {} visits {} winrate {}{score}{} lcb {}{symmetry_of} order {order}{proof} pv {}",
            engine.name(found.mv),
            found.visits,
            number(found.value),
            before_search(found, number),
            number(found.wilson_lower_bound()),
            names(engine, &found.principal_variation),
        )
    });
    let mut line = blocks.collect::<Vec<_>>().join(" ");
    if request.root_info {
        let value = report.best().map_or(0.0, |best| best.value);
        line += &format!(" rootInfo visits {} winrate {value:.6}", report.visits);
    }
    line
}

/// Reads the arguments: a colour, the interval in hundredths of a second, then keys with values.
/// An unknown key is skipped together with one value.
fn request(engine: &Engine, words: &[String]) -> Result<Request, GtpError> {
    let mut request = Request {
        interval: Duration::from_secs(1),
        max_moves: usize::MAX,
        root_info: false,
        root_moves: None,
    };
    let mut words = words.iter().map(String::as_str).peekable();
    if let Some(seat) = words.peek().and_then(|word| engine.variant().seat(word)) {
        if !engine.is_over() && seat != engine.to_move() {
            return Err(GtpError::WrongColor);
        }
        words.next();
    }
    if let Some(number) = words.peek().and_then(|word| parse_float(word).ok()) {
        request.interval = interval(number)?;
        words.next();
    }
    let mut avoided: Vec<MoveCode> = Vec::new();
    let mut allowed: Vec<MoveCode> = Vec::new();
    while let Some(key) = words.next() {
        let mut value = || words.next().ok_or(GtpError::SyntaxError);
        match key {
            "interval" => request.interval = interval(parse_float(value()?)?)?,
            "maxmoves" => request.max_moves = parse_integer(value()?)?.max(1) as usize,
            "minmoves" => {
                parse_integer(value()?)?;
            }
            "rootInfo" => {
                let word = value()?;
                request.root_info = word.parse().map_err(|_| {
                    let (word, expected) = (shorten(word), "expected true or false");
                    GtpError::Other(format!("invalid value `{word}` for `rootInfo`: {expected}"))
                })?;
            }
            "avoid" | "allow" => {
                let (colour, moves, depth) = (value()?, value()?, value()?);
                parse_integer(depth)?;
                let seat = engine.variant().seat(colour).ok_or(GtpError::SyntaxError)?;
                let codes = codes(engine, moves)?;
                if seat == engine.to_move() {
                    let list = if key == "avoid" {
                        &mut avoided
                    } else {
                        &mut allowed
                    };
                    list.extend(codes);
                }
            }
            _ => {
                words.next();
            }
        }
    }
    if !(avoided.is_empty() && allowed.is_empty()) {
        let is_left = |code: &MoveCode| {
            !avoided.contains(code) && (allowed.is_empty() || allowed.contains(code))
        };
        request.root_moves = engine.root_moves_where(is_left).map_err(|NothingLeft| {
            GtpError::Other("`avoid` and `allow` leave no legal move".into())
        })?;
    }
    Ok(request)
}

/// The moves of a comma-separated list, of a turn its first move. `pass` is skipped: it is never a
/// legal move.
fn codes(engine: &Engine, words: &str) -> Result<Vec<MoveCode>, GtpError> {
    let words = words.split(',');
    let words = words.filter(|word| !word.eq_ignore_ascii_case("pass"));
    let first = |word: &str| match engine.notation().read_moves(word) {
        Ok(moves) => moves.first().copied().map(Ok),
        Err(_) => Some(Err(GtpError::SyntaxError)),
    };
    words.filter_map(first).collect()
}

/// Reads hundredths of a second, limited to the range from one of them to a day.
fn interval(hundredths: f64) -> Result<Duration, GtpError> {
    if hundredths < 0.0 {
        return Err(GtpError::SyntaxError);
    }
    let hundredths = hundredths.clamp(1.0, 8_640_000.0);
    Ok(Duration::from_secs_f64(hundredths / 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::session::tests::session;
    use crate::gtp::{Control, Response};
    use std::cell::RefCell;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    /// Executes a line until `lines` lines were sent. Returns all that was sent, and the response.
    fn execute(session: &mut Session, line: &str, lines: u32) -> (String, Response) {
        let sent = RefCell::new(String::new());
        let count = AtomicU32::new(0);
        let control = Control {
            has_news: &|| count.load(Relaxed) >= lines,
            send: &|text| {
                sent.borrow_mut().push_str(text);
                count.fetch_add(1, Relaxed);
            },
            ..Control::new(Instant::now(), &|| Signal::GoOn)
        };
        let response = session.execute(line.as_bytes(), &control);
        (sent.into_inner(), response)
    }

    /// The keys and the values of each move in a line, up to `pv` and its first move.
    fn blocks(line: &str) -> impl Iterator<Item = (Vec<&str>, Vec<&str>)> {
        let blocks = line.strip_prefix("info ").unwrap().split(" info ");
        blocks.map(|block| {
            let words: Vec<&str> = block.split(' ').collect();
            let pairs = words.chunks_exact(2).map(|pair| (pair[0], pair[1]));
            let end = words.iter().position(|word| *word == "pv").unwrap() / 2;
            pairs.take(end + 1).unzip()
        })
    }

    #[test]
    fn lines_come_at_intervals_until_news() {
        for (name, score) in [("lz", ""), ("kata", "scoreLead ")] {
            let expected = format!("move visits winrate {score}prior lcb order pv");
            let mut session = session(9);
            let (sent, response) = execute(&mut session, &format!("12 {name}-analyze b 1"), 4);
            assert_eq!(response.text.as_deref(), Some("\n"));
            let lines: Vec<&str> = sent.lines().collect();
            assert_eq!((lines.len(), lines[0]), (4, "=12"));
            for line in &lines[1..] {
                // The first move has twins.
                let twins = blocks(line).filter(|(keys, _)| keys.contains(&"isSymmetryOf"));
                assert_eq!(twins.count() > 0, name == "kata", "{line}");
                for (place, (keys, values)) in blocks(line).enumerate() {
                    let keys = keys.join(" ").replace("isSymmetryOf ", "");
                    assert_eq!(keys, expected, "{line}");
                    let [.., order, first] = values[..] else {
                        panic!("{line}");
                    };
                    assert_eq!((values[0], order), (first, &*place.to_string()));
                    let value: f64 = values[2].parse().unwrap();
                    let most = if name == "lz" { 10_000.0 } else { 1.0 };
                    assert!((0.0..=most).contains(&value));
                    assert_eq!(values[2].contains('.'), name == "kata");
                }
            }
            assert!(session.engine().events().is_empty(), "nothing is played");
        }
    }

    #[test]
    fn a_prior_and_an_initial_value_are_two_fields() {
        for (preset, field) in [
            ("network", Some("prior")),
            ("linear", Some("initialValue")),
            ("playout", None),
            ("greedy", None),
        ] {
            let mut session = session(9);
            session.check(format!("tanada-param preset {preset}"), "= ");
            session.check_start("genmove b", "= ");
            let last = session.answer("tanada-last_moves");
            let (sent, _) = execute(&mut session, "kata-analyze w 1", 2);
            for line in [last.lines().next().unwrap(), sent.lines().nth(1).unwrap()] {
                for name in ["prior", "initialValue"] {
                    let told = line.contains(&format!(" {name} 0."));
                    assert_eq!(told, field == Some(name), "{preset}: {line}");
                }
            }
        }
    }

    #[test]
    fn a_line_that_waits_already_ends_it_at_once() {
        let mut session = session(9);
        let (sent, response) = execute(&mut session, "lz-analyze 10", 1);
        assert_eq!((&*sent, response.text.as_deref()), ("=\n", Some("\n")));
    }

    #[test]
    fn a_finished_game_has_nothing_to_analyse() {
        let mut session = session(5);
        crate::gtp::session::tests::play_out(&mut session);
        let asked = AtomicU32::new(0);
        let control = Control {
            has_news: &|| asked.fetch_add(1, Relaxed) > 20,
            send: &|text| assert_eq!(text, "=\n"),
            ..Control::new(Instant::now(), &|| Signal::GoOn)
        };
        for colour in ["w", "b"] {
            asked.store(0, Relaxed);
            let line = format!("kata-analyze {colour} 1");
            let response = session.execute(line.as_bytes(), &control);
            assert_eq!(response.text.as_deref(), Some("\n"));
        }
    }

    #[test]
    fn a_settled_position_is_told_again_and_again() {
        let mut session = session(4);
        let (sent, _) = execute(&mut session, "lz-analyze 1", 60);
        assert_eq!(sent.lines().count(), 60);
    }

    #[test]
    fn moves_can_be_avoided_and_bound() {
        let mut session = session(9);
        let moves = |sent: &str| -> Vec<String> {
            let blocks = blocks(sent.lines().nth(1).unwrap());
            blocks.map(|(_, values)| values[0].to_string()).collect()
        };
        let mut analyze = |line: &str| execute(&mut session, line, 2).0;
        let sent = analyze("kata-analyze b 1 allow B B3,C2 3 foo bar maxmoves 9");
        let found = moves(&sent);
        let all_allowed = found.iter().all(|m| m == "B3" || m == "C2");
        assert!(found.len() <= 2 && all_allowed, "{sent}");
        let best = &moves(&analyze("lz-analyze 5"))[0];
        let others = analyze(&format!(
            "lz-analyze b 5 avoid b {best},pass 1 avoid w A1 1"
        ));
        assert!(!moves(&others).contains(best));
        let one = analyze("kata-analyze interval 1 maxmoves 1 rootInfo true");
        assert_eq!(moves(&one).len(), 1);
        assert!(one.contains(" rootInfo visits "), "{one}");
    }

    #[test]
    fn wrong_words_are_refused() {
        let mut session = session(9);
        let (turn, keys) = ("wrong color to move", "[INTERVAL] [KEY VALUE ...]`");
        let form = format!("syntax error: expected `lz-analyze [COLOR] {keys}");
        let coloured = format!("syntax error: expected `kata-genmove_analyze COLOR {keys}");
        let empty = "`avoid` and `allow` leave no legal move";
        let word = "invalid value `maybe` for `rootInfo`: expected true or false";
        for (line, text) in [
            ("lz-analyze w 10", turn),
            ("lz-analyze b -1", &form),
            ("lz-analyze interval", &form),
            ("lz-analyze b 10 avoid b Z9 1", &form),
            ("lz-analyze b 10 avoid b", &form),
            ("lz-analyze b 10 allow b A1 1", empty),
            ("kata-analyze rootInfo maybe", word),
            ("lz-genmove_analyze w 10", turn),
            ("kata-genmove_analyze", &coloured),
        ] {
            session.check(line, format!("? {text}"));
        }
    }

    #[test]
    fn moves_come_with_their_analysis() {
        let mut session = session(9);
        let (sent, response) = execute(&mut session, "3 lz-genmove_analyze b 1", 1);
        assert!(sent.starts_with("=3\n"), "{sent}");
        let text = response.text.unwrap();
        let vertex = text.strip_prefix("play ").unwrap().trim_end_matches("\n\n");
        assert_eq!(session.engine().events().len(), 1);
        session.check(format!("play b {vertex}"), "? illegal move");
        assert!(session.answer("tanada-last_search").contains(vertex));
        session.check("tanada-param iterations 4000", "= ");
        let (sent, response) = execute(&mut session, "kata-genmove_analyze w 1", u32::MAX);
        assert!(sent.lines().count() > 1 && response.text.unwrap().starts_with("play "));
        session.accept("tanada-param iterations none; kata-time_settings absolute 20");
        let (sent, _) = execute(&mut session, "kata-genmove_analyze b 1", 1);
        // More than 40 lines on an idle machine.
        assert!(sent.lines().count() > 4, "at intervals: {sent}");
        session.check("undo", "= ");
        let (sent, response) = execute(&mut session, "kata-search_cancellable b", 1);
        assert_eq!((&*sent, session.engine().events().len()), ("", 2));
        assert!(response.text.unwrap().len() > 4);
        session.check("kata-search_cancellable b", "= cancelled");
    }
}
