//! The thread of a page: it runs one job after the other, with one engine.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::job::{self, Work};
use super::page_state::{Job, Order, Page};
use super::slots::{Permit, Slots};
use crate::engine::Engine;
use crate::params::Params;
use crate::util::threads::STACK;
use crate::variant::SharedStart;

/// Starts the thread of a page. It ends with the page.
pub(super) fn start(page: &Arc<Page>, slots: Arc<Slots>, params: Params) -> io::Result<()> {
    let page = Arc::clone(page);
    let thread = std::thread::Builder::new().name("page".into());
    let worker = Worker {
        page,
        slots,
        params,
        awake: None,
    };
    thread.stack_size(STACK).spawn(move || worker.work())?;
    Ok(())
}

struct Worker {
    page: Arc<Page>,
    slots: Arc<Slots>,
    params: Params,
    awake: Option<Awake>,
}

/// An engine with the right to have one; the engine goes first.
struct Awake {
    engine: Option<Engine>,
    permit: Permit,
}

impl Worker {
    fn work(mut self) {
        loop {
            match self.page.next_order() {
                Order::End => return,
                Order::Sleep => self.awake = None,
                Order::Run(job) => {
                    let ran = catch_unwind(AssertUnwindSafe(|| self.run(&job)));
                    let is_cut = self.page.done();
                    if ran.is_err() {
                        self.awake = None;
                        let error = "the engine failed; please report what you did";
                        job::tell_failed(&self.page, &job, error);
                    } else if is_cut {
                        self.awake = None;
                        job::tell_asleep(&self.page, &job);
                    }
                }
            }
        }
    }

    fn run(&mut self, job: &Job) {
        if self.awake.is_none() {
            let Some(permit) = self.slots.acquire(&self.page, job) else {
                return;
            };
            self.awake = Some(Awake {
                engine: None,
                permit,
            });
        }
        let page = Arc::clone(&self.page);
        match &*job.work {
            Work::Analyze(analysis) => {
                let params = self.params.clone();
                if let Some(engine) = self.engine(analysis.start(), params) {
                    analysis.run(engine, &page, job);
                }
            }
            Work::GenMove(genmove) => {
                let params = genmove.params(&self.params);
                if let Some(engine) = self.engine(genmove.start(), params) {
                    genmove.run(engine, &page, job);
                }
            }
            Work::Review(review) => {
                // A review has an engine of its own.
                if let Some(awake) = &mut self.awake {
                    awake.engine = None;
                }
                review.run(self.params.clone(), &page, job);
            }
        }
    }

    /// The engine, in a game from this start.
    fn engine(&mut self, start: &SharedStart, params: Params) -> Option<&mut Engine> {
        let awake = self.awake.as_mut()?;
        let params = Params {
            memory: awake.permit.memory(),
            ..params
        };
        let engine = awake
            .engine
            .get_or_insert_with(|| Engine::new(start.clone(), params.clone()));
        engine.set_params(params);
        if **engine.start() != **start {
            engine.restart(start.clone());
        }
        Some(engine)
    }
}
