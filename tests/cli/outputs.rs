//! Files that commands write: never over an input, and over somebody's file only with `--force`.

use std::fs;
use std::path::Path;

use super::refusals::refusal;
use super::{answers, output, run};

/// A command that writes a file, with what stands before the file's name.
pub(super) struct Case {
    arguments: Vec<String>,
    /// What the file begins with.
    pub(super) begin: &'static str,
    /// Who writes such files.
    pub(super) maker: &'static str,
}

pub(super) fn cases() -> Vec<Case> {
    let case = |line: &str, begin, maker| Case {
        arguments: line.split_whitespace().map(str::to_string).collect(),
        begin,
        maker,
    };
    vec![
        case(
            "analyze --size 4 --setup corners --threads 1 --iterations 3 --html",
            "<!doctype html>",
            "tanada analyze --html",
        ),
        case(
            "endings --size 5 --setup corners --points 9 --iterations 5 --count 1 --out",
            "# 1 ending with 9 playable points on 5x5",
            "tanada endings --out",
        ),
        case(
            "openings --size 5 --plies 1 --count 1 --low 0 --high 1 --engine iterations=3 --out",
            "# 1 opening of 1 random ply on 5x5",
            "tanada openings --out",
        ),
        case(
            "solve --size 4 --threads 1 --certificate",
            "tanada certificate 1\n",
            "tanada solve --certificate` or `tanada prove --certificate",
        ),
        case(
            "solve --size 4 --threads 1 --checkpoint",
            "tanada solver results ",
            "tanada solve --checkpoint",
        ),
        case(
            "selfplay --size 4 --games 1 --iterations 2 --plies 1 --set leaf=linear --out",
            "\u{1f}",
            "tanada selfplay --out",
        ),
        case(
            "train --size 4 --generations 1 --games 10 --iterations 1 --plies 1 --out",
            "# size phase",
            "tanada train --out",
        ),
        case(
            "train --size 4 --generations 1 --games 10 --iterations 1 --plies 1 --checkpoint",
            "{\"settings\":{\"seed\":",
            "tanada train --checkpoint",
        ),
        case("gtp --log", "0.", "tanada gtp --log"),
    ]
}

pub(super) fn words<'a>(case: &'a Case, more: &[&'a str]) -> Vec<&'a str> {
    let words = case.arguments.iter().map(String::as_str);
    words.chain(more.iter().copied()).collect()
}

/// A run that must succeed; the protocol gets a command to answer.
fn done(arguments: &[&str]) {
    match arguments[0] {
        "gtp" => drop(answers(arguments, "name\nquit\n")),
        _ => drop(run(arguments)),
    }
}

pub(super) fn name(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn only_own_files_are_written_over() {
    let folder = tempfile::tempdir().unwrap();
    for (number, case) in cases().iter().enumerate() {
        let path = folder.path().join(format!("file{number}"));
        let to = name(&path);
        for theirs in ["(;GM[1]SZ[4];B[ab])", "# My notes\n", "\0\u{1}binary"] {
            fs::write(&path, theirs).unwrap();
            let complaint = refusal(&words(case, &[to]));
            let expected = format!(
                "tanada: `{to}` exists and was not written by `{}`; choose another name or add \
                 `--force`\n",
                case.maker
            );
            assert_eq!(complaint, expected);
            assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
        }
        let begins = || {
            let bytes = fs::read(&path).unwrap();
            assert!(
                bytes.starts_with(case.begin.as_bytes()),
                "{}: {}",
                case.maker,
                String::from_utf8_lossy(&bytes)
            );
        };
        done(&words(case, &[to, "--force"]));
        begins();
        // What it made itself needs no force.
        done(&words(case, &[to]));
        begins();
        fs::write(&path, "").unwrap();
        done(&words(case, &[to]));
        begins();
    }
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, cases().len());
}

#[test]
fn an_input_is_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let game = path("game.sgf");
    // Nobody else's: a game that this program wrote.
    let record = answers(&["--size", "4"], "play b A2\nprintsgf\nquit\n");
    let record = record.split("\n\n").nth(1).unwrap();
    let text = record.trim_start_matches("= ");
    fs::write(&game, text).unwrap();
    fs::create_dir(path("below")).unwrap();
    fs::hard_link(&game, path("hard.sgf")).unwrap();
    let around = path("below").join("..").join("game.sgf");
    let soft = path("soft.sgf");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&game, &soft).unwrap();
    // On Windows only administrators may make links of this kind.
    #[cfg(windows)]
    fs::hard_link(&game, &soft).unwrap();
    let from = name(&game);
    for to in [&game, &around, &path("hard.sgf"), &soft] {
        let to = name(to);
        let setups = [
            ["endings", "--points", "5", "--out"],
            ["openings", "--count", "1", "--out"],
            ["selfplay", "--games", "1", "--out"],
            ["train", "--games", "10", "--out"],
            ["train", "--games", "10", "--checkpoint"],
            ["gtp", "--seed", "1", "--log"],
        ];
        let mut all = vec![
            vec!["analyze", from, "--html", to],
            vec!["analyze", "--setup", from, "--html", to],
            vec!["solve", from, "--certificate", to],
            vec!["solve", from, "--checkpoint", to],
            vec![
                "selfplay",
                "--size",
                "4",
                "--games",
                "1",
                "--weights",
                from,
                "--out",
                to,
            ],
        ];
        all.extend(setups.map(|setup| [&setup[..], &[to, "--setup", from]].concat()));
        for arguments in all.iter().filter(|words| !words.contains(&"--weights")) {
            for force in [&[][..], &["--force"]] {
                let complaint = refusal(&[&arguments[..], force].concat());
                assert!(
                    complaint.contains("would overwrite the input `"),
                    "{complaint}"
                );
                assert_eq!(fs::read_to_string(&game).unwrap(), text);
            }
        }
    }
}

