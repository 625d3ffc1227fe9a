//! `tanada prove` as a process: what it prints, logs, goes on from and refuses.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use serde_json::{Value, json as value};

use super::refusals::refusal;
use super::{command, json, keys, output, run, start};

const FIVE: [&str; 8] = [
    "--size",
    "5",
    "--setup",
    "corners",
    "--nodes",
    "1000",
    "--iterations",
    "20",
];

#[test]
fn the_answer_has_its_fields_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().join("five");
    let proof = proof.to_str().unwrap();
    let found = json(&[&["prove", proof, "--json"], &FIVE[..]].concat());
    let names = [
        "as_expected",
        "frontier",
        "nodes",
        "nodes_left",
        "position",
        "prediction",
        "refuted",
        "searched",
        "seconds",
        "solved",
        "winner",
    ];
    assert_eq!(keys(&found), names);
    let prediction = ["calibrations", "coefficients", "error"];
    assert_eq!(keys(&found["prediction"]), prediction);
    assert_eq!(found["winner"], "black");
    assert_eq!(found["position"], "5 b O3X/5/5/5/X3O");
    assert_eq!(found["frontier"], 0);
    let text = run(&["prove", proof]);
    assert!(text.starts_with("black wins\npositions "), "{text}");
    let again = json(&["prove", proof, "--json"]);
    assert_eq!(
        (&again["nodes"], &again["searched"]),
        (&found["nodes"], &0.into())
    );
}

#[test]
fn white_may_move_first() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().to_str().unwrap();
    let found = json(&[&["prove", proof, "--json", "--moves", "B1"], &FIVE[..]].concat());
    let solved = json(&["solve", "--size", "5", "--moves", "B1", "--json"]);
    assert_eq!(found["winner"], solved["winner"]);
    assert_eq!(found["position"], "5 w O3X/5/5/5/XX2O");
    // The folder knows who moves.
    let again = json(&["prove", proof, "--json"]);
    assert_eq!(again["winner"], found["winner"]);
    assert_eq!(again["position"], found["position"]);
}

/// Starts the command again and again, and kills it when it has come so far.
fn kill_at(steps: [usize; 3], arguments: &[&str], done: &dyn Fn() -> usize) {
    let begin = Instant::now();
    let mut killed = 0;
    for least in steps {
        let mut child = command(arguments).spawn().unwrap();
        while done() < least && child.try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < Duration::from_secs(120));
            std::thread::sleep(Duration::from_millis(1));
        }
        killed += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(killed > 0);
}

#[test]
fn a_killed_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("results.log");
    let proof = folder.path().to_str().unwrap();
    let lines = || fs::read_to_string(&log).map_or(0, |text| text.lines().count());
    kill_at([2, 5, 12], &[&["prove", proof], &FIVE[..]].concat(), &lines);
    assert!(run(&["prove", proof, "--nodes", "1000"]).starts_with("black wins\n"));
}

/// The files of the parts of a proof.
fn parts(proof: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(format!("{proof}/parts")).into_iter().flatten();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_none());
    files.sort();
    files
}

fn certify<'a>(proof: &'a str, file: &'a str) -> Vec<&'a str> {
    [
        &["prove", proof, "--json", "--certificate", file],
        &FIVE[..],
    ]
    .concat()
}

/// Solves all positions that the result rests on again.
fn check(proof: &str) -> Vec<&str> {
    [&["prove", proof, "--json", "--check", "1000"], &FIVE[..]].concat()
}

/// What is said about a certificate that is not written.
fn uncertified(proof: &str, file: &str) -> String {
    let refused = output(&certify(proof, file));
    assert_eq!(refused.status.code(), Some(1));
    assert!(!Path::new(file).exists());
    String::from_utf8(refused.stderr).unwrap()
}

