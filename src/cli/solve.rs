//! `tanada solve`: a position in, who wins with best play.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde::Serialize;
use tanada::certificate::{self, Asked, Guide};
use tanada::engine::Engine;
use tanada::game::{Outcome, Seat};
use tanada::grid::Point;
use tanada::params::Params;
use tanada::play::{Code, Exact, ExactSettings};
use tanada::solver::{Limits, Progress, Stopped};
use tanada::tanbo::Start;

use super::failure::shorten;
use super::file::{probe, replace_with};
use super::game::GameOptions;
use super::options::{number_in, seconds};
use super::{Failure, columns, matches, note, print, print_json, progress};

/// What `tanada solve` takes.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    game: GameOptions,
    /// Finds the value of each move of the position
    #[arg(long)]
    all_moves: bool,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
    /// Memory of the table of known results at most, in MiB, 16 to what the machine has; a power
    /// of two is used [default: 1024, or half of the machine's]
    #[arg(long, value_name = "MIB", allow_negative_numbers = true)]
    memory: Option<String>,
    /// Threads, 1 to 1024 [default: all processors]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    threads: Option<String>,
    /// Seconds after which it gives up [default: no limit]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    time: Option<String>,
    /// Nodes after which it gives up, 1 to 10^15 [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    nodes: Option<String>,
    /// A file that keeps what is known: written now and then and at the end, and gone on from if
    /// it is there
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<String>,
    /// Seconds between two writings of the checkpoint [default: 60]
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "checkpoint",
        allow_negative_numbers = true
    )]
    checkpoint_every: Option<String>,
    /// Writes a strategy for the winner that others can check, with `tanada verify` or without
    #[arg(long, value_name = "FILE")]
    certificate: Option<String>,
    /// Takes the moves in no particular order: the results are the same, and take longer
    #[arg(long)]
    unordered: bool,
}

/// Nodes to find out whether a move wins, where another one may be better to show.
const SOON: u64 = 2000;

/// The value of a move, or null while it is not known: the word of who wins.
#[derive(Serialize)]
struct Valued {
    #[serde(rename = "move")]
    vertex: String,
    winner: Option<&'static str>,
}

#[derive(Serialize)]
struct Answer {
    /// Who wins, `draw`, or null while that is not known.
    winner: Option<&'static str>,
    to_move: &'static str,
    #[serde(rename = "move")]
    vertex: Option<String>,
    line: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<Valued>>,
    nodes: u64,
    seconds: f64,
    /// MiB of the table.
    memory: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Written>,
}

/// What the certificate holds.
#[derive(Serialize)]
struct Written {
    /// Positions where the winner moves.
    positions: u64,
    /// The moves of the longest game that the loser can make of it.
    plies: u64,
    bytes: u64,
}

