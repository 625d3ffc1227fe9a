//! Whole proofs of small boards.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::expand::{Known, Scout};
use super::jobs::Job;
use super::log::{Entry, Finding};
use super::position::normal;
use super::run::{CHECKPOINT, LOG, solver as solver_of};
use super::shared::{Shared, Task, WorkLimits};
use super::tree::Tree;
use super::*;
use crate::lab::endings::{Ending, solver};
use crate::tanbo::{NamedSetup, Start};

fn corners(side: usize) -> Start {
    let size = crate::board::BoardSize::new(side).unwrap();
    let setup = NamedSetup::Corners.setup(size, 2).unwrap();
    setup.check(None).unwrap()
}

fn settings(folder: &Path, start: Option<Start>, threads: usize) -> ProveSettings {
    ProveSettings {
        folder: folder.to_path_buf(),
        start,
        nodes: 1000,
        iterations: 20,
        threads,
        bytes: 1 << 20,
        ending_limit: None,
    }
}

fn proof(settings: &ProveSettings) -> Proof {
    prove(settings, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn mover_wins(start: &Start) -> bool {
    let stop = false.into();
    let solved = solver(&stop)(start).unwrap();
    solved.winner == start.setup().to_move
}

/// The positions with results in a log, with whether the side to move wins.
fn results(folder: &Path) -> Vec<(Ending, bool)> {
    let text = fs::read_to_string(folder.join(LOG)).unwrap();
    let lines = text.lines().skip(1).filter_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let won = words[3] == "b";
        let has_result = won || words[3] == "w";
        let position = format!("{} ?", words[..3].join(" "));
        has_result.then(|| (Ending::parse(&position).unwrap(), won))
    });
    lines.collect()
}

/// Each result in the log is right, and there once.
fn assert_sound(folder: &Path) {
    let results = results(folder);
    for (position, won) in &results {
        assert_eq!(*won, mover_wins(&position.start), "{position}");
    }
    let names: HashSet<String> = results.iter().map(|(p, _)| p.to_string()).collect();
    assert_eq!(names.len(), results.len(), "a position was solved twice");
}

#[test]
fn small_boards_are_proved_and_each_line_is_right() {
    for (start, threads) in [(corners(4), 1), (corners(5), 1), (corners(5), 3)] {
        let folder = tempfile::tempdir().unwrap();
        let proof = proof(&settings(folder.path(), Some(start.clone()), threads));
        assert_eq!(proof.won, Some(mover_wins(&start)));
        assert_eq!(proof.progress.frontier, 0);
        assert_sound(folder.path());
    }
}

#[test]
fn a_proof_that_was_stopped_anywhere_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let start = corners(5);
    let whole = proof(&settings(folder.path(), Some(start.clone()), 1));
    let log = fs::read(folder.path().join(LOG)).unwrap();
    for part in 0..8 {
        let length = log.len() * part / 8;
        fs::write(folder.path().join(LOG), &log[..length]).unwrap();
        let again = proof(&settings(folder.path(), Some(start.clone()), 1));
        assert_eq!((again.won, &again.question), (whole.won, &whole.question));
        assert!(
            fs::read(folder.path().join(LOG))
                .unwrap()
                .starts_with(&log[..length / 2])
        );
    }
    // It is not searched again, and the folder knows the question.
    let before = fs::read(folder.path().join(LOG)).unwrap();
    let known = proof(&settings(folder.path(), None, 1));
    assert_eq!((known.won, known.progress.searched), (whole.won, 0));
    assert!(fs::read(folder.path().join(LOG)).unwrap() == before);
}

