//! The bot step by step, without threads and pauses: for the fuzz targets.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::bot::Bot;
use super::config::Config;
use super::log;
use super::once::Event;

/// A bot that searches and sends a move only when it is told to.
pub struct Steps {
    bot: Bot,
}

impl Steps {
    /// Starts a bot with this configuration and this secret; it logs nothing.
    ///
    /// # Errors
    /// The configuration, or the folder of its games, cannot be used.
    pub fn new(config: &Path, secret: &str) -> Result<Self, String> {
        log::mute();
        let environment = |name: &str| (name == "TANADA_AP_CLIENT_SECRET").then(|| secret.into());
        let config = Config::read(Some(config), &environment).map_err(|error| error.to_string())?;
        let bot = Bot::new(&config).map_err(|error| error.to_string())?;
        Ok(Self { bot })
    }

    /// Answers a request that is written as JSON: `headers`, `body` and `isBase64Encoded`.
    ///
    /// # Errors
    /// The text is no such JSON.
    pub fn answer(&self, request: &str) -> Result<Value, String> {
        let event = Event::read(request).map_err(|error| error.to_string())?;
        Ok(event.answer(&self.bot))
    }

    /// What `/healthz` tells.
    pub fn health(&self) -> Value {
        json!(self.bot.health())
    }

    /// Searches for the move of the next turn; returns whether one was waiting.
    pub fn search(&self) -> bool {
        let searches = &self.bot.searches;
        if searches.len() == 0 {
            return false;
        }
        if let Some((turn, waiting)) = searches.next(&|| false) {
            self.bot.search(&turn, waiting);
            searches.done();
        }
        true
    }

    /// Sends the next move, whether or not its pause is over; returns whether one was waiting.
    pub fn deliver(&self) -> bool {
        let deliveries = &self.bot.deliveries;
        let Some(delivery) = deliveries.first() else {
            return false;
        };
        if let Some((again, _)) = self.bot.deliver(delivery) {
            deliveries.push(again, Duration::ZERO);
        }
        deliveries.done();
        true
    }
}
