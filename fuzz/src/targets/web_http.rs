//! Whole requests to the server of the board: heads, tokens, bodies, several on one connection.

use std::sync::LazyLock;
use std::time::Duration;

use arbitrary::{Arbitrary, Result, Unstructured};
use tanada::fuzzing::requests::Commands;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::{sentence, small_params};

static SERVER: LazyLock<Commands> =
    LazyLock::new(|| Commands::new(small_params()).expect("a server"));

thread_local! {
    static RUNTIME: Runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
}

/// In an input, the place of the token, which is another in each run.
const TOKEN: &[u8] = b"$TOKEN";

/// How long a connection stays open that the server waits on.
const PATIENCE: Duration = Duration::from_millis(20);

/// The most bytes of one answer that are looked at; the largest file of the page is smaller.
const ROOM: usize = 1 << 20;

/// The first byte chooses whether the rest is any bytes or the requests of a grammar.
pub(super) fn requests(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let token = SERVER.token();
    if first & 1 == 0 {
        let sent = with_token(rest, token.as_bytes());
        for answer in answers(&exchange(&sent, PATIENCE)) {
            answer.is_documented();
            // Nobody reaches a command without the token.
            let is_file = !answer.is_json();
            assert!(is_file || answer.status != 200 || contains(rest, TOKEN));
        }
    } else if let Ok(asked) = Unstructured::new(rest).arbitrary::<Vec<Request>>() {
        let asked = &asked[..asked.len().min(8)];
        let mut sent: Vec<u8> = asked.iter().flat_map(|one| one.bytes(&token)).collect();
        // The server answers all before it ends the connection.
        sent.extend(b"GET / HTTP/1.1\r\nHost: localhost:8080\r\nConnection: close\r\n\r\n");
        let found = answers(&exchange(&sent, Duration::from_secs(10)));
        for (request, answer) in asked.iter().zip(&found) {
            answer.is_documented();
            request.expects(answer);
        }
        // The connection ends early only after a refusal that left a body unread.
        match found.len() {
            0 => panic!("no answer: {}", sent.escape_ascii()),
            all if all > asked.len() => {
                assert_eq!((all, found[asked.len()].status), (asked.len() + 1, 200));
            }
            some => {
                let (request, answer) = (&asked[some - 1], &found[some - 1]);
                let is_unread = !request.body.is_empty() && !matches!(answer.status, 200 | 422);
                assert!(is_unread, "{request:?}: {answer:?}");
            }
        }
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn with_token(bytes: &[u8], token: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(TOKEN) {
            out.extend(token);
            rest = after;
        } else {
            out.push(first);
            rest = after;
        }
    }
    out
}

/// Sends bytes on a connection of its own, and returns what comes back until the server ends it, or
/// sends nothing for this long.
fn exchange(bytes: &[u8], patience: Duration) -> Vec<u8> {
    RUNTIME.with(|runtime| {
        runtime.block_on(async {
            let (client, server) = duplex(1 << 16);
            let (mut from, mut to) = tokio::io::split(client);
            let talk = async {
                let send = async {
                    // The server may end the connection before it has read everything.
                    let _ = to.write_all(bytes).await;
                };
                let receive = async {
                    let mut received = Vec::new();
                    let mut chunk = vec![0; 1 << 14];
                    while let Ok(Ok(count @ 1..)) = timeout(patience, from.read(&mut chunk)).await {
                        received.extend(&chunk[..count]);
                        // A stream of events has no end.
                        if received.len() > 16 * ROOM {
                            break;
                        }
                    }
                    received
                };
                let mut received = Vec::new();
                tokio::join!(send, async { received = receive.await });
                received
            };
            tokio::select! {
                biased;
                received = talk => received,
                // Its answers are in the pipe, which the other branch reads to its end.
                () = async { SERVER.serve(server).await; std::future::pending().await } => Vec::new(),
            }
        })
    })
}

#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    fn is_json(&self) -> bool {
        self.header("content-type") == Some("application/json")
    }

    /// It has a status of the documentation, what protects a page, and one sentence if it is a refusal.
    fn is_documented(&self) {
        // The HTTP library refuses what is no request by a bare 400 or 431.
        if matches!(self.status, 400 | 414 | 431) && self.body.is_empty() {
            return;
        }
        assert!(
            matches!(
                self.status,
                200 | 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 422 | 503
            ),
            "{self:?}"
        );
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"));
        assert!(self.header("content-security-policy").is_some());
        if self.status != 200 && !self.body.is_empty() {
            let error: serde_json::Value = serde_json::from_slice(&self.body).expect("JSON");
            sentence(error["error"].as_str().expect("a sentence"));
        }
    }
}