#[test]
fn the_engine_is_asked_again_before_the_solver_begins() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ProveSettings {
        nodes: 12_000,
        iterations: 1,
        ..settings(folder.path(), Some(corners(5)), 1)
    };
    let whole = proof(&settings);
    assert_eq!(whole.won, Some(mover_wins(&corners(5))));
    assert_sound(folder.path());
    // One line for each position and length of search, after its first guess, with the iterations.
    let text = fs::read_to_string(folder.path().join(LOG)).unwrap();
    let mut guessed = HashSet::new();
    let mut asked = HashSet::new();
    for line in text.lines().skip(1) {
        let words: Vec<&str> = line.split(' ').collect();
        let position = words[..3].join(" ");
        if words[3].starts_with('p') {
            guessed.insert(position);
        } else if words[3].starts_with('q') {
            assert!(guessed.contains(&position), "{line}");
            assert!(["4", "40"].contains(&words[4]), "{line}");
            assert!(asked.insert((position, words[4])), "{line}");
        }
    }
    for iterations in ["4", "40"] {
        assert!(asked.iter().any(|(_, asked)| *asked == iterations));
    }
    // What was asked is not asked again.
    let (at, _) = text.match_indices(" q").nth(asked.len() / 2).unwrap();
    let end = at + text[at..].find('\n').unwrap() + 1;
    fs::write(folder.path().join(LOG), &text[..end]).unwrap();
    assert_eq!(proof(&settings).won, whole.won);
    let again = fs::read_to_string(folder.path().join(LOG)).unwrap();
    let lines: Vec<&str> = again.lines().filter(|line| line.contains(" q")).collect();
    let questions: HashSet<(&str, &str)> = lines
        .iter()
        .filter_map(|line| Some((line.split(" q").next()?, line.split(' ').nth(4)?)))
        .collect();
    assert_eq!(questions.len(), lines.len());
}

#[test]
fn the_longest_search_is_tried_on_what_is_solved() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path(), None, 1);
    let stop = false.into();
    let (first, _) = normal(&corners(5));
    let mut scout = Scout {
        solver: solver_of(&settings, &first).unwrap(),
        iterations: 1,
        stop: &stop,
    };
    let unknown = |_: &str| (None, Known::default());
    let mut replies = |start| scout.expand(start, &unknown).unwrap().children;
    let second = replies(&first).swap_remove(0);
    let thirds = replies(&second.start);
    let (log, ..) = Log::open(&folder.path().join(LOG), Some(&second.name)).unwrap();
    let mut shared = Shared::new(log, WorkLimits::new(50_000, 4, 1));
    let mut remember = |index: usize, finding| {
        let position = thirds[index].name.clone();
        shared.remember(Entry { position, finding });
    };
    // One reply is open, about which the engine was asked again, as about the first, which is solved.
    for index in 0..2 {
        remember(index, Finding::Chance(500, 2048));
        remember(index, Finding::DeepChance(600, 16));
    }
    remember(0, Finding::Result(true, 30_000));
    for index in 2..thirds.len() {
        remember(index, Finding::Result(true, 30_000));
    }
    shared.remember(Entry {
        position: second.name.clone(),
        finding: Finding::GivenUp(1),
    });
    shared.begin(second.start.clone(), second.name);
    assert!(matches!(shared.next(true), Some(Task::Expand(0))));
    let known = scout.expand(&second.start, &|name| shared.look_up(name));
    shared.expanded(Tree::ROOT, known.unwrap());
    shared.running.clear();
    shared.replan();
    let mut asked = Vec::new();
    while let Some(Task::Ask(node, iterations)) = shared.next(true) {
        asked.push((shared.tree.node(node).name.clone(), iterations));
        shared.asked(node, 0.7, iterations);
        shared.running.clear();
        shared.replan();
    }
    let of = |index: usize| {
        let asked = asked.iter().filter(|(name, _)| *name == thirds[index].name);
        asked.map(|(_, iterations)| *iterations).collect::<Vec<_>>()
    };
    assert_eq!((of(0), of(1)), (vec![166], vec![166]));
    let solved = asked.iter().position(|(name, _)| *name == thirds[0].name);
    let open = asked.iter().position(|(name, _)| *name == thirds[1].name);
    assert!(solved < open, "{asked:?}");
}