#[test]
fn weights_that_are_read_are_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights");
    let weights = name(&path);
    let train = "train --size 4 --generations 1 --games 10 --iterations 1 --plies 1 --out";
    let train: Vec<&str> = train.split_whitespace().collect();
    run(&[&train[..], &[weights]].concat());
    let before = fs::read(&path).unwrap();
    let play = [
        "selfplay",
        "--size",
        "4",
        "--games",
        "1",
        "--iterations",
        "1",
    ];
    let play = [
        &play[..],
        &["--weights", weights, "--force", "--out", weights],
    ]
    .concat();
    let complaint = refusal(&play);
    assert!(
        complaint.contains("would overwrite the input"),
        "{complaint}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn two_outputs_are_two_files() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("x"), folder.path().join("./x"));
    let solve = ["solve", "--size", "4", "--checkpoint", name(&one)];
    let solve = [&solve[..], &["--certificate", name(&other), "--force"]].concat();
    let complaint = refusal(&solve);
    let expected = "`--checkpoint` and `--certificate` name the same file";
    assert!(complaint.contains(expected), "{complaint}");
}

#[test]
fn a_folder_of_somebody_elses_gets_no_match() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.txt");
    fs::write(&path, "my report").unwrap();
    let to = name(folder.path());
    let play = ["match", "--size", "4", "--pairs", "1", "--iterations", "1"];
    let engines = ["--engine", "name=a", "--engine", "name=b", "--records", to];
    let complaint = refusal(&[&play[..], &engines].concat());
    assert!(complaint.contains("not written by Tanada"), "{complaint}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "my report");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    fs::rename(&path, folder.path().join("plot.svg")).unwrap();
    for tune in [
        "--scan cpuct=0.1,0.2 --pairs 1",
        "--param cpuct --steps 1 --pairs 1",
    ] {
        let start = ["tune", "--size", "4", "--iterations", "1", "--folder", to];
        let tune: Vec<&str> = tune.split(' ').collect();
        let complaint = refusal(&[&start[..], &tune].concat());
        let expected = "plot.svg` exists but was not written by Tanada; choose another folder";
        assert!(complaint.contains(expected), "{complaint}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn printsgf_writes_over_its_own_records_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    let input = format!("printsgf {}\nquit\n", name(&path));
    fs::write(&path, "(;GM[1]AP[GoGui:1.6]SZ[4])").unwrap();
    let told = answers(&["gtp", "--size", "4"], &input);
    assert!(told.contains("? cannot save file"), "{told}");
    assert!(fs::read_to_string(&path).unwrap().contains("GoGui"));
    assert_eq!(
        answers(&["gtp", "--size", "4", "--force"], &input),
        "= \n\n= \n\n"
    );
    assert_eq!(answers(&["gtp", "--size", "4"], &input), "= \n\n= \n\n");
    assert!(fs::read_to_string(&path).unwrap().contains("AP[tanada:"));
}

#[test]
fn a_missing_folder_is_told_before_the_work() {
    let missing = "/no such folder/file";
    for case in cases()
        .iter()
        .filter(|case| case.maker != "tanada gtp --log")
    {
        let output = output(&words(case, &[missing]));
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(
            complaint.contains("cannot write `/no such folder/file`"),
            "{complaint}"
        );
    }
}