/// Splits what was received into answers. The last may be cut off; then it is left out.
fn answers(bytes: &[u8]) -> Vec<Answer> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while let Some(end) = rest.windows(4).position(|four| four == b"\r\n\r\n") {
        let head = String::from_utf8(rest[..end].to_vec()).expect("an ASCII head");
        let (version, status) = head.split_at(9);
        assert!(
            version == "HTTP/1.1 " || version == "HTTP/1.0 ",
            "an answer begins with {head:?}"
        );
        let status = status[..3].parse().expect("a status");
        let mut answer = Answer {
            status,
            head,
            body: Vec::new(),
        };
        rest = &rest[end + 4..];
        let length = answer.header("content-length").map(str::parse::<usize>);
        match length {
            Some(length) => {
                let length = length.expect("a length");
                // The answer to HEAD has a length and no body.
                let is_head = rest.starts_with(b"HTTP/1.") || rest.is_empty();
                if !is_head {
                    if rest.len() < length {
                        break;
                    }
                    answer.body = rest[..length].to_vec();
                    rest = &rest[length..];
                }
            }
            // The rest is a stream of events.
            None if answer.header("transfer-encoding").is_some() => rest = &[],
            None => {}
        }
        found.push(answer);
    }
    found
}

#[derive(Arbitrary, Clone, Copy, Debug, PartialEq)]
enum Method {
    Get,
    Post,
    Put,
    Options,
    Delete,
}

#[derive(Arbitrary, Clone, Copy, Debug, PartialEq)]
enum Path {
    Root,
    File,
    Unknown,
    Catalog,
    Position,
    Why,
    NoCommand,
    Escaped,
}

#[derive(Arbitrary, Clone, Copy, Debug, PartialEq)]
enum Host {
    Own,
    Loopback,
    Six,
    Foreign,
    OtherPort,
    None,
    Twice,
}

#[derive(Arbitrary, Clone, Copy, Debug, PartialEq)]
enum Token {
    Right,
    Wrong,
    None,
    Twice,
    OtherScheme,
}

#[derive(Arbitrary, Clone, Copy, Debug, PartialEq)]
enum Origin {
    None,
    Own,
    Foreign,
    Null,
    Secure,
}

#[derive(Arbitrary, Clone, Copy, Debug, PartialEq)]
enum Content {
    Json,
    JsonWithCharset,
    Text,
    Form,
    None,
}

/// A request. Its parts are right more often than wrong.
#[derive(Debug)]
struct Request {
    method: Method,
    path: Path,
    host: Host,
    token: Token,
    origin: Origin,
    content: Content,
    is_chunked: bool,
    body: Vec<u8>,
}

/// The right part, or in a fourth of all cases any.
fn mostly<'a, T: Arbitrary<'a>>(u: &mut Unstructured<'a>, right: T) -> Result<T> {
    if u.ratio(3, 4)? {
        Ok(right)
    } else {
        u.arbitrary()
    }
}

impl<'a> Arbitrary<'a> for Request {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let path = u.arbitrary()?;
        let is_command = !matches!(path, Path::Root | Path::File | Path::Unknown);
        let method = if is_command {
            Method::Post
        } else {
            Method::Get
        };
        let body: Vec<u8> = match u.int_in_range(0..=3)? {
            0 => u.arbitrary()?,
            1 => b"{}".to_vec(),
            2 => br#"{"game":"tanbo","start":{"size":5},"moves":[]}"#.to_vec(),
            _ => br#"{"line":{"game":"tanbo","start":{"size":5},"moves":[]},"to":3}"#.to_vec(),
        };
        Ok(Self {
            method: mostly(u, method)?,
            path,
            host: mostly(u, Host::Own)?,
            token: mostly(u, Token::Right)?,
            origin: mostly(u, Origin::None)?,
            content: mostly(u, Content::Json)?,
            is_chunked: u.arbitrary()?,
            body: if is_command { body } else { Vec::new() },
        })
    }
}