#[test]
fn a_certificate_is_put_together_and_holds() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (proof, file) = (at("five"), at("five.cert"));
    let found = json(&certify(&proof, &file));
    let written = &found["certificate"];
    assert_eq!(keys(written), ["bytes", "parts", "plies", "positions"]);
    assert_eq!(written["bytes"], fs::metadata(&file).unwrap().len());
    assert!(written["parts"].as_u64() > Some(2), "{written}");
    assert!(!parts(&proof).is_empty());
    let verified = json(&["verify", &file, "--json"]);
    for name in ["positions", "parts", "plies"] {
        assert_eq!(verified[name], written[name]);
    }
    assert_eq!(verified["winner"], found["winner"]);
    assert!(crate::certificate::program::both(&fs::read(&file).unwrap()));
    // Each part is a certificate by itself.
    for part in parts(&proof) {
        let verified = json(&["verify", part.to_str().unwrap(), "--json"]);
        assert_eq!(verified["winner"], found["winner"]);
    }
    // The same again from what is in the folder, with one part missing.
    let first = fs::read(&file).unwrap();
    fs::remove_file(&parts(&proof)[0]).unwrap();
    let text = run(&["prove", &proof, "--nodes", "1000", "--certificate", &file]);
    assert!(text.contains("certificate  "), "{text}");
    assert_eq!(fs::read(&file).unwrap(), first);
    // With endings it is smaller, and its parts are others.
    let (small, before) = (at("small.cert"), parts(&proof).len());
    let smaller = [&certify(&proof, &small)[..], &["--endings", "20"]].concat();
    let written = json(&smaller)["certificate"].clone();
    assert!(written["endings"].as_u64() > Some(0), "{written}");
    assert!(parts(&proof).len() > before);
    let bytes = fs::read(&small).unwrap();
    assert!(bytes.len() < first.len() && crate::certificate::program::both(&bytes));
    // A file of somebody else stays.
    fs::write(&file, "my notes").unwrap();
    let complaint = refusal(&["prove", &proof, "--certificate", &file]);
    assert!(complaint.contains("add `--force`"), "{complaint}");
    let log = format!("{proof}/results.log");
    let complaint = refusal(&["prove", &proof, "--certificate", &log, "--force"]);
    assert!(
        complaint.contains("would overwrite the input"),
        "{complaint}"
    );
    let missing = at("missing/file");
    let complaint = refusal(&["prove", &proof, "--certificate", &missing]);
    assert!(complaint.contains("cannot write"), "{complaint}");
}

#[test]
fn small_questions_and_either_side_are_certified() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file").to_str().unwrap().to_string();
    for (size, nodes) in [(4, "1000"), (5, "1000"), (5, "100000000")] {
        let side = size.to_string();
        let white = format!("B1 A{}", size - 1);
        let games = ["", "B1", &white, &format!("{white} C1")];
        for (number, moves) in games.into_iter().enumerate() {
            let proof = folder.path().join(format!("{number}-{size}-{nodes}"));
            let mut arguments = vec!["prove", proof.to_str().unwrap(), "--json", "--size", &side];
            arguments.extend([
                "--iterations",
                "20",
                "--nodes",
                nodes,
                "--certificate",
                &file,
            ]);
            arguments.extend(["--setup", "corners"]);
            if !moves.is_empty() {
                arguments.extend(["--moves", moves]);
            }
            let found = json(&arguments);
            let verified = json(&["verify", &file, "--json"]);
            assert_eq!(verified["winner"], found["winner"], "{moves} {size}");
            assert_eq!(verified["parts"], found["certificate"]["parts"]);
        }
    }
}

