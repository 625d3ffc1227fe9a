//! Solves positions that a proof rests on again, so that its log need not be believed.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::log::Log;
use super::parts::{self, CertifyError, CertifyProgress, Search, Watch};
use super::position::normal;
use super::run::{LOG, ProveSettings};
use super::winning::winning;
use crate::game::Seat;
use crate::tanbo::Start;
use crate::util::jobs::Jobs;
use crate::util::random::Random;
use crate::variant::LimitedSolver;

/// What was solved again; the winners are as the log says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recheck {
    /// Of these positions.
    pub(crate) positions: usize,
    pub(crate) of: usize,
    pub(crate) nodes: u64,
}

/// Solves `most` positions on which it rests that `winner` wins the question, drawn with `seed`, or all
/// if there are fewer. Each has a table of its own, so nothing that the log says is used. Positions that
/// are too small for parts are solved again too, and not counted.
///
/// # Errors
/// The log does not show that `winner` wins, or is wrong about a position; `on_progress` stopped it.
pub(crate) fn recheck(
    settings: &ProveSettings,
    question: &Start,
    winner: Seat,
    (most, seed): (usize, u64),
    on_progress: &mut dyn FnMut(&CertifyProgress) -> ControlFlow<()>,
) -> Result<Recheck, CertifyError> {
    let watch = Arc::new(Watch::default());
    watch.over(on_progress, || {
        // It stays locked meanwhile.
        let (_log, _, entries) = Log::open(&settings.folder.join(LOG), None)?;
        let mut parts = winning(question, winner, entries, settings.nodes, &watch)?.parts;
        if parts.is_empty() {
            // The solver needed none.
            parts.push(question.clone());
        }
        // Positions that are images of each other are solved once.
        let parts = parts.into_iter().map(|start| (normal(&start).1, start));
        let parts: BTreeMap<String, Start> = parts.collect();
        let mut positions: Vec<Start> = parts.into_values().collect();
        let of = positions.len();
        shuffle(&mut positions, seed);
        positions.truncate(most);
        watch.parts.store(positions.len() as u64, Relaxed);
        let threads = settings.threads.min(positions.len()).max(1);
        let mut nodes = 0_u64;
        let bytes = settings.bytes / threads;
        Jobs::new(positions.len(), threads, &watch.stop).run(
            |(): &mut (), number| {
                let start = positions.get(number);
                start.map_or(Ok(0), |start| solve(start, winner, bytes, &watch))
            },
            |searched| {
                nodes += searched;
                Ok(true)
            },
        )?;
        if watch.is_stopped() {
            return Err(CertifyError::Stopped);
        }
        Ok(Recheck {
            positions: positions.len(),
            of,
            nodes,
        })
    })
}

/// Solves a position that `winner` should win. Returns the nodes that it took.
fn solve(
    start: &Start,
    winner: Seat,
    bytes: usize,
    watch: &Arc<Watch>,
) -> Result<u64, CertifyError> {
    let mut search = Search::new(start, bytes, watch)?;
    parts::check(&mut search, winner, start)?;
    watch.done.fetch_add(1, Relaxed);
    Ok(search.exact().solver_mut().nodes())
}

fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut random = Random::new(seed);
    for left in (1..items.len()).rev() {
        items.swap(left, random.below(left as u32 + 1) as usize);
    }
}