#[test]
fn a_stop_keeps_what_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path(), Some(corners(6)), 2);
    let mut reports = 0;
    let stopped = prove(&settings, &mut |progress| {
        reports += 1;
        let is_enough = progress.done >= 3;
        crate::util::break_if(is_enough)
    });
    let stopped = stopped.unwrap();
    assert_eq!(stopped.won, None);
    assert!(reports > 0 && stopped.progress.frontier > 0);
    assert!(results(folder.path()).len() as u64 >= 3);
}

/// Leaves a checkpoint with what a search of the whole question knows.
fn leave_checkpoint(settings: &ProveSettings) {
    let (start, _) = normal(settings.start.as_ref().unwrap());
    let mut scout = Scout {
        solver: solver_of(settings, &start).unwrap(),
        iterations: 1,
        stop: &false.into(),
    };
    assert!(scout.solve(&start, u64::MAX).is_some());
    scout.solver.save().unwrap();
}

#[test]
fn a_stop_keeps_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join(CHECKPOINT);
    let begun = settings(folder.path(), Some(corners(6)), 2);
    let empty = checkpoint_size(&begun);
    let stopped = prove(&begun, &mut |progress| {
        crate::util::break_if(progress.done >= 3 && progress.nodes > 30_000)
    });
    let stopped = stopped.unwrap();
    assert_eq!((stopped.won, stopped.progress.unsaved), (None, None));
    let kept = fs::read(&checkpoint).unwrap();
    assert!(kept.len() > empty);
    // One that is damaged, or of another position, is not used.
    let refused = |bytes: &[u8]| {
        fs::write(&checkpoint, bytes).unwrap();
        let refused = prove(&begun, &mut |_| ControlFlow::Continue(()));
        assert!(fs::read(&checkpoint).unwrap() == bytes);
        refused.unwrap_err().to_string()
    };
    let damaged = "`results.checkpoint` cannot be read: it is not a complete checkpoint of this program; \
                   remove it to go on without what the solver knew";
    assert_eq!(refused(&kept[..kept.len() - 1]), damaged);
    assert_eq!(refused(b"notes"), damaged);
    let mut other = kept.clone();
    other[24] ^= 1;
    assert!(refused(&other).contains("it belongs to another position"));
    // If it cannot be written, the run says so, and keeps its log.
    fs::write(&checkpoint, kept).unwrap();
    let stopped = prove(&begun, &mut |_| {
        let _ = fs::remove_file(&checkpoint);
        let _ = fs::create_dir(&checkpoint);
        ControlFlow::Break(())
    });
    let unsaved = stopped.unwrap().progress.unsaved;
    assert!(unsaved.is_some_and(|why| why.contains("directory")));
}

/// The bytes of a checkpoint of a table without results.
fn checkpoint_size(settings: &ProveSettings) -> usize {
    let (start, _) = normal(settings.start.as_ref().unwrap());
    solver_of(settings, &start).unwrap().save().unwrap();
    let path = settings.folder.join(CHECKPOINT);
    let size = fs::metadata(&path).unwrap().len() as usize;
    fs::remove_file(path).unwrap();
    size
}

#[test]
fn what_the_checkpoint_holds_is_not_searched_again() {
    let found = |has_checkpoint: bool| {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path(), Some(corners(5)), 1);
        if has_checkpoint {
            leave_checkpoint(&settings);
        }
        let proof = proof(&settings);
        assert_eq!(proof.won, Some(mover_wins(&corners(5))));
        // It is not needed any more.
        let checkpoint = folder.path().join(CHECKPOINT);
        assert!(!checkpoint.exists());
        // A file of somebody else stays.
        fs::write(&checkpoint, "notes").unwrap();
        assert_eq!(self::proof(&settings).won, proof.won);
        assert_eq!(fs::read(&checkpoint).unwrap(), b"notes");
        proof.progress.nodes
    };
    let (with, without) = (found(true), found(false));
    assert!(with < without / 4, "{with} of {without}");
}

