//! Requests that must not get through, and those that must not wear the server out.

use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::Answer;
use super::{PATIENCE, Server, head, line, rest};

const JSON: &str = "Content-Type: application/json";

#[test]
fn only_the_token_lets_commands_through() {
    let server = Server::start(&[]);
    let host = format!("Host: {}", server.address);
    let (half, other) = server.token.split_at(16);
    let mut wrong: Vec<String> = ["Bearer", "Bearer ", "Basic YTpi", "Bearer 0"]
        .map(String::from)
        .into();
    wrong.push(format!("Bearer {half}"));
    wrong.push(format!("Bearer {other}{half}"));
    wrong.push(format!("Bearer {}0", server.token));
    wrong.push(format!("bearer {}", server.token));
    wrong.push(format!("Bearer  {}", server.token));
    wrong.push(server.token.clone());
    for wrong in wrong {
        let token = format!("Authorization: {wrong}");
        let request = head(
            "POST /api/catalog",
            &[&host, &token, JSON, "Content-Length: 2"],
        );
        assert_eq!(server.raw(request + "{}").refusal().0, 401, "{wrong}");
    }
    for request in [
        "POST /api/catalog",
        "GET /api/events?page=a",
        "GET /api/nothing",
    ] {
        let request = head(request, &[&host, JSON, "Content-Length: 0"]);
        assert_eq!(server.raw(request).refusal().0, 401);
    }
    // A token in the address counts for nothing.
    let path = format!("POST /api/catalog?token={}", server.token);
    let request = head(&path, &[&host, JSON, "Content-Length: 2"]);
    assert_eq!(server.raw(request + "{}").refusal().0, 401);
    let own = format!("Authorization: Bearer {}", server.token);
    let request = head(
        "POST /api/catalog",
        &[&host, &own, &own, JSON, "Content-Length: 2"],
    );
    assert_eq!(server.raw(request + "{}").refusal().0, 401);
    assert_eq!(server.ask("catalog", &json!({}))["pages"], 8);
}