#[test]
fn positions_are_solved_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let proof = at("five");
    let all = &json(&check(&proof))["check"];
    assert_eq!(keys(all), ["nodes", "of", "positions"]);
    let of = all["of"].as_u64().unwrap();
    assert!(of > 10 && all["positions"] == of, "{all}");
    let some = |count: &str, seed: &str| {
        let drawn = [
            "prove", &proof, "--nodes", "1000", "--check", count, "--seed", seed,
        ];
        let found = json(&[&drawn[..], &["--json"]].concat())["check"].clone();
        assert_eq!(found["of"], of);
        assert_eq!(found["positions"].to_string(), count);
        found["nodes"].as_u64().unwrap()
    };
    // The nodes tell draws apart.
    let few = some("3", "1");
    assert_eq!(few, some("3", "1"));
    assert!(few < some("9", "1") && some("9", "1") < all["nodes"].as_u64().unwrap());
    assert!((2..6).any(|seed| some("3", &seed.to_string()) != few));
    let text = run(&["prove", &proof, "--nodes", "1000", "--check", "3"]);
    let row = format!("check 3 of {of} positions solved again, {few} nodes");
    let mut rows = text
        .lines()
        .map(|line| Vec::from_iter(line.split_whitespace()).join(" "));
    assert!(rows.any(|line| line == row), "{text}");
    // One that the solver solved whole.
    let whole = at("four");
    let found = json(&[
        "prove", &whole, "--size", "4", "--setup", "corners", "--check", "9", "--json",
    ]);
    assert_eq!(
        (&found["check"]["positions"], &found["check"]["of"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn a_kill_keeps_the_parts_that_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (proof, file) = (at("five"), at("five.cert"));
    run(&[&["prove", &proof], &FIVE[..]].concat());
    kill_at([1, 3, 8], &certify(&proof, &file), &|| parts(&proof).len());
    let kept: Vec<_> = parts(&proof)
        .into_iter()
        .map(|part| (fs::read(&part).unwrap(), part))
        .collect();
    assert!(!kept.is_empty());
    json(&certify(&proof, &file));
    for (content, part) in kept {
        assert_eq!(fs::read(part).unwrap(), content);
    }
    // No piece of a file is left.
    let all = fs::read_dir(format!("{proof}/parts")).unwrap().count();
    assert_eq!(all, parts(&proof).len());
    assert_eq!(json(&["verify", &file, "--json"])["valid"], true);
}

#[test]
fn a_log_that_lies_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (proof, file) = (at("five"), at("five.cert"));
    run(&[&["prove", &proof], &FIVE[..]].concat());
    let log = format!("{proof}/results.log");
    let whole = fs::read_to_string(&log).unwrap();
    let (mut lies, mut unknown) = (0, 0);
    for (number, line) in whole.lines().enumerate().skip(1) {
        let words: Vec<&str> = line.split(' ').collect();
        let turned = match words[3] {
            "b" => "w",
            "w" => "b",
            _ => continue,
        };
        let text = [&words[..3], &[turned], &words[4..5]].concat().join(" ");
        let mut crc = flate2::Crc::new();
        crc.update(text.as_bytes());
        let lie = format!("{text} {:08x}", crc.sum());
        let lines = whole.lines().enumerate();
        let lines = lines.map(|(at, line)| if at == number { &lie[..] } else { line });
        let changed: Vec<&str> = lines.collect();
        fs::write(&log, changed.join("\n") + "\n").unwrap();
        let _ = fs::remove_file(&file);
        let found = output(&certify(&proof, &file));
        let complaint = String::from_utf8(found.stderr).unwrap();
        let checked = output(&check(&proof));
        assert_eq!(checked.status, found.status);
        assert_eq!(String::from_utf8(checked.stderr).unwrap(), complaint);
        if found.status.success() {
            // The strategy does without this position.
            assert_eq!(json(&["verify", &file, "--json"])["winner"], "black");
            continue;
        }
        assert_eq!(found.status.code(), Some(1), "{complaint}");
        assert!(!Path::new(&file).exists());
        assert!(found.stdout.is_empty());
        let position = words[..3].join(" ");
        let [one, other] = if turned == "b" {
            ["Black", "White"]
        } else {
            ["White", "Black"]
        };
        let lie = format!("the log says that {one} wins `{position}`, but {other} does");
        lies += u32::from(complaint.contains(&lie));
        let is_unknown = complaint.contains("the log knows no winning move at `");
        unknown += u32::from(is_unknown);
        assert!(is_unknown || complaint.contains(&lie), "{complaint}");
    }
    assert!(lies > 0 && unknown > 0, "{lies} {unknown}");
}

#[test]
fn a_bad_part_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (proof, file) = (at("five"), at("five.cert"));
    json(&certify(&proof, &file));
    fs::remove_file(&file).unwrap();
    let files = parts(&proof);
    let name = files[0].to_str().unwrap().to_string();
    let bytes = fs::read(&name).unwrap();
    let named = format!("the part `{name}` ");
    fs::copy(&files[1], &name).unwrap();
    let complaint = uncertified(&proof, &file);
    assert!(
        complaint.contains(&(named.clone() + "is of another position")),
        "{complaint}"
    );
    assert!(complaint.contains("delete it"), "{complaint}");
    let (head, mut moves) = crate::certificate::known::unseal(&bytes);
    moves[0] = 200;
    fs::write(&name, crate::certificate::known::seal(&head, &moves)).unwrap();
    let complaint = uncertified(&proof, &file);
    assert!(
        complaint.contains(&(named.clone() + "is damaged or false: move 200")),
        "{complaint}"
    );
    fs::write(&name, &bytes[..bytes.len() - 6]).unwrap();
    let complaint = uncertified(&proof, &file);
    assert!(
        complaint.contains(&(named + "is damaged or false: the file ends too early")),
        "{complaint}"
    );
    fs::remove_file(&name).unwrap();
    json(&certify(&proof, &file));
    assert_eq!(fs::read(&name).unwrap(), bytes);
}