/// Solves, prints.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = arguments.settings()?;
    let time = arguments.time.as_deref();
    let time = time.map(|text| seconds(text, "--time")).transpose()?;
    let most = 1_000_000_000_000_000;
    let nodes = number_in(&arguments.nodes, "--nodes", 1..=most)?.map(|nodes| nodes as u64);
    let sheet = arguments.game.sheet("solve")?;
    let mut engine = Engine::new(sheet.start.clone(), Params::default());
    for (index, played) in sheet.moves.iter().enumerate() {
        engine.play(played.mv).map_err(|_| {
            let number = index + 1;
            Failure::Input(format!("move {number} of the game cannot be played"))
        })?;
    }
    if engine.is_over() {
        return Err(Failure::Input(
            "the game is over in this position, expected one that is still played".to_string(),
        ));
    }
    // Before hours of searching.
    for path in [&arguments.checkpoint, &arguments.certificate]
        .into_iter()
        .flatten()
    {
        probe(path)?;
    }
    let start = arguments.certified(&engine)?;
    let mut exact = engine.notation().exact(&settings).map_err(Failure::Input)?;
    exact.load().map_err(|error| {
        let path = arguments.checkpoint.as_deref().unwrap_or_default();
        Failure::Input(format!("`{}`: {error}", shorten(path)))
    })?;
    let stop = matches::stop_flag()?;
    let begin = Instant::now();
    let mut search = Search {
        engine: &engine,
        exact,
        limits: Limits {
            deadline: time.and_then(|time| begin.checked_add(time)),
            nodes,
        },
        bar: progress::nodes(nodes),
        is_stopped: &|| stop.load(Relaxed),
    };
    let winner = search.solve().ok();
    let (seconds, nodes) = (begin.elapsed().as_secs_f64(), search.exact.nodes());
    let moves = arguments.all_moves.then(|| search.moves());
    let line = winner.map_or_else(Vec::new, |winner| search.line(winner));
    let written = match (&arguments.certificate, start, winner) {
        (Some(path), Some(start), Some(Outcome::Winner(winner))) => {
            Some(search.certify(path, &start, winner)?)
        }
        _ => None,
    };
    search.bar.finish_and_clear();
    if arguments.certificate.is_some() && written.is_none() {
        note("no certificate was written: nobody is known to win");
    }
    let saved = search.exact.save();
    let answer = Answer {
        winner: winner.map(|outcome| search.word(outcome)),
        to_move: engine.ruleset().colour(engine.to_move()),
        vertex: line.first().map(|&code| engine.name(code)),
        line: line.iter().map(|&code| engine.name(code)).collect(),
        moves,
        nodes,
        seconds,
        memory: search.exact.bytes() as f64 / f64::from(1 << 20),
        certificate: written,
    };
    match arguments.json {
        true => print_json(&answer)?,
        false => print(&text(&answer))?,
    }
    saved.map_err(|error| {
        let path = arguments.checkpoint.as_deref().unwrap_or_default();
        Failure::Other(format!("cannot write `{}`: {error}", shorten(path)))
    })?;
    match winner {
        None if stop.load(Relaxed) => Err(Failure::Interrupted(
            "stopped before the result was known".to_string(),
        )),
        _ => Ok(()),
    }
}

impl Arguments {
    /// The position as a certificate has it, if one is asked for.
    fn certified(&self, engine: &Engine) -> Result<Option<Start>, Failure> {
        if self.certificate.is_none() {
            return Ok(None);
        }
        let text = engine.notation().position_text();
        let here = engine.ruleset().read(&text, None).map_err(Failure::input)?;
        match here.any().downcast_ref::<Start>() {
            Some(start) => Ok(Some(start.clone())),
            None => Err(Failure::Input(format!(
                "there are no certificates for {}, expected a position of Tanbo",
                engine.ruleset().title()
            ))),
        }
    }

    fn settings(&self) -> Result<ExactSettings, Failure> {
        let machine = memory_of_machine();
        let memory = number_in(&self.memory, "--memory", 16..=machine)?;
        let threads = number_in(&self.threads, "--threads", 1..=1024)?;
        let processors = || std::thread::available_parallelism().map_or(1, |n| n.get());
        let every = self.checkpoint_every.as_deref().unwrap_or("60");
        let every = seconds(every, "--checkpoint-every")?;
        let path = self.checkpoint.as_ref().map(PathBuf::from);
        Ok(ExactSettings {
            bytes: memory.unwrap_or((machine / 2).clamp(16, 1024)) << 20,
            threads: threads.unwrap_or_else(processors),
            has_order: !self.unordered,
            checkpoint: path.map(|path| (path, every)),
        })
    }
}

/// MiB that the machine has.
fn memory_of_machine() -> usize {
    #[cfg(target_os = "linux")]
    {
        let info = rustix::system::sysinfo();
        let unit = u64::from(info.mem_unit.max(1));
        let bytes = (info.totalram as u64).saturating_mul(unit);
        (bytes >> 20).max(16) as usize
    }
    #[cfg(not(target_os = "linux"))]
    {
        1 << 20
    }
}

