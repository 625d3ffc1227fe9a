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
    /// Starts a bot with this configuration and this secret. From then on no bot of this process logs.
    ///
    /// # Errors
    /// The configuration, or the folder of its games, cannot be used.
    pub fn new(config: &Path, secret: &str) -> Result<Self, String> {
        log::mute();
        let environment = |name: &str| (name == "TANADA_AP_CLIENT_SECRET").then(|| secret.into());
        let config = Config::read(Some(config), &environment).map_err(|error| error.to_string())?;
        let mut bot = Bot::new(&config).map_err(|error| error.to_string())?;
        bot.client.token_pause = Duration::ZERO;
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::key::tests::OPEN_SSH;
    use super::super::message::TurnMessage;
    use super::super::schedule::Delivery;
    use super::*;

    /// A turn that was given up may come again; what is left of its first delivery is not sent then.
    #[test]
    fn a_delivery_belongs_to_one_acceptance_of_its_turn() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bot.toml");
        let config = format!(
            "client_id = \"bot\"\ntoken_url = \"http://127.0.0.1:1\"\nscope = \"move\"\n\
             query_url = \"http://127.0.0.1:1\"\npublic_key = \"{OPEN_SSH}\"\nstate = \"state\"\n"
        );
        fs::write(&path, config).unwrap();
        let bot = Steps::new(&path, "hush").unwrap().bot;
        let id = ("a".to_string(), 0);
        let accept = |time| {
            let message = TurnMessage {
                meta_game: "tanbo".to_string(),
                variants: Vec::new(),
                game: id.0.clone(),
                clock: 48.0,
                num_players: 2,
                moves: Vec::new(),
            };
            let mut store = bot.store.lock();
            store.accept(message, time, false).unwrap();
            store.set_move(&id, "b1".to_string(), false);
        };
        let later = super::super::bot::now();
        accept(later - 1.0);
        bot.give_up(&id, "for the test");
        accept(later);
        let is_sent = |accepted| bot.deliver(Delivery::new(id.clone(), accepted)).is_some();
        assert!(!is_sent(later - 1.0));
        // This one finds no server at port 1, and is to be sent again.
        assert!(is_sent(later));
    }
}
