//! The server without a socket, for the fuzz targets.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};

use super::command;
use super::connections::{Connection, Connections};
use super::files::Files;
use super::server::{Shared, WebError, router, service};
use crate::http;
use crate::params::Params;

/// The address at which a detached server seems to be.
const ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

/// A server's commands, for pages that are not open.
pub struct Commands(Arc<Shared>);

impl Commands {
    /// The commands of a server with these parameters.
    ///
    /// # Errors
    /// There is no such server.
    pub fn new(params: Params) -> Result<Self, String> {
        let shared = Shared::new(Files::Embedded, params, 2, 1, false);
        shared
            .map(|shared| Self(Arc::new(shared)))
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

    /// The token that requests need.
    #[must_use]
    pub fn token(&self) -> String {
        self.0.token.to_string()
    }

    /// Serves a connection to `127.0.0.1:8080` until it ends.
    pub async fn serve(&self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        if let Some(connection) = self.0.connections.enter(ADDRESS) {
            let entered = Entered(&self.0.connections, connection);
            let router = router(Arc::clone(&self.0));
            http::serve_stream(stream, service(&entered.1, router)).await;
        }
    }
}

/// Leaves even if its future is dropped before the connection ends.
struct Entered<'a>(&'a Connections, Connection);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.0.leave(&self.1);
    }
}