#[test]
fn an_answer_of_the_checkpoint_can_be_checked() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ProveSettings {
        nodes: 100_000_000,
        ..settings(folder.path(), Some(corners(5)), 1)
    };
    leave_checkpoint(&settings);
    let proof = proof(&settings);
    assert_eq!(proof.won, Some(mover_wins(&corners(5))));
    let text = fs::read_to_string(folder.path().join(LOG)).unwrap();
    // One line with the answer, which counts as the solver's.
    assert!(
        text.lines()
            .nth(1)
            .is_some_and(|line| line.contains(" b 1 ")),
        "{text}"
    );
    let winner = proof.start.setup().to_move;
    let go_on = &mut |_: &CertifyProgress| ControlFlow::Continue(());
    let checked = recheck(&settings, &proof.start, winner, (5, 1), go_on);
    assert!(checked.is_ok());
}

#[test]
fn an_answer_of_the_engine_counts_as_one_of_its_length() {
    let depth = |nodes, iterations| WorkLimits::new(nodes, 200, 1).depth(iterations);
    let depths = [9_999, 10_000, 20_000, 99_999, 100_000, 200_000];
    let expected = [None, Some(1), Some(1), Some(1), Some(2), Some(2)];
    assert_eq!(
        depths.map(|iterations| depth(60_000_000, iterations)),
        expected
    );
    // A run with fewer nodes would not have asked for so long.
    assert_eq!(depth(200_000, 20_000), Some(2));
}

#[test]
fn what_cannot_be_proved_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |start: Option<Start>| {
        let settings = settings(folder.path(), start, 1);
        let refused = prove(&settings, &mut |_| ControlFlow::Continue(()));
        refused.unwrap_err().to_string()
    };
    let missing = refused(None);
    assert!(missing.contains("there is no proof in it yet"), "{missing}");
    assert!(refused(Some(corners(13))).contains("at most 10x10"));
    assert!(!folder.path().join(LOG).exists());
    proof(&settings(folder.path(), Some(corners(4)), 1));
    let other = refused(Some(corners(5)));
    assert!(other.contains("it belongs to another position"), "{other}");
}

/// Answers jobs a moment later, the last one first; of those that were cancelled every second one.
struct Solvers<'a> {
    most: usize,
    answer: fn(&Job) -> Report,
    orders: Option<Sender<Order>>,
    /// What was sent at once, each time.
    sent: &'a RefCell<Vec<Vec<Order>>>,
}

