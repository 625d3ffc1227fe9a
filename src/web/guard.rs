//! Who may send requests. The address alone protects nothing: any page that the user has open can send
//! requests to this machine, and a foreign name can be made to point to it (DNS rebinding).

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::connections::Connection;
use super::error::ApiError;
use super::server::Shared;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Lets a request through if its headers belong to this server, and if it has the token or asks for
/// no more than a file.
pub(super) async fn guard(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(connection) = request.extensions().get::<Connection>() else {
        return ApiError::forbidden("the connection is unknown").into_response();
    };
    if let Err(error) = check_names(request.uri(), request.headers(), connection.local) {
        return error.into_response();
    }
    if request.uri().path().starts_with("/api/") {
        let has_token = bearer(request.headers()).is_some_and(|text| shared.token.is(text));
        if !has_token {
            return ApiError::new(StatusCode::UNAUTHORIZED, NO_TOKEN).into_response();
        }
        if let Err(error) = check_site(request.headers()) {
            return error.into_response();
        }
        connection.trust();
    }
    next.run(request).await
}

const NO_TOKEN: &str = "the token is missing or wrong: open the address that `tanada web` printed";

/// What follows `Bearer`, if exactly one header says it.
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    only(headers, &AUTHORIZATION)?.strip_prefix(b"Bearer ")
}

/// The value of a header that is there exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a [u8]> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.as_bytes())
}

/// Checks that the request was meant for this server, and that no foreign page sent it.
fn check_names(uri: &Uri, headers: &HeaderMap, local: SocketAddr) -> Result<(), ApiError> {
    let own = |name: &[u8]| str::from_utf8(name).is_ok_and(|name| is_own(name, local));
    let wrong = || {
        let text = format!("the `Host` header names another server: expected {local}");
        Err(ApiError::forbidden(text))
    };
    if !only(headers, &HOST).is_some_and(own) {
        return wrong();
    }
    if uri
        .authority()
        .is_some_and(|name| !own(name.as_str().as_bytes()))
    {
        return wrong();
    }
    if headers.contains_key(ORIGIN) {
        let origin = only(headers, &ORIGIN).and_then(|text| text.strip_prefix(b"http://"));
        if !origin.is_some_and(own) {
            return Err(ApiError::forbidden("the request comes from another site"));
        }
    }
    Ok(())
}

/// Whether a name with a port is that of the socket which a request came in by. On the loopback
/// interface it has several names.
fn is_own(name: &str, local: SocketAddr) -> bool {
    let ip = local.ip().to_canonical();
    let named = parse(name);
    let Some((host, port)) = named else {
        return false;
    };
    let is_host = match host {
        Host::Localhost => ip.is_loopback(),
        Host::Ip(named) if ip.is_loopback() => named.to_canonical().is_loopback(),
        Host::Ip(named) => named.to_canonical() == ip,
    };
    is_host && port == local.port()
}

enum Host {
    Localhost,
    Ip(IpAddr),
}

/// Reads `HOST:PORT`; without a port it is that of HTTP.
fn parse(name: &str) -> Option<(Host, u16)> {
    if let Ok(address) = name.parse::<SocketAddr>() {
        return Some((Host::Ip(address.ip()), address.port()));
    }
    let bare = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    if let Ok(ip) = bare.unwrap_or(name).parse::<IpAddr>() {
        let is_well_formed = ip.is_ipv6() == bare.is_some();
        return is_well_formed.then_some((Host::Ip(ip), 80));
    }
    let (host, port) = name.split_once(':').unwrap_or((name, "80"));
    let is_number = port.bytes().all(|b| b.is_ascii_digit());
    let port = port.parse().ok().filter(|_| is_number)?;
    host.eq_ignore_ascii_case("localhost")
        .then_some((Host::Localhost, port))
}

/// Refuses a command that a browser says another site sent.
fn check_site(headers: &HeaderMap) -> Result<(), ApiError> {
    let is_fine = |site: &[u8]| matches!(site, b"same-origin" | b"none");
    let mut sites = headers.get_all(FETCH_SITE).iter();
    if sites.all(|site| is_fine(site.as_bytes())) {
        return Ok(());
    }
    Err(ApiError::forbidden("the request comes from another site"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_socket() {
        let local: SocketAddr = "127.0.0.1:8026".parse().unwrap();
        for name in [
            "127.0.0.1:8026",
            "localhost:8026",
            "LocalHost:8026",
            "[::1]:8026",
            "127.0.0.2:8026",
        ] {
            assert!(is_own(name, local), "{name}");
        }
        for name in [
            "",
            "127.0.0.1",
            "localhost",
            "127.0.0.1:8027",
            "evil.example:8026",
            "localhost.evil.example:8026",
            "localhost:8026.evil.example",
            "127.0.0.1:8026@evil.example",
            "localhost:+8026",
            "localhost:",
            "::1:8026",
            "0.0.0.0:8026",
            "192.168.0.9:8026",
            "localhost:8026:8026",
            " localhost:8026",
        ] {
            assert!(!is_own(name, local), "{name}");
        }
        let wide: SocketAddr = "192.168.0.9:80".parse().unwrap();
        assert!(is_own("192.168.0.9", wide) && is_own("192.168.0.9:80", wide));
        assert!(!is_own("localhost", wide) && !is_own("192.168.0.8", wide));
        assert!(!is_own("127.0.0.1", wide));
        let mapped: SocketAddr = "[::ffff:192.168.0.9]:80".parse().unwrap();
        assert!(is_own("192.168.0.9", mapped));
        let six: SocketAddr = "[fd00::9]:80".parse().unwrap();
        assert!(is_own("[fd00::9]", six) && !is_own("fd00::9", six));
    }

    fn headers(of: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in of {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn foreign_headers_are_refused() {
        let local: SocketAddr = "127.0.0.1:8026".parse().unwrap();
        let host = ("host", "127.0.0.1:8026");
        let check = |uri: &str, of: &[(&'static str, &str)]| {
            check_names(&uri.parse().unwrap(), &headers(of), local).is_ok()
        };
        assert!(check("/", &[host]));
        assert!(check("http://localhost:8026/", &[host]));
        assert!(check("/", &[host, ("origin", "http://localhost:8026")]));
        assert!(!check("/", &[]));
        assert!(!check("/", &[host, host]));
        assert!(!check("http://evil.example/", &[host]));
        for origin in [
            "null",
            "http://evil.example",
            "https://127.0.0.1:8026",
            "http://127.0.0.1:9000",
            "127.0.0.1:8026",
        ] {
            assert!(!check("/", &[host, ("origin", origin)]), "{origin}");
        }
        assert!(check_site(&headers(&[("sec-fetch-site", "same-origin")])).is_ok());
        assert!(check_site(&headers(&[("sec-fetch-site", "same-site")])).is_err());
        assert!(check_site(&headers(&[("sec-fetch-site", "cross-site")])).is_err());
        let twice = [("authorization", "Bearer a"), ("authorization", "Bearer b")];
        assert_eq!(bearer(&headers(&twice)), None);
        assert_eq!(bearer(&headers(&twice[..1])), Some(b"a".as_slice()));
    }
}
