//! The server that gets the moves: it answers as it is told, and notes what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use arbitrary::Arbitrary;
use serde_json::Value;

/// How long the server waits for the rest of a request.
const PATIENCE: Duration = Duration::from_secs(10);

/// How the server answers during one delivery.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub(super) struct Plan {
    token: Token,
    first: Reply,
    /// After a token that it did not take.
    second: Reply,
}

/// How it answers who wants a token.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Token {
    Good,
    /// It ends at once.
    Short,
    Refused,
    Unreadable,
    Cut,
}

/// How it answers a move.
#[derive(Arbitrary, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Taken,
    Refused,
    Conflict,
    /// It does not take the token.
    Unauthorized,
    Forbidden,
    Busy,
    Broken,
    Elsewhere,
    Cut,
    Unreadable,
}

impl Plan {
    pub(super) const FRIENDLY: Self = Self {
        token: Token::Good,
        first: Reply::Taken,
        second: Reply::Taken,
    };

    /// Whether the bot gets a token when it needs one.
    pub(super) fn gives_tokens(self) -> bool {
        matches!(self.token, Token::Good | Token::Short)
    }
}

impl Reply {
    fn head(self) -> &'static str {
        match self {
            Self::Taken => "200 OK",
            Self::Refused => "400 Bad Request",
            Self::Conflict => "409 Conflict",
            Self::Unauthorized => "401 Unauthorized",
            Self::Forbidden => "403 Forbidden",
            Self::Busy => "503 Service Unavailable\r\nRetry-After: 7",
            Self::Broken => "500 Internal Server Error",
            Self::Elsewhere => "302 Found\r\nLocation: http://127.0.0.1:1/",
            Self::Cut | Self::Unreadable => "",
        }
    }
}

/// A move that arrived.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) game: String,
    pub(super) word: String,
    pub(super) reply: Reply,
}

#[derive(Default)]
struct State {
    plan: Option<Plan>,
    /// The tokens that were given out.
    tokens: usize,
    arrivals: Vec<Arrival>,
    /// What was wrong with a request.
    wrong: Option<String>,
    /// The folder that is copied when a move arrives, and its copy.
    copied: Option<(PathBuf, PathBuf)>,
    is_over: bool,
}

/// A server on this machine.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    state: Arc<Mutex<State>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(super) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut state = shared.lock().expect("the state");
                if state.is_over {
                    return;
                }
                // A bot that gives up in the middle is no fault of the server.
                let _ = stream.and_then(|stream| state.answer(stream));
            }
        });
        Self {
            address,
            state,
            thread: Some(thread),
        }
    }

    /// Answers as planned while `work` goes on; returns the moves that arrived. With `copied`, copies
    /// the first folder to the second whenever one arrives.
    pub(super) fn during(
        &self,
        plan: Plan,
        copied: Option<(PathBuf, PathBuf)>,
        work: impl FnOnce(),
    ) -> Vec<Arrival> {
        {
            let mut state = self.state.lock().expect("the state");
            (state.plan, state.copied) = (Some(plan), copied);
        }
        work();
        let mut state = self.state.lock().expect("the state");
        state.plan = None;
        let arrivals = std::mem::take(&mut state.arrivals);
        drop(state);
        self.check();
        arrivals
    }

    /// Panics if a request so far was wrong.
    pub(super) fn check(&self) {
        assert_eq!(self.state.lock().expect("the state").wrong, None);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(mut state) = self.state.lock() {
            state.is_over = true;
        }
        // The thread looks up when somebody connects.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl State {
    fn answer(&mut self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        let (head, body) = read(&stream)?;
        let Some(plan) = self.plan else {
            self.wrong = Some(format!("the bot asks unasked: {head}"));
            return Ok(());
        };
        if head.starts_with("POST /token ") {
            return self.give_token(stream, plan.token, &body);
        }
        let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
        let bearer = format!("authorization: Bearer token-{}\r\n", self.tokens);
        let is_move = head.starts_with("POST /query ") && sent["verb"] == "move";
        if !is_move || sent["metaGame"] != "tanbo" || !head.contains(&bearer) {
            self.wrong = Some(format!("{head}{sent}"));
        }
        let reply = if self.arrivals.is_empty() {
            plan.first
        } else {
            plan.second
        };
        let text = |name: &str| sent[name].as_str().unwrap_or_default().to_string();
        self.arrivals.push(Arrival {
            game: text("gameid"),
            word: text("move"),
            reply,
        });
        if let Some((from, to)) = &self.copied {
            copy(from, to).expect("a copy of the state");
        }
        match reply {
            Reply::Cut => Ok(()),
            Reply::Unreadable => stream.write_all(b"HTTP/1.1 2"),
            _ => stream.write_all(
                format!(
                    "HTTP/1.1 {}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}",
                    reply.head()
                )
                .as_bytes(),
            ),
        }
    }

    fn give_token(
        &mut self,
        mut stream: TcpStream,
        token: Token,
        form: &[u8],
    ) -> std::io::Result<()> {
        let expected = b"grant_type=client_credentials&client_id=bot&client_secret=hush&scope=move";
        if form != expected {
            self.wrong = Some(form.escape_ascii().to_string());
        }
        let (status, body) = match token {
            Token::Cut => return Ok(()),
            Token::Good | Token::Short => {
                self.tokens += 1;
                let life = if matches!(token, Token::Good) {
                    3600
                } else {
                    0
                };
                let text = format!(
                    "{{\"access_token\":\"token-{}\",\"expires_in\":{life}}}",
                    self.tokens
                );
                ("200 OK", text)
            }
            Token::Refused => ("400 Bad Request", "{\"error\":\"hush\"}".to_string()),
            Token::Unreadable => ("200 OK", "{\"access_token\":7}".to_string()),
        };
        let length = body.len();
        let head =
            format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
        stream.write_all((head + &body).as_bytes())
    }
}

/// Reads the head of a request, with its line ends, and the body.
fn read(stream: &TcpStream) -> std::io::Result<(String, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head)? > 2 {}
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok((head, body))
}

/// Copies a folder that holds files and one level of folders.
pub(super) fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if to.exists() {
        std::fs::remove_dir_all(to)?;
    }
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let copy_of = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &copy_of)?;
        } else {
            std::fs::copy(&path, &copy_of)?;
        }
    }
    Ok(())
}
