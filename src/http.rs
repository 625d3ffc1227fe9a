//! What the program's HTTP servers share: they take an address, and serve connections.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// The time for the head of a request; a connection may be idle as long.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// The longest head of a request, in bytes.
const HEAD_SIZE: usize = 16 << 10;

/// Why a server cannot have an address.
#[derive(Debug, Error)]
pub(crate) enum ListenError {
    #[error("the port of `{0}` is in use; choose another one, or let the system choose: `--listen {ip}:0`", ip = host(.0))]
    InUse(SocketAddr),
    #[error("cannot listen on `{0}`: {1}")]
    Failed(SocketAddr, io::Error),
}

/// The host of an address as it is written before a port.
fn host(address: &SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}

/// Takes an address, for a server that does not block.
pub(crate) fn listen(address: SocketAddr) -> Result<TcpListener, ListenError> {
    let listener = TcpListener::bind(address).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    listener.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => ListenError::InUse(address),
        _ => ListenError::Failed(address, error),
    })
}

/// Serves a connection until either side ends it.
pub(crate) async fn serve<S>(stream: TcpStream, service: S)
where
    S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible>,
{
    let _ = stream.set_nodelay(true);
    serve_stream(stream, service).await;
}

/// Serves a connection of any kind.
pub(crate) async fn serve_stream<S>(stream: impl AsyncRead + AsyncWrite + Unpin, service: S)
where
    S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible>,
{
    // An error means that the other side broke off or spoke something else.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_SIZE)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