impl Delegate for Solvers<'_> {
    fn listen(&mut self, reports: Reports) -> io::Result<()> {
        let (orders, heard) = channel();
        self.orders = Some(orders);
        reports.send(Report::Most(self.most));
        let answer = self.answer;
        thread::spawn(move || {
            let mut held: Vec<Job> = Vec::new();
            loop {
                match heard.recv_timeout(Duration::from_millis(5)) {
                    Ok(Order::Solve(job)) => held.push(job),
                    Ok(Order::Cancel(number)) if number % 2 == 0 => {
                        held.retain(|job| job.number != number);
                    }
                    Ok(Order::Cancel(_)) => {}
                    Err(RecvTimeoutError::Timeout) => {
                        let last_first = held.drain(..).rev();
                        last_first.for_each(|job| reports.send(answer(&job)));
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        });
        Ok(())
    }

    fn send(&mut self, order: &Order) -> io::Result<()> {
        self.sent
            .borrow_mut()
            .last_mut()
            .unwrap()
            .push(order.clone());
        let orders = self.orders.as_ref().unwrap();
        orders.send(order.clone()).unwrap();
        Ok(())
    }
}

/// A run with such solvers, and what they were sent at once, each time.
fn delegated(
    settings: &ProveSettings,
    most: usize,
    answer: fn(&Job) -> Report,
) -> (Result<Proof, ProveError>, Vec<Vec<Order>>) {
    let sent = RefCell::new(vec![Vec::new()]);
    let mut solvers = Solvers {
        most,
        answer,
        orders: None,
        sent: &sent,
    };
    let proof = delegate(settings, &mut solvers, &mut |_| {
        sent.borrow_mut().push(Vec::new());
        ControlFlow::Continue(())
    });
    (proof, sent.into_inner())
}

/// The jobs among orders.
fn jobs(orders: &[Order]) -> impl Iterator<Item = &Job> {
    orders.iter().filter_map(|order| match order {
        Order::Solve(job) => Some(job),
        Order::Cancel(_) => None,
    })
}

/// A proof with positions that are not solved at once.
fn with_jobs(folder: &Path, threads: usize) -> ProveSettings {
    ProveSettings {
        nodes: 8000,
        ..settings(folder, Some(corners(5)), threads)
    }
}

fn lost(job: u64) -> Report {
    let why = "a flood".to_string();
    Report::Lost { job, why }
}

fn solved(job: &Job) -> Report {
    let start = Ending::parse(&job.position).unwrap().start;
    let stop = false.into();
    let winner = solver(&stop)(&start).map(|solved| solved.winner);
    Report::Solved {
        job: job.number,
        winner,
        nodes: 3000,
    }
}

#[test]
fn others_solve_the_frontier() {
    for (most, answer) in [
        (1, solved as fn(&Job) -> Report),
        (4, solved),
        (3, |job| match job.number {
            job if job % 4 == 0 => lost(job),
            number if number % 5 == 0 => Report::Solved {
                job: number,
                winner: None,
                nodes: 64_000,
            },
            _ => solved(job),
        }),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let settings = with_jobs(folder.path(), 2);
        leave_checkpoint(&settings);
        let (proof, orders) = delegated(&settings, most, answer);
        let proof = proof.unwrap();
        assert_eq!(proof.won, Some(true));
        // It is not read, and not needed any more.
        assert!(!folder.path().join(CHECKPOINT).exists());
        assert!(proof.progress.searched > 0);
        let jobs: Vec<&Job> = orders.iter().flat_map(|sent| jobs(sent)).collect();
        assert!(!jobs.is_empty() && jobs.iter().all(|job| job.nodes == 64_000));
        assert!((1..).zip(&jobs).all(|(number, job)| job.number == number));
        assert_sound(folder.path());
    }
}

#[test]
fn jobs_go_out_by_their_worth() {
    // How many jobs there are depends on what the network guesses.
    let mut longest = 0;
    for nodes in (2000..=16_000).step_by(2000) {
        let folder = tempfile::tempdir().unwrap();
        let settings = ProveSettings {
            nodes,
            ..with_jobs(folder.path(), 1)
        };
        let (stopped, orders) = delegated(&settings, 5, |_| Report::End);
        let won = stopped.unwrap().won;
        // A better one may follow later, if the engine was still at work on it.
        for at_once in &orders {
            let worths: Vec<f64> = jobs(at_once).map(|job| job.worth).collect();
            assert!(worths.is_sorted_by(|a, b| a > b), "{nodes}: {worths:?}");
            let is_share = |worth: &f64| *worth > 0.0 && *worth <= 1.0;
            assert!(worths.iter().all(is_share), "{nodes}: {worths:?}");
            longest = longest.max(worths.len());
        }
        // The first report ends the run.
        let has_jobs = orders.iter().any(|sent| jobs(sent).next().is_some());
        assert!(!has_jobs || won.is_none(), "{nodes}: {won:?}");
    }
    assert!(longest > 1);
}

#[test]
fn a_report_about_no_job_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let settings = with_jobs(folder.path(), 1);
    let (refused, _) = delegated(&settings, 2, |_| lost(99));
    let refused = refused.unwrap_err().to_string();
    assert!(refused.starts_with("unknown job `99`"), "{refused}");
    // The log is as good as before.
    assert_eq!(proof(&settings).won, Some(true));
}