impl Request {
    fn bytes(&self, token: &str) -> Vec<u8> {
        let method = format!("{:?}", self.method).to_ascii_uppercase();
        let path = match self.path {
            Path::Root => "/",
            Path::File => "/main.js",
            Path::Unknown => "/nothing/../../etc/passwd",
            Path::Catalog => "/api/catalog",
            Path::Position => "/api/position",
            Path::Why => "/api/why",
            Path::NoCommand => "/api/nothing",
            Path::Escaped => "/api/%70osition",
        };
        let hosts: &[&str] = match self.host {
            Host::Own => &["localhost:8080"],
            Host::Loopback => &["127.0.0.1:8080"],
            Host::Six => &["[::1]:8080"],
            Host::Foreign => &["example.com:8080"],
            Host::OtherPort => &["localhost:8081"],
            Host::None => &[],
            Host::Twice => &["localhost:8080", "localhost:8080"],
        };
        let right = format!("Bearer {token}");
        let tokens: &[&str] = match self.token {
            Token::Right => &[&right],
            Token::Wrong => &["Bearer 00000000000000000000000000000000"],
            Token::None => &[],
            Token::Twice => &[&right, &right],
            Token::OtherScheme => &["Basic dG9rZW4="],
        };
        let origins: &[&str] = match self.origin {
            Origin::None => &[],
            Origin::Own => &["http://localhost:8080"],
            Origin::Foreign => &["http://example.com"],
            Origin::Null => &["null"],
            Origin::Secure => &["https://localhost:8080"],
        };
        let contents: &[&str] = match self.content {
            Content::Json => &["application/json"],
            Content::JsonWithCharset => &["Application/JSON; charset=utf-8"],
            Content::Text => &["text/plain"],
            Content::Form => &["application/x-www-form-urlencoded"],
            Content::None => &[],
        };
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        for (name, values) in [
            ("Host", hosts),
            ("Authorization", tokens),
            ("Origin", origins),
            ("Content-Type", contents),
        ] {
            for value in values {
                head += &format!("{name}: {value}\r\n");
            }
        }
        let mut bytes;
        if self.is_chunked && !self.body.is_empty() {
            bytes = format!("{head}Transfer-Encoding: chunked\r\n\r\n").into_bytes();
            for chunk in self.body.chunks(7) {
                bytes.extend(format!("{:x}\r\n", chunk.len()).bytes());
                bytes.extend(chunk);
                bytes.extend(b"\r\n");
            }
            bytes.extend(b"0\r\n\r\n");
        } else {
            bytes = format!("{head}Content-Length: {}\r\n\r\n", self.body.len()).into_bytes();
            bytes.extend(&self.body);
        }
        bytes
    }

    fn is_command(&self) -> bool {
        !matches!(self.path, Path::Root | Path::File | Path::Unknown)
    }

    /// The checks come in this order: names, token, method or path, type, content.
    fn expects(&self, answer: &Answer) {
        let is_own = matches!(self.host, Host::Own | Host::Loopback | Host::Six)
            && matches!(self.origin, Origin::None | Origin::Own);
        let allowed: &[u16] = if !is_own {
            &[403]
        } else if self.is_command() {
            match (self.token, self.method, self.path, self.content) {
                (Token::Wrong | Token::None | Token::Twice | Token::OtherScheme, ..) => &[401],
                (_, Method::Get | Method::Put | Method::Options | Method::Delete, ..) => &[405],
                (_, _, Path::NoCommand, _) => &[404],
                (.., Content::Text | Content::Form | Content::None) => &[415],
                _ => &[200, 422],
            }
        } else {
            match (self.method, self.path) {
                (Method::Get, Path::Unknown) => &[404],
                (Method::Get, _) => &[200],
                _ => &[404, 405],
            }
        };
        assert!(
            allowed.contains(&answer.status),
            "expected {allowed:?}: {self:?}, {answer:?}"
        );
    }
}
