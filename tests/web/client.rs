//! A server in a process of its own, and a small HTTP client that can also misbehave.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cli::command;

/// Anything takes less than this, even on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Server {
    pub(super) child: Child,
    pub(super) address: SocketAddr,
    pub(super) token: String,
    /// Closed with the server.
    _output: BufReader<ChildStdout>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.terminate();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    pub(super) fn start(arguments: &[&str]) -> Self {
        let usual = ["web", "--listen", "127.0.0.1:0", "--no-open"];
        Self::listening(&[&usual, arguments].concat())
    }

    /// Starts the program with exactly these arguments.
    pub(super) fn listening(arguments: &[&str]) -> Self {
        let mut child = command(arguments).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let url = line.trim_end().strip_prefix("listening on http://");
        let (address, token) = url.unwrap().split_once("/?token=").unwrap();
        assert_eq!(token.len(), 32, "{line}");
        Self {
            child,
            address: address.parse().unwrap(),
            token: token.to_string(),
            _output: output,
        }
    }

    /// Lets the server end in order: only then does a measurement of coverage count its lines.
    #[cfg(unix)]
    fn terminate(&mut self) {
        use rustix::process::{Pid, Signal, kill_process};

        // The number of a process that has ended may be that of another one.
        if let Ok(None) = self.child.try_wait() {
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        }
        let end = Instant::now() + Duration::from_secs(5);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[cfg(not(unix))]
    fn terminate(&mut self) {}

    pub(super) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The head of a request with a right host and token, and these other headers.
    pub(super) fn head(&self, request: &str, headers: &[&str]) -> String {
        let host = format!("Host: {}", self.address);
        let token = format!("Authorization: Bearer {}", self.token);
        head(request, &[&[host.as_str(), &token], headers].concat())
    }

    /// The answer to bytes, as they are.
    pub(super) fn raw(&self, request: impl AsRef<[u8]>) -> Answer {
        let mut stream = self.connect();
        // A server that refuses early may not read everything.
        let _ = stream.write_all(request.as_ref());
        Answer::read(&mut BufReader::new(stream)).unwrap()
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        let host = format!("Host: {}", self.address);
        self.raw(head(&format!("GET {path}"), &[&host]))
    }

    /// The answer to a command with a body of any bytes.
    pub(super) fn post_bytes(&self, name: &str, body: &[u8]) -> Answer {
        let length = format!("Content-Length: {}", body.len());
        let headers = ["Content-Type: application/json", &length];
        let head = self.head(&format!("POST /api/{name}"), &headers);
        self.raw([head.as_bytes(), body].concat())
    }

    pub(super) fn post(&self, name: &str, body: &Value) -> Answer {
        self.post_bytes(name, body.to_string().as_bytes())
    }

    /// The answer to a command that must succeed.
    pub(super) fn ask(&self, name: &str, body: &Value) -> Value {
        let answer = self.post(name, body);
        assert_eq!(answer.status, 200, "{name} {body}: {}", answer.text());
        answer.json()
    }

    /// The status and the sentence with which a command is refused.
    pub(super) fn refusal(&self, name: &str, body: &Value) -> (u16, String) {
        self.post(name, body).refusal()
    }

    pub(super) fn stream(&self, page: &str) -> Stream {
        let mut stream = self.connect();
        let head = self.head(&format!("GET /api/events?page={page}"), &[]);
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let head = Head::read(&mut reader).unwrap();
        assert_eq!(head.status, 200);
        let mut stream = Stream { reader };
        assert_eq!(stream.next("hello")["page"], page);
        stream
    }

    /// Processor time of the server so far.
    #[cfg(target_os = "linux")]
    pub(super) fn processor_time(&self) -> Duration {
        let path = format!("/proc/{}/stat", self.child.id());
        let text = std::fs::read_to_string(path).unwrap();
        let fields = text.rsplit_once(')').unwrap().1;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        Duration::from_millis(ticks * 10)
    }

    /// Waits until the server uses hardly any processor time.
    #[cfg(target_os = "linux")]
    pub(super) fn wait_until_idle(&self) -> Duration {
        let begin = Instant::now();
        loop {
            let before = self.processor_time();
            std::thread::sleep(Duration::from_millis(300));
            if self.processor_time() - before <= Duration::from_millis(20) {
                return begin.elapsed();
            }
            assert!(begin.elapsed() < PATIENCE, "the server is never idle");
        }
    }
}

