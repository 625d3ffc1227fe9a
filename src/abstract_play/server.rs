//! The HTTP server: the server's requests come in here, through a proxy that ends TLS.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::service::TowerToHyperService;
use tokio::sync::Semaphore;
use tokio::time::{interval, sleep, timeout};

use super::bot::{Bot, Reply};
use crate::http::{self, ListenError};

/// The longest body of a request, in bytes. A game of a thousand moves has some ten thousand.
pub(super) const LONGEST_BODY: usize = 256 << 10;
/// The time for the body of a request.
const BODY_TIME: Duration = Duration::from_secs(10);
/// Connections at once; others wait.
const CONNECTIONS: usize = 256;
/// Threads that answer messages; each waits for the disk.
const THREADS: usize = 64;
/// How often the server looks whether it has to end.
const TICK: Duration = Duration::from_millis(50);

/// A server that listens.
pub(crate) struct Server {
    listener: TcpListener,
}

impl Server {
    /// Takes the address.
    pub(crate) fn new(address: SocketAddr) -> Result<Self, ListenError> {
        let listener = http::listen(address)?;
        Ok(Self { listener })
    }

    /// The address it has.
    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` returns true.
    pub(crate) fn run(self, bot: Arc<Bot>, stop: &dyn Fn() -> bool) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(THREADS)
            .build()?;
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            tokio::spawn(accept(listener, bot));
            let mut ticks = interval(TICK);
            while !stop() {
                ticks.tick().await;
            }
            Ok(())
        });
        // An accepted turn is on the disk, whether or not its answer still gets out.
        runtime.shutdown_timeout(BODY_TIME);
        served
    }
}

fn router(bot: Arc<Bot>) -> Router {
    Router::new()
        .route("/healthz", get(health))
        .fallback(any)
        .with_state(bot)
}

async fn accept(listener: tokio::net::TcpListener, bot: Arc<Bot>) {
    let router = TowerToHyperService::new(router(bot));
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, for example.
            sleep(TICK).await;
            continue;
        };
        let router = router.clone();
        let service =
            service_fn(move |request: Request<Incoming>| router.call(request.map(Body::new)));
        tokio::spawn(async move {
            http::serve(stream, service).await;
            drop(place);
        });
    }
}

async fn health(State(bot): State<Arc<Bot>>) -> Response {
    // Others may hold the state while they wait for the disk.
    match tokio::task::spawn_blocking(move || bot.health()).await {
        Ok(health) => Json(health).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// The server may have registered the bot under any path.
async fn any(State(bot): State<Arc<Bot>>, request: Request) -> Response {
    match request.method().as_str() {
        "GET" | "HEAD" => Json(serde_json::json!({ "operational": true })).into_response(),
        "POST" => message(bot, request).await,
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

async fn message(bot: Arc<Bot>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = match timeout(BODY_TIME, to_bytes(body, LONGEST_BODY)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return Reply::too_long().into_response(),
        Err(_) => return StatusCode::REQUEST_TIMEOUT.into_response(),
    };
    let answered = tokio::task::spawn_blocking(move || bot.answer(&head.headers, &body)).await;
    match answered {
        Ok(reply) => reply.into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        (self.status, Json(self.content())).into_response()
    }
}