#[test]
fn foreign_names_and_sites_are_refused() {
    let server = Server::start(&[]);
    let token = format!("Authorization: Bearer {}", server.token);
    let port = server.address.port();
    let ask = |headers: &[&str]| {
        let headers = [headers, &[&token, JSON, "Content-Length: 2"]].concat();
        let answer = server.raw(head("POST /api/catalog", &headers) + "{}");
        assert!(
            answer
                .head
                .header("content-security-policy")
                .contains("'none'")
        );
        answer.status
    };
    for host in [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
    ] {
        let host = format!("Host: {host}");
        assert_eq!(ask(&[&host]), 200, "{host}");
        let origin = host.replace("Host: ", "Origin: http://");
        assert_eq!(ask(&[&host, &origin, "Sec-Fetch-Site: same-origin"]), 200);
    }
    for host in [
        "evil.example".to_string(),
        format!("evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        "localhost".to_string(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("192.168.0.1:{port}"),
        String::new(),
    ] {
        assert_eq!(ask(&[&format!("Host: {host}")]), 403, "{host}");
    }
    let host = format!("Host: 127.0.0.1:{port}");
    assert_eq!(ask(&[]), 403);
    assert_eq!(ask(&[&host, &host]), 403);
    for foreign in [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: http://127.0.0.1",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ] {
        assert_eq!(ask(&[&host, foreign]), 403, "{foreign}");
    }
    // Files are as closed to names that were made to point here.
    for headers in [
        ["Host: evil.example", "A: b"],
        [&host, "Origin: http://evil.example"],
    ] {
        assert_eq!(server.raw(head("GET /", &headers)).refusal().0, 403);
    }
    let absolute = head("GET http://evil.example/", &[&host]);
    assert_eq!(server.raw(absolute).refusal().0, 403);
}

#[test]
fn paths_lead_to_no_other_file() {
    let server = Server::start(&[]);
    for path in [
        "/..",
        "/../Cargo.toml",
        "/../../../../../../etc/passwd",
        "/vendor/../index.html",
        "/./index.html",
        "//index.html",
        "/%2e%2e/mod.rs",
        "/%2e%2e%2fmod.rs",
        "/..%2fmod.rs",
        "/..%5cmod.rs",
        "/..\\mod.rs",
        "/index.html%00",
        "/index.html/",
        "/%69ndex.html",
        "/etc/passwd",
        "/mod.rs",
        "/page",
        "/vendor",
        "/vendor/",
        "/api",
        "/api/../index.html",
    ] {
        let status = server.get(path).status;
        assert!([400, 401, 404].contains(&status), "{path}: {status}");
    }
}

#[test]
fn only_json_commands_are_executed() {
    let server = Server::start(&[]);
    let send = |kind: &str, body: &str| {
        let length = format!("Content-Length: {}", body.len());
        let request = server.head("POST /api/position", &[kind, &length]);
        server.raw(request + body).refusal().0
    };
    for kind in [
        "Content-Type: text/plain",
        "Content-Type: application/x-www-form-urlencoded",
        "Content-Type: multipart/form-data; boundary=x",
        "Content-Type: text/plain; application/json",
        "Content-Type:",
        "X: y",
    ] {
        assert_eq!(send(kind, "{}"), 415, "{kind}");
    }
    let twice = format!("{JSON}\r\n{JSON}");
    assert_eq!(send(&twice, "{}"), 415);
    let deep = "[".repeat(100_000);
    let nested = format!("{{\"moves\":{deep}");
    for body in [
        "",
        "{",
        "[]",
        "null",
        "1",
        "\"{}\"",
        "{}{}",
        "{\"moves\":1}",
        "{\"moves\":[1]}",
        "{\"moves\":[null]}",
        "{\"move\":[]}",
        "{\"start\":{\"file\":\"/etc/passwd\"}}",
        "{\"start\":{\"size\":-9}}",
        "{\"start\":{\"size\":9.5}}",
        "{\"start\":{\"size\":1e400}}",
        "{\"start\":{\"size\":99999999999999999999999999}}",
        "{\"start\":{\"size\":18446744073709551615}}",
        "{\"start\":{\"players\":0}}",
        "{\"start\":{\"setup\":\"../../../etc/passwd\"}}",
        "{\"start\":{\"setup\":\"/dev/zero\"}}",
        "{\"start\":{\"text\":\"\\u0000\"}}",
        "{\"game\":\"tanbo\",\"game\":\"tanbo\"}",
        &deep,
        &nested,
    ] {
        let begin: String = body.chars().take(60).collect();
        assert_eq!(send(JSON, body), 422, "{begin}");
    }
    let bytes = server.post_bytes("position", b"{\"game\":\"\xff\xfe\"}");
    assert_eq!(bytes.refusal().0, 422);
    let bytes: Vec<u8> = (0..=255).cycle().take(5000).collect();
    assert_eq!(server.post_bytes("position", &bytes).refusal().0, 422);
    for (request, status) in [
        ("POST /api/nothing", 404),
        ("GET /api/position", 405),
        ("PUT /api/position", 405),
        ("POST /api/events", 405),
    ] {
        let request = server.head(request, &[JSON, "Content-Length: 2"]);
        assert_eq!(server.raw(request + "{}").refusal().0, status);
    }
    let many: Vec<&str> = vec!["C2"; 5001];
    let (status, error) = server.refusal("position", &line(&many));
    assert!(status == 422 && error.contains("5000"), "{error}");
    assert_eq!(server.ask("position", &json!({}))["number"], 0);
}

#[test]
fn long_bodies_are_refused_before_they_are_read() {
    let server = Server::start(&[]);
    // Nothing of the body is sent, so the server cannot wait for it.
    let length = format!("Content-Length: {}", 10 << 20);
    let request = server.head("POST /api/position", &[JSON, &length]);
    assert_eq!(server.raw(request).refusal().0, 413);
    // Without a length, reading ends at the limit.
    let mut stream = server.connect();
    let request = server.head("POST /api/position", &[JSON, "Transfer-Encoding: chunked"]);
    stream.write_all(request.as_bytes()).unwrap();
    let chunk = [b"10000\r\n".as_slice(), &[b' '; 0x10000], b"\r\n"].concat();
    let mut sent = 0;
    for _ in 0..160 {
        if stream.write_all(&chunk).is_err() {
            break;
        }
        sent += 1;
    }
    // The answer is lost if the client goes on writing; the connection has ended in any case.
    let answer = Answer::read(&mut BufReader::new(&stream));
    assert!(answer.is_none_or(|answer| answer.status == 413));
    assert!(sent >= 16);
    let length = format!("Content-Length: {}", 1 << 20);
    let body = " ".repeat((1 << 20) - 2) + "{}";
    let request = server.head("POST /api/position", &[JSON, &length]);
    assert_eq!(server.raw(request + &body).status, 200);
    let token = format!("Authorization: Bearer {}", "0".repeat(32));
    let host = format!("Host: {}", server.address);
    let length = format!("Content-Length: {}", 10 << 20);
    let stranger = head("POST /api/position", &[&host, &token, JSON, &length]);
    assert_eq!(server.raw(stranger).refusal().0, 401);
    let long = format!("GET /{} HTTP/1.1\r\n", "a".repeat(100_000));
    let answer = server.raw(long);
    assert!([414, 431].contains(&answer.status), "{}", answer.status);
}

/// Requests whose end never comes are given up, and keep nobody out meanwhile.
#[test]
fn half_requests_and_idle_connections_are_closed() {
    let server = Server::start(&[]);
    let begin = Instant::now();
    let host = format!("Host: {}", server.address);
    let mut halves: Vec<TcpStream> = Vec::new();
    let body = server.head("POST /api/position", &[JSON, "Content-Length: 100"]) + "{";
    for begun in [
        "",
        "G",
        "GET / HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: ",
        &body,
    ] {
        let mut stream = server.connect();
        stream.write_all(begun.as_bytes()).unwrap();
        halves.push(stream);
    }
    let mut idle = server.connect();
    idle.write_all(head("GET /", &[&host]).as_bytes()).unwrap();
    let mut reader = BufReader::new(idle.try_clone().unwrap());
    assert_eq!(Answer::read(&mut reader).unwrap().status, 200);
    assert_eq!(server.ask("position", &json!({}))["number"], 0);
    let texts: Vec<Vec<u8>> = halves.iter_mut().map(rest).collect();
    rest(&mut idle);
    assert!(begin.elapsed() < PATIENCE, "they stay open");
    let text = String::from_utf8_lossy(&texts[4]);
    assert!(text.starts_with("HTTP/1.1 408"), "{text}");
}

#[test]
fn connections_that_say_nothing_keep_nobody_out() {
    let server = Server::start(&[]);
    let mut stream = server.stream("a");
    let mut silent: Vec<TcpStream> = Vec::new();
    for _ in 0..600 {
        let mut one = server.connect();
        // A slow loris: a byte of a head now and then.
        let _ = one.write_all(b"GET / HT");
        silent.push(one);
    }
    assert_eq!(server.ask("position", &json!({}))["number"], 0);
    // The page that was there before them goes on.
    server.ask("analyze", &json!({"page": "a", "id": 1, "line": line(&[])}));
    assert_eq!(stream.next("analysis")["id"], 1);
}

#[test]
fn only_so_many_pages_are_open() {
    let server = Server::start(&["--pages", "3"]);
    let mut streams: Vec<_> = ["a", "b", "c"].map(|page| server.stream(page)).into();
    for number in 0..200 {
        let request = server.head(&format!("GET /api/events?page=x{number}"), &[]);
        assert_eq!(server.raw(request).refusal().0, 429);
    }
    for wrong in [
        "",
        "?page=",
        "?page=a-b",
        "?page=%61",
        "?id=a",
        &format!("?page={}", "a".repeat(33)),
    ] {
        let request = server.head(&format!("GET /api/events{wrong}"), &[]);
        assert_eq!(server.raw(request).refusal().0, 422, "{wrong}");
    }
    server.ask("analyze", &json!({"page": "c", "id": 1, "line": line(&[])}));
    streams[2].next("analysis");
    // A page that comes again takes its own place.
    let mut again = server.stream("c");
    while streams[2].event().is_some() {}
    server.ask("analyze", &json!({"page": "c", "id": 2, "line": line(&[])}));
    assert_eq!(again.next("analysis")["id"], 2);
    // The end of a stream makes room.
    drop(streams);
    let begin = Instant::now();
    loop {
        let request = server.head("GET /api/events?page=d", &[]);
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut status = [0; 12];
        std::io::Read::read_exact(&mut stream, &mut status).unwrap();
        if status.ends_with(b"200") {
            break;
        }
        assert!(begin.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A game goes on while strangers send what they can.
#[test]
fn hostile_requests_do_not_stop_a_game() {
    let server = Server::start(&["--threads", "1"]);
    let mut stream = server.stream("game");
    let port = server.address.port();
    let stop = std::sync::atomic::AtomicBool::new(false);
    let sent = std::sync::atomic::AtomicU64::new(0);
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    let mut moves: Vec<String> = Vec::new();
    std::thread::scope(|scope| {
        for kind in 0..2 {
            let (server, stop, sent) = (&server, &stop, &sent);
            scope.spawn(move || {
                let host = format!("Host: 127.0.0.1:{port}");
                let requests = [
                    head("POST /api/genmove", &[&host, JSON, "Content-Length: 2"]) + "{}",
                    head("GET /../../etc/passwd", &[&host]),
                    head(
                        "POST /api/stop",
                        &["Host: evil.example", JSON, "Content-Length: 2"],
                    ) + "{}",
                    "\u{0}\u{1}garbage\r\n\r\n".to_string(),
                    head(
                        "GET /api/events?page=game",
                        &[&host, "Authorization: Bearer 0"],
                    ),
                ];
                let mut number = kind;
                while !stop.load(relaxed) {
                    let Ok(mut one) = TcpStream::connect(server.address) else {
                        continue;
                    };
                    let _ = one.set_read_timeout(Some(PATIENCE));
                    let _ = one.write_all(requests[number % requests.len()].as_bytes());
                    let answer = Answer::read(&mut BufReader::new(one));
                    assert!(answer.is_none_or(|answer| answer.status >= 400));
                    sent.fetch_add(1, relaxed);
                    number += 1;
                }
            });
        }
        for id in 0..12 {
            let words: Vec<&str> = moves.iter().map(String::as_str).collect();
            let asked = json!({"page": "game", "id": id, "line": line(&words), "level": "easy"});
            server.ask("genmove", &asked);
            let found = stream.next("move");
            assert_eq!(found["id"], id);
            moves.push(found["moves"][0].as_str().unwrap().to_string());
        }
        // However fast the game was: a good number of requests came in between.
        while sent.load(relaxed) < 500 {
            std::thread::sleep(Duration::from_millis(10));
        }
        stop.store(true, relaxed);
    });
    let words: Vec<&str> = moves.iter().map(String::as_str).collect();
    assert_eq!(server.ask("position", &line(&words))["number"], 12);
}