struct Search<'a> {
    engine: &'a Engine,
    exact: Box<dyn Exact>,
    limits: Limits,
    bar: ProgressBar,
    is_stopped: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    /// The result of the position that it stands at.
    fn solve(&mut self) -> Result<Outcome, Stopped> {
        let before = self.exact.nodes();
        let limits = Limits {
            nodes: self.limits.nodes.map(|most| most.saturating_sub(before)),
            ..self.limits
        };
        self.solve_within(&limits)
    }

    fn solve_within(&mut self, limits: &Limits) -> Result<Outcome, Stopped> {
        let before = self.exact.nodes();
        let begin = Instant::now();
        let (bar, is_stopped) = (&self.bar, self.is_stopped);
        self.exact.solve(limits, &mut |progress| {
            show(bar, before, begin.elapsed(), progress);
            match is_stopped() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })
    }

    fn word(&self, outcome: Outcome) -> &'static str {
        match outcome {
            Outcome::Winner(seat) => self.engine.ruleset().colour(seat),
            Outcome::Draw => "draw",
        }
    }

    /// What each move leads to.
    fn moves(&mut self) -> Vec<Valued> {
        let values = self.values();
        let valued = values.into_iter().map(|(code, outcome, _)| Valued {
            vertex: self.engine.name(code),
            winner: outcome.map(|outcome| self.word(outcome)),
        });
        valued.collect()
    }

    /// What each move leads to, and how much work it was to know.
    fn values(&mut self) -> Vec<(Code, Option<Outcome>, u32)> {
        let mut values = Vec::new();
        for code in self.exact.legal() {
            if self.exact.play(code).is_ok() {
                let outcome = self.solve().ok();
                let effort = self.exact.effort().unwrap_or(0);
                values.push((code, outcome, effort));
                self.exact.undo();
            }
        }
        values
    }

    /// A line with the given result: moves that keep it, and where all do, the one that it took
    /// the most to answer. It ends where time does.
    fn line(&mut self, result: Outcome) -> Vec<Code> {
        let mut line = Vec::new();
        while self.exact.over().is_none() {
            let code = match result == Outcome::Winner(self.exact.to_move()) {
                true => self.winning_move(),
                false => self.resisting_move(result),
            };
            let Some(code) = code else {
                break;
            };
            line.push(code);
            if self.exact.play(code).is_err() {
                break;
            }
        }
        for _ in &line {
            self.exact.undo();
        }
        line
    }

    /// A winning move of the side to move. Of those that are soon known to win it is the one
    /// that leaves the fewest replies: on 5x5 `corners` a certificate has 15,444 positions by
    /// that, 70,752 by the nodes that the replies took.
    fn winning_move(&mut self) -> Option<Code> {
        let wins = Outcome::Winner(self.exact.to_move());
        let soon = Limits {
            nodes: Some(SOON),
            ..self.limits
        };
        let mut best: Option<(usize, Code)> = None;
        let mut open = Vec::new();
        for code in self.exact.legal() {
            self.exact.play(code).ok()?;
            let known = self.exact.known();
            let outcome = known.or_else(|| self.solve_within(&soon).ok());
            let replies = self.exact.legal().len();
            self.exact.undo();
            match outcome {
                None => open.push(code),
                Some(outcome) if outcome == wins => {
                    if best.is_none_or(|(fewest, _)| replies < fewest) {
                        best = Some((replies, code));
                    }
                }
                Some(_) => {}
            }
        }
        if let Some((_, code)) = best {
            return Some(code);
        }
        for code in open {
            self.exact.play(code).ok()?;
            let outcome = self.solve();
            self.exact.undo();
            if outcome.ok()? == wins {
                return Some(code);
            }
        }
        None
    }

    /// The move of a lost or drawn position that keeps the result and took the most to answer.
    fn resisting_move(&mut self, result: Outcome) -> Option<Code> {
        let mut best = None;
        for (code, outcome, effort) in self.values() {
            if outcome? == result && best.is_none_or(|(most, _)| effort > most) {
                best = Some((effort, code));
            }
        }
        best.map(|(_, code)| code)
    }

    /// Writes the winner's strategy.
    fn certify(&mut self, path: &str, start: &Start, winner: Seat) -> Result<Written, Failure> {
        self.bar.reset();
        // The limits were for the result.
        self.limits = Limits::default();
        let mut guide = Strategy {
            search: self,
            at: Vec::new(),
            asked: 0,
        };
        let written = replace_with(path, |file| {
            certificate::write(start, winner, &mut guide, file)
                .map_err(|error| Failure::Other(error.to_string()))
        })?;
        Ok(Written {
            positions: written.positions,
            plies: written.plies,
            bytes: written.bytes,
        })
    }
}

