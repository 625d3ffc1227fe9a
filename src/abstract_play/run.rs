//! The threads that search for moves and send them.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::bot::Bot;
use super::log::{Line, log};

/// Moves that are sent at once. A thread that sends mostly waits for the server.
const SENDERS: usize = 8;

/// The threads of a bot. They end when this is dropped, after the request that each is sending.
pub(crate) struct Workers {
    bot: Arc<Bot>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    pub(crate) fn start(bot: &Arc<Bot>) -> io::Result<Self> {
        let mut workers = Self {
            bot: Arc::clone(bot),
            threads: Vec::new(),
        };
        for _ in 0..bot.policy.searches {
            workers.spawn("search", Bot::search_all)?;
        }
        for _ in 0..SENDERS {
            workers.spawn("send", Bot::deliver_all)?;
        }
        log(&Line::of("started"));
        Ok(workers)
    }

    fn spawn(&mut self, name: &str, work: fn(&Bot)) -> io::Result<()> {
        let bot = Arc::clone(&self.bot);
        let thread = thread::Builder::new().name(name.to_string());
        self.threads.push(thread.spawn(move || work(&bot))?);
        Ok(())
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.bot.stop();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        log(&Line::of("stopped"));
    }
}
