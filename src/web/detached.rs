//! The commands without a socket, for the fuzz targets.

use super::command;
use super::files::Files;
use super::server::{Shared, WebError};
use crate::params::Params;

/// A server's commands, for pages that are not open.
pub struct Commands(Shared);

impl Commands {
    /// The commands of a server with these parameters.
    ///
    /// # Errors
    /// There is no such server.
    pub fn new(params: Params) -> Result<Self, String> {
        let shared = Shared::new(Files::Embedded, params, 2, 1, false);
        shared
            .map(Self)
            .map_err(|error: WebError| error.to_string())
    }

    /// The names of all commands.
    pub fn names() -> impl Iterator<Item = &'static str> {
        command::names()
    }

    /// Executes a command; `None` if it has no such name.
    ///
    /// # Errors
    /// The status and the sentence of a refusal.
    pub fn execute(&self, name: &str, body: &[u8]) -> Option<Result<Vec<u8>, (u16, String)>> {
        let answer = command::find(name)?(&self.0, body);
        Some(answer.map_err(|error| (error.status.as_u16(), error.text)))
    }
}