/// The text of a request without a body.
pub(super) fn head(request: &str, headers: &[&str]) -> String {
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    format!("{request} HTTP/1.1\r\n{headers}\r\n")
}

#[derive(Debug)]
pub(super) struct Head {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    /// `None` if the connection was closed before.
    fn read(reader: &mut impl BufRead) -> Option<Self> {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
        let status = line.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            line.clear();
            reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                return Some(Self { status, headers });
            };
            headers.push((name.to_lowercase(), value.trim().to_string()));
        }
    }

    pub(super) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(own, _)| own == name);
        found.map_or("", |(_, value)| value)
    }
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: Head,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// `None` if the connection was closed before the end.
    pub(super) fn read(reader: &mut impl BufRead) -> Option<Self> {
        let head = Head::read(reader)?;
        let length = head.header("content-length").parse().unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        Some(Self {
            status: head.status,
            head,
            body,
        })
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(super) fn refusal(&self) -> (u16, String) {
        let error = self.json()["error"].as_str().unwrap().to_string();
        assert!(self.status >= 400 && error.len() > 5, "{error}");
        assert!(!error.contains('\n'), "{error}");
        (self.status, error)
    }
}

/// The events of a page.
pub(super) struct Stream {
    reader: BufReader<TcpStream>,
}

impl Stream {
    /// The next line of the stream; chunk sizes stand in lines of their own.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.reader
            .read_line(&mut line)
            .ok()
            .filter(|&read| read > 0)?;
        Some(line.trim_end().to_string())
    }

    /// The next event of any kind; `None` if the stream has ended.
    pub(super) fn event(&mut self) -> Option<(String, Value)> {
        let mut name = String::new();
        let begin = Instant::now();
        // There is a ping each second, so reading alone would wait for ever.
        while begin.elapsed() < PATIENCE {
            let line = self.line()?;
            if let Some(found) = line.strip_prefix("event: ") {
                name = found.to_string();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some((name, serde_json::from_str(data).unwrap()));
            }
        }
        panic!("no event for {PATIENCE:?}");
    }

    /// The next event with this name.
    pub(super) fn next(&mut self, name: &str) -> Value {
        let begin = Instant::now();
        loop {
            let (found, data) = self.event().unwrap();
            if found == name {
                return data;
            }
            assert!(begin.elapsed() < PATIENCE, "no event `{name}`");
        }
    }

    /// Whether a ping comes.
    pub(super) fn wait_for_ping(&mut self) {
        while self.line().unwrap() != ":" {}
    }

    /// The events within a time.
    pub(super) fn within(&mut self, time: Duration) -> Vec<(String, Value)> {
        let end = Instant::now() + time;
        let mut events = Vec::new();
        let mut name = String::new();
        // There is a ping each second, so this ends.
        while Instant::now() < end {
            let line = self.line().unwrap();
            if let Some(found) = line.strip_prefix("event: ") {
                name = found.to_string();
            } else if let Some(data) = line.strip_prefix("data: ") {
                events.push((name.clone(), serde_json::from_str(data).unwrap()));
            }
        }
        events
    }
}

/// A line of the default game on 9x9.
pub(super) fn line(moves: &[&str]) -> Value {
    json!({"start": {"size": 9}, "moves": moves})
}

/// Reads until the connection is closed; returns what came.
pub(super) fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    bytes
}