/// Follows the writer of a certificate with the solver's position.
struct Strategy<'a, 'b> {
    search: &'a mut Search<'b>,
    /// The moves that were played from the start.
    at: Vec<Point>,
    asked: u64,
}

impl Strategy<'_, '_> {
    fn follow(&mut self, line: &[Point]) -> Option<()> {
        let same = self.at.iter().zip(line).take_while(|(a, b)| a == b).count();
        while self.at.len() > same {
            self.search.exact.undo();
            self.at.pop();
        }
        for &point in &line[same..] {
            self.search.exact.play(point.into()).ok()?;
            self.at.push(point);
        }
        Some(())
    }
}

impl Guide for Strategy<'_, '_> {
    fn winning_move(&mut self, asked: &Asked) -> Option<Point> {
        self.follow(asked.line)?;
        self.asked += 1;
        if self.asked.is_multiple_of(1024) {
            self.search.bar.set_position(self.asked);
            self.search.bar.set_message("positions of the certificate");
        }
        let code = self.search.winning_move()?;
        Some(Point::from_number(code.number()))
    }
}

/// Nodes, their speed, how full the table is, and a guess of what is left.
fn show(bar: &ProgressBar, before: u64, elapsed: Duration, progress: &Progress<'_>) {
    let seconds = elapsed.as_secs_f64().max(1e-3);
    let left = match progress.done {
        done if done > 0.01 => {
            let left = Duration::from_secs_f64((seconds / done - seconds).clamp(0.0, 1e9));
            let left = Duration::from_secs(left.as_secs());
            format!(", about {} left", humantime::format_duration(left))
        }
        _ => String::new(),
    };
    bar.set_position(before + progress.nodes);
    bar.set_message(format!(
        "{:.2} M/s, table {:.0} of {:.0} MiB, tree {:.1} %{left}",
        progress.nodes as f64 / seconds / 1e6,
        progress.table.fill() * progress.table.bytes() as f64 / f64::from(1 << 20),
        progress.table.bytes() as f64 / f64::from(1 << 20),
        100.0 * progress.done,
    ));
}

fn text(answer: &Answer) -> String {
    let end = format!(
        "{} nodes in {:.3} s, {:.0} MiB",
        answer.nodes, answer.seconds, answer.memory
    );
    let mut text = match (answer.winner, &answer.vertex) {
        (None, _) => format!("Not decided: {end}\n"),
        (Some("draw"), Some(vertex)) => format!("A draw, as with {vertex}: {end}\n"),
        (Some(winner), Some(vertex)) if winner == answer.to_move => {
            format!("{winner} wins with {vertex}: {end}\n")
        }
        (Some(winner), _) => format!("{winner} wins, {} to move: {end}\n", answer.to_move),
    };
    if !answer.line.is_empty() {
        text += &format!("line: {}\n", answer.line.join(" "));
    }
    if let Some(written) = &answer.certificate {
        text += &format!(
            "certificate: {} positions, at most {} plies, {} bytes\n",
            written.positions, written.plies, written.bytes
        );
    }
    if let Some(moves) = &answer.moves {
        let rows: Vec<Vec<String>> = moves
            .iter()
            .map(|valued| {
                let winner =
                    valued
                        .winner
                        .map_or("not decided".to_string(), |winner| match winner {
                            "draw" => "draw".to_string(),
                            winner => format!("{winner} wins"),
                        });
                vec![valued.vertex.clone(), winner]
            })
            .collect();
        text += &columns(&rows, &[]);
    }
    text
}
