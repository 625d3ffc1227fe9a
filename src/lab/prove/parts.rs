//! The parts of a certificate: each is a certificate of its own in a file, so a run that was stopped
//! goes on with those that are complete.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use super::log::LogError;
use super::position::{name, normal};
use super::run::ProveSettings;
use crate::game::{Outcome, Seat};
use crate::solver::{SolverLimits, Stopped};
use crate::tanbo::certificate::{self, Part};
use crate::tanbo::{Start, exact, with_position};
use crate::util::files;
use crate::util::jobs::Jobs;
use crate::util::threads;
use crate::util::{break_if, quote};
use crate::variant::{ExactSettings, ExactSolver, LimitedSolver, SolverStrategy, Verdict};

/// The folder of the parts, in the folder of the proof.
pub(super) const FOLDER: &str = "parts";
/// Time between two reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// Why a proof could not be checked, or has no certificate.
#[derive(Debug, Error)]
pub(crate) enum CertifyError {
    #[error(transparent)]
    Log(#[from] LogError),
    /// A position, in canonical form.
    #[error("the log knows no winning move at `{0}`")]
    Unknown(String),
    /// A position, in canonical form, and whether its side to move (Black) is said to win.
    #[error(
        "the log says that {} wins `{position}`, but {} does",
        if *.won { "Black" } else { "White" },
        if *.won { "White" } else { "Black" }
    )]
    Lie { position: String, won: bool },
    #[error("{0}")]
    File(String),
    #[error("no thread can be started: {0}")]
    Threads(io::Error),
    #[error("it was stopped")]
    Stopped,
}

/// How far a check or a certificate is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CertifyProgress {
    /// Positions checked or parts with a file, of all.
    pub(crate) done: u64,
    pub(crate) parts: u64,
    /// Positions whose move the solver was asked for, for a certificate.
    pub(crate) positions: u64,
}

/// What the threads tell the one that watches, and the other way round.
#[derive(Default)]
pub(super) struct Watch {
    pub(super) stop: AtomicBool,
    pub(super) done: AtomicU64,
    pub(super) parts: AtomicU64,
    positions: AtomicU64,
}

impl Watch {
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Does the work on a thread of its own, and reports meanwhile.
    pub(super) fn over<T: Send>(
        &self,
        on_progress: &mut dyn FnMut(&CertifyProgress) -> ControlFlow<()>,
        work: impl FnOnce() -> Result<T, CertifyError> + Send,
    ) -> Result<T, CertifyError> {
        let watcher = thread::current();
        thread::scope(|scope| {
            let worker = threads::spawn(scope, || {
                let done = work();
                watcher.unpark();
                done
            });
            let worker = worker.map_err(CertifyError::Threads)?;
            while !worker.is_finished() {
                let progress = CertifyProgress {
                    done: self.done.load(Relaxed),
                    parts: self.parts.load(Relaxed),
                    positions: self.positions.load(Relaxed),
                };
                if on_progress(&progress).is_break() {
                    self.stop.store(true, Relaxed);
                }
                thread::park_timeout(REPORT_INTERVAL);
            }
            let done = worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            // Whatever a stop looks like from within.
            done.map_err(|error| {
                if self.is_stopped() {
                    CertifyError::Stopped
                } else {
                    error
                }
            })
        })
    }
}

/// The solver at a position of the certificate.
pub(super) struct Search {
    exact: Box<dyn ExactSolver>,
    watch: Arc<Watch>,
}

impl Search {
    pub(super) fn new(
        start: &Start,
        bytes: usize,
        watch: &Arc<Watch>,
    ) -> Result<Self, CertifyError> {
        let settings = ExactSettings::new(bytes);
        let exact = with_position!(start, |position| exact::of_position(&position, &settings));
        Ok(Self {
            exact: exact.map_err(CertifyError::File)?,
            watch: Arc::clone(watch),
        })
    }
}

impl LimitedSolver for Search {
    fn exact(&mut self) -> &mut dyn ExactSolver {
        &mut *self.exact
    }

    fn solve_within(&mut self, nodes: Option<u64>) -> Result<Verdict, Stopped> {
        let limits = SolverLimits {
            nodes,
            ..SolverLimits::default()
        };
        let watch = Arc::clone(&self.watch);
        self.exact
            .solve(&limits, &mut |_| break_if(watch.is_stopped()))
    }