#[test]
fn without_a_winner_there_is_no_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cert").to_str().unwrap().to_string();
    let proof = folder.path().join("seven");
    let start = [
        "prove",
        proof.to_str().unwrap(),
        "--size",
        "7",
        "--setup",
        "corners",
    ];
    let found = output(&[&start[..], &["--time", "0.2", "--certificate", &file]].concat());
    assert_eq!(found.status.code(), Some(3));
    let complaint = String::from_utf8(found.stderr).unwrap();
    assert!(
        complaint.contains("no certificate was written"),
        "{complaint}"
    );
    assert!(!Path::new(&file).exists());
}

#[test]
fn time_ends_a_run_with_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().to_str().unwrap();
    let output = output(&[
        "prove", proof, "--size", "7", "--setup", "corners", "--time", "0.2",
    ]);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("the winner is not known yet\n"), "{text}");
    assert!(text.contains("nodes left"), "{text}");
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(
        complaint.contains("`--time 0.2` ended before"),
        "{complaint}"
    );
}

#[test]
fn what_it_cannot_prove_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (notes, empty, foreign, five) = (at("notes"), at("empty"), at("foreign"), at("five"));
    fs::write(&notes, "my notes").unwrap();
    fs::create_dir(&foreign).unwrap();
    fs::write(format!("{foreign}/results.log"), "my notes\n").unwrap();
    run(&[&["prove", &five], &FIVE[..]].concat());
    for (arguments, part) in [
        (&["prove"][..], "missing `<FOLDER>`"),
        (
            &["prove", &empty],
            "there is no proof in it yet; give the position to prove",
        ),
        (&["prove", &foreign], "it is not a log of `tanada prove`"),
        (
            &["prove", &notes, "--size", "5"],
            "the folder cannot be created",
        ),
        (
            &["prove", &five, "--size", "4"],
            "it belongs to another position: `5 b O3X/5/5/5/X3O`",
        ),
        (
            &["prove", &empty, "--size", "13"],
            "the solver needs at most 10x10",
        ),
        (
            &["prove", &empty, "--game", "taratibu", "--size", "7"],
            "is for Tanbo, not for Taratibu",
        ),
        (
            &["prove", &five, "--delegate", "2", "--json"],
            "`--delegate` cannot be used with `--json`",
        ),
        (
            &["prove", &five, "--check", "0"],
            "invalid value `0` for `--check`: expected a whole number from 1 to",
        ),
        (
            &["prove", &empty, "--nodes", "10"],
            "invalid value `10` for `--nodes`",
        ),
    ] {
        let complaint = refusal(arguments);
        assert!(complaint.contains(part), "{part} is not in: {complaint}");
    }
}

/// Some positions of this proof are solved by jobs.
const WITH_JOBS: [&str; 8] = [
    "--setup",
    concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/solved/5x5-edges.txt"
    ),
    "--nodes",
    "8000",
    "--iterations",
    "20",
    "--threads",
    "1",
];

/// `tanada prove --delegate` and whoever solves its jobs.
struct Delegated {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Delegated {
    fn new(folder: &str, most: &str) -> Self {
        let arguments = [&["prove", folder, "--delegate", most], &WITH_JOBS[..]].concat();
        let mut child = start(&arguments);
        Self {
            to: child.stdin.take(),
            from: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// The next line, `None` at the end.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
    }

    /// The next job.
    fn job(&mut self) -> Value {
        loop {
            let line = self.next().unwrap();
            assert!(line.get("done").is_none(), "{line}");
            if line.get("job").is_some() {
                return line;
            }
        }
    }

    fn say(&mut self, line: &str) {
        // It may have ended.
        let _ = writeln!(self.to.as_ref().unwrap(), "{line}");
    }

    /// Closes the input. The exit status, and what was said on standard error.
    fn finish(mut self) -> (Option<i32>, String) {
        self.to = None;
        while self.next().is_some() {}
        let output = self.child.wait_with_output().unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), complaint)
    }
}

