//! How the program starts and ends.

use std::io::Read;

use serde_json::json;

use super::Server;
use crate::cli::output;

#[test]
fn a_port_in_use_is_explained() {
    let server = Server::start(&[]);
    let taken = server.address.to_string();
    let output = output(&["web", "--no-open", "--listen", &taken]);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
    assert!(complaint.contains(&taken) && complaint.contains("--listen 127.0.0.1:0"));
}

#[test]
fn wrong_arguments_are_refused() {
    for (arguments, part) in [
        (["--listen", "8026"], "an address and a port"),
        (["--listen", "evil.example:80"], "an address and a port"),
        (["--listen", "127.0.0.1:99999"], "an address and a port"),
        (["--pages", "0"], "from 1 to 64"),
        (["--engines", "65"], "from 1 to 64"),
    ] {
        let arguments = [&["web", "--no-open"], arguments.as_slice()].concat();
        let output = output(&arguments);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains(part), "{complaint}");
    }
}

/// Whoever listens for the network is told what that means, and is reached only by the address that a
/// connection came in by.
#[test]
fn listening_for_the_network_is_told() {
    let mut server = Server::listening(&["web", "--no-open", "--listen", "0.0.0.0:0"]);
    assert!(server.address.ip().is_loopback());
    assert_eq!(server.ask("position", &json!({}))["number"], 0);
    let foreign = format!("Host: 192.168.7.7:{}", server.address.port());
    let answer = server.raw(super::head("GET /", &[&foreign]));
    assert_eq!(answer.status, 403);
    server.child.kill().unwrap();
    let mut notes = String::new();
    server
        .child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut notes)
        .unwrap();
    assert_eq!(notes.lines().count(), 1, "{notes}");
    assert!(
        notes.contains("network") && notes.contains("not encrypted"),
        "{notes}"
    );
}