    fn on_question(&mut self, _: u64) -> ControlFlow<()> {
        self.watch.positions.fetch_add(1, Relaxed);
        break_if(self.watch.is_stopped())
    }
}

/// Solves the position where the solver is, which `winner` should win.
pub(super) fn check(
    search: &mut dyn LimitedSolver,
    winner: Seat,
    start: &Start,
) -> Result<(), CertifyError> {
    let solved = search.solve_within(None);
    agree(&solved.map_err(|_| CertifyError::Stopped)?, winner, start)
}

/// Refuses what was found about a position if another side than `winner` wins it.
pub(super) fn agree(found: &Verdict, winner: Seat, start: &Start) -> Result<(), CertifyError> {
    if found.outcome == Some(Outcome::Winner(winner)) {
        return Ok(());
    }
    Err(CertifyError::Lie {
        position: normal(start).1,
        won: start.setup().to_move == winner,
    })
}

/// The file of a part, named after its position and how long the search of an ending may be.
pub(super) fn path(folder: &Path, start: &Start, ending_limit: Option<u64>) -> PathBuf {
    let name = name(start).replace(' ', "-").replace('/', "_");
    let limit = ending_limit.map_or(String::new(), |limit| format!("-{limit}"));
    folder.join(FOLDER).join(name + &limit)
}

/// A part, to be read; reading ends when `watch` says so.
pub(super) fn open(path: &Path, watch: &Arc<Watch>) -> Result<Part, CertifyError> {
    let name = quote::shorten(&path.to_string_lossy(), 500);
    let file = File::open(path).map_err(|error| unusable("read", path, &error))?;
    let watch = Arc::clone(watch);
    let file = Box::new(StoppableFile { file, watch });
    Ok(Part { name, file })
}

struct StoppableFile {
    file: File,
    watch: Arc<Watch>,
}

impl Read for StoppableFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.watch.is_stopped() {
            return Err(io::Error::other("it was stopped"));
        }
        self.file.read(buffer)
    }
}

fn unusable(verb: &str, path: &Path, error: &dyn Error) -> CertifyError {
    let path = quote::shorten(&path.to_string_lossy(), 500);
    CertifyError::File(format!("cannot {verb} `{path}`: {error}"))
}

/// Makes the files of the parts that have none yet.
pub(super) fn make(
    settings: &ProveSettings,
    parts: &[Start],
    winner: Seat,
    watch: &Arc<Watch>,
) -> Result<(), CertifyError> {
    let ProveSettings {
        folder,
        threads,
        bytes,
        ending_limit,
        ..
    } = settings;
    let place = folder.join(FOLDER);
    fs::create_dir_all(&place).map_err(|error| unusable("create", &place, &error))?;
    watch.parts.store(parts.len() as u64, Relaxed);
    let left: Vec<&Start> = parts
        .iter()
        .filter(|start| !path(folder, start, *ending_limit).exists())
        .collect();
    watch.done.store((parts.len() - left.len()) as u64, Relaxed);
    let bytes = bytes / (*threads).min(left.len()).max(1);
    Jobs::new(left.len(), *threads, &watch.stop).run(
        |(): &mut (), number| {
            let start = left.get(number).copied();
            let made = start.map_or(Ok(()), |start| {
                let path = path(folder, start, *ending_limit);
                make_one(&path, start, (winner, *ending_limit), bytes, watch)
            });
            watch.done.fetch_add(1, Relaxed);
            made
        },
        |()| Ok(true),
    )?;
    if watch.is_stopped() {
        return Err(CertifyError::Stopped);
    }
    Ok(())
}

/// Solves a part with a table of its own and writes its certificate.
fn make_one(
    path: &Path,
    start: &Start,
    (winner, ending_limit): (Seat, Option<u64>),
    bytes: usize,
    watch: &Arc<Watch>,
) -> Result<(), CertifyError> {
    let mut search = Search::new(start, bytes, watch)?;
    check(&mut search, winner, start)?;
    let mut strategy = SolverStrategy::new(&mut search);
    let written = files::replace_with(path, |file| {
        certificate::write(start, winner, &mut strategy, ending_limit, file)
            .map(|_| ())
            .map_err(Box::<dyn Error>::from)
    });
    written.map_err(|error| unusable("write", path, &*error))
}