/// The answer of `tanada solve` to a job.
fn solve(job: &Value, folder: &tempfile::TempDir) -> Value {
    assert_eq!(keys(job), ["job", "nodes", "position", "worth"]);
    assert_eq!(job["nodes"], 64_000);
    let file = folder.path().join("position");
    fs::write(&file, job["position"].as_str().unwrap()).unwrap();
    let solved = json(&["solve", file.to_str().unwrap(), "--json"]);
    value!({"job": job["job"], "winner": solved["winner"], "nodes": solved["nodes"]})
}

#[test]
fn others_solve_positions() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().join("proof");
    let mut run_of = Delegated::new(proof.to_str().unwrap(), "1");
    // The first one is lost, the second one takes too long.
    let first = run_of.job();
    run_of.say(&value!({"job": first["job"], "lost": "a flood"}).to_string());
    let second = run_of.job();
    assert_eq!(second["position"], first["position"]);
    assert_ne!(second["job"], first["job"]);
    run_of.say(&value!({"job": second["job"], "winner": null, "nodes": 64_000}).to_string());
    run_of.say("{\"jobs\": 3}\n");
    let mut held: Vec<Value> = Vec::new();
    let done = loop {
        let line = run_of.next().unwrap();
        if line.get("done").is_some() {
            break line;
        }
        if let Some(number) = line.get("cancel") {
            assert!(held.iter().any(|answer| answer["job"] == *number));
            continue;
        }
        assert_ne!(line["position"], first["position"], "it was given up");
        let answer = solve(&line, &folder);
        run_of.say(&answer.to_string());
        held.push(answer);
    };
    assert_eq!(run_of.next(), None);
    assert_eq!(done["done"]["winner"], "white");
    let text = done["text"].as_str().unwrap();
    assert!(text.starts_with("white wins\n"), "{text}");
    let (status, said) = run_of.finish();
    assert_eq!(status, Some(0));
    assert!(said.contains("job 1 is lost: a flood"), "{said}");
    let log = fs::read_to_string(proof.join("results.log")).unwrap();
    let given_up = format!("{} ? 64000 ", first["position"].as_str().unwrap());
    assert_eq!(log.matches(&given_up).count(), 1, "{log}");
    assert!(!held.is_empty());
    assert!(run(&["prove", proof.to_str().unwrap()]).starts_with("white wins\n"));
}

#[test]
fn the_end_of_the_input_stops_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().to_str().unwrap();
    let mut run_of = Delegated::new(proof, "2");
    run_of.job();
    let (status, said) = run_of.finish();
    assert_eq!(status, Some(130), "{said}");
    assert!(
        said.contains("the input ended before the winner was known"),
        "{said}"
    );
    assert!(run(&["prove", proof]).starts_with("white wins\n"));
}

#[test]
fn wrong_lines_stop_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().to_str().unwrap();
    let long = "x".repeat((1 << 20) + 1);
    for (line, part) in [
        (
            "hello",
            "standard input: `hello` is not a JSON object: expected",
        ),
        (
            "{\"job\": 99, \"winner\": null, \"nodes\": 1}",
            "standard input: unknown job `99`: expected",
        ),
        ("{\"job\": 99, \"lost\": \"\"}", "unknown job `99`"),
        (
            "{\"job\": 1, \"winner\": \"red\", \"nodes\": 1}",
            "expected \"black\", \"white\" or null",
        ),
        (
            "{\"job\": 1, \"winner\": \"black\", \"nodes\": -1}",
            "`nodes` in `{\"job\": 1, ",
        ),
        (&long, "is too long: expected at most 1048576 bytes"),
    ] {
        let mut run_of = Delegated::new(proof, "2");
        run_of.job();
        run_of.say(line);
        let (status, said) = run_of.finish();
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains(part), "{part} is not in: {said}");
    }
    assert!(run(&["prove", proof]).starts_with("white wins\n"));
}
