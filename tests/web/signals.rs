//! How the program ends on a signal.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::{PATIENCE, Server, line};

#[test]
fn signals_end_the_program_while_pages_are_open() {
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let mut server = Server::start(&[]);
        let mut streams = ["a", "b"].map(|page| server.stream(page));
        let asked = json!({"page": "a", "id": 1, "line": line(&[])});
        server.ask("analyze", &asked);
        streams[0].next("analysis");
        let begin = Instant::now();
        kill_process(Pid::from_child(&server.child), signal).unwrap();
        let ended = server.child.wait().unwrap();
        assert_eq!(ended.code(), Some(status));
        assert!(begin.elapsed() < PATIENCE / 2);
        while streams[1].event().is_some() {}
        assert!(begin.elapsed() < PATIENCE / 2 + Duration::from_secs(1));
    }
}
