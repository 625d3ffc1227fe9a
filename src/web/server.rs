//! The server: its socket, its routes, and its end.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::CACHE_CONTROL;
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{get, post};
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::service::TowerToHyperService;
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};

use super::connections::{Connection, Connections};
use super::error::ApiError;
use super::files::{self, Files};
use super::matches::follow;
use super::pages::Pages;
use super::token::Token;
use super::{command, events, guard};
use crate::http::{self, ListenError};
use crate::params::Params;

/// How often the server looks whether it has to end.
const TICK: Duration = Duration::from_millis(50);
/// Threads that execute commands.
const COMMAND_THREADS: usize = 4;
const COMMAND_STACK: usize = 8 << 20;

/// Why there is no server.
#[derive(Debug, Error)]
pub(crate) enum WebError {
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error("the system has no random numbers for the token")]
    NoToken,
    #[error("cannot start the server: {0}")]
    Start(io::Error),
}

/// The settings of a server.
pub(crate) struct WebOptions {
    pub(crate) listen: SocketAddr,
    /// The parameters of the engines; the memory is that of all engines together.
    pub(crate) params: Params,
    /// The most pages at once.
    pub(crate) pages: usize,
    /// The most engines at once.
    pub(crate) engines: usize,
    /// The folder of a match to follow.
    pub(crate) matches: Option<PathBuf>,
    /// Read the files of the page from this folder.
    #[cfg(debug_assertions)]
    pub(crate) page_folder: PathBuf,
}

/// What the handlers share.
pub(super) struct Shared {
    pub(super) token: Token,
    pub(super) files: Files,
    pub(super) pages: Arc<Pages>,
    pub(super) params: Params,
    /// Whether there is a match to follow.
    pub(super) has_match: bool,
    pub(super) connections: Connections,
}

impl Shared {
    /// `pages` and `engines` are the most of each.
    pub(super) fn new(
        files: Files,
        params: Params,
        pages: usize,
        engines: usize,
        has_match: bool,
    ) -> Result<Self, WebError> {
        Ok(Self {
            token: Token::new().ok_or(WebError::NoToken)?,
            files,
            pages: Arc::new(Pages::new(pages, engines, &params)),
            params,
            has_match,
            connections: Connections::default(),
        })
    }
}

/// A server that listens.
pub(crate) struct Server {
    listener: std::net::TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Takes the address.
    pub(crate) fn new(options: WebOptions) -> Result<Self, WebError> {
        let listener = http::listen(options.listen)?;
        let address = listener.local_addr().map_err(WebError::Start)?;
        #[cfg(debug_assertions)]
        let files = Files::Folder(options.page_folder);
        #[cfg(not(debug_assertions))]
        let files = Files::Embedded;
        let WebOptions {
            params,
            pages,
            engines,
            matches,
            ..
        } = options;
        let shared = Shared::new(files, params, pages, engines, matches.is_some())?;
        if let Some(folder) = matches {
            follow(folder, &shared.pages).map_err(WebError::Start)?;
        }
        Ok(Self {
            listener,
            address,
            shared: Arc::new(shared),
        })
    }

    /// The address to open. A server that listens on all addresses is opened on the loopback one.
    pub(crate) fn url(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            let any: std::net::IpAddr = match address.ip() {
                std::net::IpAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                std::net::IpAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            };
            address.set_ip(any);
        }
        format!("http://{address}/?token={}", self.shared.token)
    }

    /// Whether only programs of this machine reach the server.
    pub(crate) fn is_local(&self) -> bool {
        self.address.ip().to_canonical().is_loopback()
    }

    /// Serves until `stop` returns true.
    pub(crate) fn run(self, stop: &dyn Fn() -> bool) -> Result<(), WebError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(COMMAND_THREADS)
            .thread_stack_size(COMMAND_STACK)
            .build()
            .map_err(WebError::Start)?;
        let Self {
            listener, shared, ..
        } = self;
        let pages = Arc::clone(&shared.pages);
        let served = runtime.block_on(async {
            let listener = TcpListener::from_std(listener).map_err(WebError::Start)?;
            tokio::spawn(accept(listener, shared));
            let mut ticks = tokio::time::interval(TICK);
            while !stop() {
                ticks.tick().await;
                pages.look_after();
            }
            Ok(())
        });
        pages.close();
        runtime.shutdown_background();
        served
    }
}

/// The routes with everything that belongs to every request and every answer.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/api/events", get(events::events))
        .route("/api/{name}", post(command::command))
        .method_not_allowed_fallback(async || ApiError::wrong_method())
        .fallback(files::file)
        .layer(from_fn_with_state(Arc::clone(&shared), guard::guard))
        .layer(map_response(with_headers))
        .with_state(shared)
}

const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

async fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        ("content-security-policy", CONTENT_SECURITY_POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let no_store = HeaderValue::from_static("no-store");
    headers.entry(CACHE_CONTROL).or_insert(no_store);
    response
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let router = router(Arc::clone(&shared));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, for example.
            tokio::time::sleep(TICK).await;
            continue;
        };
        let local = stream.local_addr().ok();
        let connection = local.and_then(|local| shared.connections.enter(local));
        if let Some(connection) = connection {
            tokio::spawn(serve(
                stream,
                connection,
                router.clone(),
                Arc::clone(&shared),
            ));
        }
    }
}

/// What answers the requests of a connection.
pub(super) fn service(
    connection: &Connection,
    router: Router,
) -> impl Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send> {
    let router = TowerToHyperService::new(router);
    let from = connection.clone();
    service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(from.clone());
        router.call(request)
    })
}

async fn serve(stream: TcpStream, connection: Connection, router: Router, shared: Arc<Shared>) {
    let service = service(&connection, router);
    tokio::select! {
        () = http::serve(stream, service) => {}
        () = connection.dismissed() => {}
    }
    shared.connections.leave(&connection);
}
