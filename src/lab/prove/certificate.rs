//! The certificate of a proof: the winner's strategy above the parts, and the parts.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use super::expand::engine;
use super::log::Log;
use super::parts::{self, CertifyError, CertifyProgress, Search, Watch};
use super::position::{name, normal};
use super::run::{LOG, ProveSettings};
use super::winning::{Top, Winning, winning};
use crate::engine::Engine;
use crate::game::Seat;
use crate::tanbo::certificate::{self, PartStrategy, Step};
use crate::tanbo::{Start, variant};
use crate::variant::{CertificateSummary, MoveCode, SolverStrategy, Strategy};

/// Called now and then; it ends the work when it breaks.
type OnProgress<'a> = dyn FnMut(&CertifyProgress) -> ControlFlow<()> + 'a;

/// A certificate whose parts have files.
pub(crate) struct Certifier {
    folder: PathBuf,
    question: Start,
    winner: Seat,
    winning: Winning,
    bytes: usize,
    ending_limit: Option<u64>,
    watch: Arc<Watch>,
}

impl Certifier {
    /// Makes the files of the parts, except those that an earlier run has made.
    ///
    /// # Errors
    /// The log does not show that `winner` wins the question, or lies; a file cannot be written;
    /// `on_progress` stopped it.
    pub(crate) fn prepare(
        settings: &ProveSettings,
        question: &Start,
        winner: Seat,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<Self, CertifyError> {
        let folder = &settings.folder;
        let watch = Arc::new(Watch::default());
        let winning = watch.over(on_progress, || {
            // It stays locked meanwhile.
            let (_log, _, entries) = Log::open(&folder.join(LOG), None)?;
            let winning = winning(question, winner, entries, settings.nodes, &watch)?;
            parts::make(settings, &winning.parts, winner, &watch)?;
            Ok(winning)
        })?;
        Ok(Self {
            folder: folder.clone(),
            question: question.clone(),
            winner,
            winning,
            bytes: settings.bytes,
            ending_limit: settings.ending_limit,
            watch,
        })
    }

    /// Puts the parts together and writes the certificate.
    ///
    /// # Errors
    /// A part is false or damaged, the log lies, or `on_progress` stopped it; nothing was written.
    pub(crate) fn write(
        &self,
        out: &mut (dyn Write + Send),
        on_progress: &mut OnProgress<'_>,
    ) -> Result<CertificateSummary, CertifyError> {
        self.watch.over(on_progress, || {
            let mut search = Search::new(&self.question, self.bytes, &self.watch)?;
            let mut strategy = TopStrategy {
                certifier: self,
                game: FollowedGame::new(&self.question),
                solver: SolverStrategy::new(&mut search),
                solved: None,
                failure: None,
            };
            let whole = self.winning.top.get(&name(&self.question));
            if whole == Some(&Top::SmallWhole) {
                strategy.solve_from(&[])?;
            }
            let (winner, limit) = (self.winner, self.ending_limit);
            let question = &self.question;
            let written =
                certificate::write_with_parts(question, winner, &mut strategy, limit, out);
            written.map_err(|text| strategy.failure.take().unwrap_or(self.unwritten(text)))
        })
    }

    fn unwritten(&self, text: String) -> CertifyError {
        let is_part = text.starts_with("the part ");
        let hint = if is_part {
            "; delete it, and the same command makes it again"
        } else {
            ""
        };
        CertifyError::File(text + hint)
    }
}

/// A game that follows the lines that it is asked about.
struct FollowedGame {
    engine: Engine,
    at: Vec<MoveCode>,
}

impl FollowedGame {
    fn new(start: &Start) -> Self {
        Self {
            engine: engine(start, 0),
            at: Vec::new(),
        }
    }

    /// The position after these moves.
    fn position(&mut self, line: &[MoveCode]) -> Option<Start> {
        let same = self.at.iter().zip(line).take_while(|(a, b)| a == b).count();
        while self.at.len() > same {
            self.engine.undo();
            self.at.pop();
        }
        for &code in &line[same..] {
            self.engine.play(code).ok()?;
            self.at.push(code);
        }
        let stones = self.engine.stones()?;
        variant::setup(stones, self.engine.to_move())
            .check(Some(2))
            .ok()
    }
}

/// Answers for the positions above the parts.
struct TopStrategy<'a> {
    certifier: &'a Certifier,
    game: FollowedGame,
    solver: SolverStrategy<'a>,
    /// The solver knows the moves from the position after these moves.
    solved: Option<Vec<MoveCode>>,
    failure: Option<CertifyError>,
}

impl TopStrategy<'_> {
    fn find(&mut self, line: &[MoveCode]) -> Result<Step, CertifyError> {
        if let Some(from) = &self.solved
            && line.starts_with(from)
        {
            return self.solver_move(line);
        }
        let illegal = || CertifyError::Unknown(name(&self.certifier.question));
        let start = self.game.position(line).ok_or_else(illegal)?;
        let unknown = || CertifyError::Unknown(normal(&start).1);
        let top = self.certifier.winning.top.get(&name(&start));
        match *top.ok_or_else(unknown)? {
            Top::Move(code) => Ok(Step::Move(code)),
            Top::Part(code, number) => Ok(Step::Part(code, self.part(number)?)),
            Top::Whole(number) => Ok(Step::Whole(self.part(number)?)),
            Top::SmallWhole => {
                self.solve_from(line)?;
                self.solver_move(line)
            }
            Top::Small(code) => {
                self.solve_from(&[line, &[code]].concat())?;
                Ok(Step::Move(code))
            }
        }
    }

    fn part(&self, number: usize) -> Result<certificate::Part, CertifyError> {
        let Certifier {
            folder,
            ending_limit,
            watch,
            ..
        } = self.certifier;
        let start = self.certifier.winning.parts.get(number);
        let start = start.unwrap_or(&self.certifier.question);
        parts::open(&parts::path(folder, start, *ending_limit), watch)
    }

    /// Lets the solver answer from the position after these moves, if it finds the same winner.
    fn solve_from(&mut self, line: &[MoveCode]) -> Result<(), CertifyError> {
        let question = &self.certifier.question;
        let start = self.game.position(line).unwrap_or(question.clone());
        let search = self.solver.follow(line);
        let search = search.ok_or_else(|| CertifyError::Unknown(normal(&start).1))?;
        parts::check(search, self.certifier.winner, &start)?;
        self.solved = Some(line.to_vec());
        Ok(())
    }

    fn solver_move(&mut self, line: &[MoveCode]) -> Result<Step, CertifyError> {
        match self.solver.winning_move(line) {
            Some(code) => Ok(Step::Move(code)),
            None => {
                let start = self.game.position(line);
                let start = start.as_ref().unwrap_or(&self.certifier.question);
                Err(CertifyError::Unknown(normal(start).1))
            }
        }
    }
}

impl PartStrategy for TopStrategy<'_> {
    fn step(&mut self, line: &[MoveCode]) -> Option<Step> {
        let found = self.find(line);
        found.map_err(|error| self.failure = Some(error)).ok()
    }

    fn is_stopped(&self) -> bool {
        self.certifier.watch.is_stopped()
    }
}
