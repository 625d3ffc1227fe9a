//! Matches that cannot be played: one sentence, exit status 2 and no game.

use super::{Folder, failure, words};

/// A match that would be good with two engines.
const GOOD: &str = "--size 5 --pairs 1 --iterations 1";

fn refusal(first: &str, more: &[&str]) -> String {
    failure(&words(first, more), 2)
}

fn assert_parts(sentence: &str, parts: &[&str]) {
    for part in parts {
        assert!(sentence.contains(part), "{part} is not in: {sentence}");
    }
    assert!(sentence.len() < 500, "{sentence}");
}

/// Wrong options, and options that contradict each other, with two good engines.
#[test]
fn wrong_options_are_refused() {
    let engines = ["--engine", "name=A", "--engine", "name=B"];
    let options = [
        (&["--pairs", "0"][..], &["`0` for `--pairs`"][..]),
        (&["--pairs", "-1"], &["`-1`", "--pairs"]),
        (&["--pairs", "many"], &["`many`", "--pairs"]),
        (&["--pairs", "99999999999"], &["`99999999999`", "--pairs"]),
        (&["--format", "swiss"], &["`swiss`", "gauntlet"]),
        (&["--plies", "999"], &["`999` random plies"]),
        (
            &["--plies", "2", "--openings", "x"],
            &["`--openings`", "`--plies`"],
        ),
        (&["--stall", "0"], &["`0`", "stall"]),
        (
            &["--concurrency", "0"],
            &["`0` for `--concurrency`", "1 to 1024"],
        ),
        (&["--concurrency", "1000"], &["`1000`", "--oversubscribe"]),
        (
            &["--concurrency", "1025", "--oversubscribe"],
            &["`1025`", "1 to 1024"],
        ),
        (&["--rating-interval", "x"], &["`x`", "--rating-interval"]),
        (&["--iterations", "0"], &["`0` for `--iterations`"]),
        (
            &["--time-per-move", "1"],
            &["`--time-per-move`", "`--iterations`"],
        ),
        (&["--clock", "1+1"], &["`--clock`", "`--iterations`"]),
        (&["--sprt", "elo0=5 elo1=5"], &["elo0", "elo1"]),
        (&["--sprt", "elo0=10 elo1=0"], &["elo0", "elo1"]),
        (
            &["--sprt", "elo0=0 elo1=10 alpha=0.6 beta=0.4"],
            &["alpha", "beta"],
        ),
        (
            &["--sprt", "elo0=0 elo1=10 model=bayesian"],
            &["`bayesian`", "logistic"],
        ),
        (&["--sprt", "elo1=10"], &["elo0"]),
        (&["--sprt", "elo0=0 elo1=10 gamma=1"], &["`gamma"]),
        (&["--resume"], &["--records"]),
        (&["--report"], &["--records"]),
        (&["--unit", "1"], &["--records"]),
        (
            &["--engine", "name=A"],
            &[
                "two engines are called `A`",
                "such as `--engine name=a,iterations=20`",
            ],
        ),
        (&["--engine", "nonsense"], &["`nonsense`", "KEY=VALUE"]),
        (&["--engine", "speed=3"], &["`speed`"]),
        (&["--engine", "preset=best"], &["`best`"]),
        (
            &["--engine", "iterations=3,clock=1+1"],
            &["contradict", "`iterations=3`"],
        ),
        (&["--engine", "name=C,grace=-1"], &["`-1`", "grace"]),
        (
            &["--engine", "weights=/no such file"],
            &["`/no such file`", "weights"],
        ),
        (
            &["--sprt", "elo0=0 elo1=10", "--engine", "name=C"],
            &["`3` on `2`"],
        ),
        (&["--openings", "/no such file"], &["`/no such file`"]),
        (&["--config", "/no such file"], &["`/no such file`"]),
        (&["extra"], &["`extra`"]),
    ];
    for (options, parts) in options {
        // An option may be given once.
        let others: Vec<&str> = [["--size", "5"], ["--pairs", "1"], ["--iterations", "1"]]
            .iter()
            .filter(|[option, _]| options.first() != Some(option))
            .flatten()
            .copied()
            .collect();
        let sentence = refusal("", &[&engines[..], &others, options].concat());
        assert_parts(&sentence, parts);
    }
    for (first, engines, parts) in [
        (GOOD, &[][..], &["engines, not `0`"][..]),
        (GOOD, &["name=A"], &["engines, not `1`"]),
        (
            "--players 4 --pairs 1 --iterations 1",
            &["name=A", "name=B", "name=C"],
            &["`3` engines on `4` seats"],
        ),
        ("--setup frob", &["name=A", "name=B"], &["`frob`"]),
    ] {
        let engines: Vec<&str> = engines.iter().flat_map(|e| ["--engine", e]).collect();
        assert_parts(&refusal(first, &engines), parts);
    }
}

/// Programs that cannot be run or set up.
#[test]
#[cfg(unix)]
fn wrong_programs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "no program\n").unwrap();
    let plain = format!("command={}", plain.display());
    let tanada = env!("CARGO_BIN_EXE_tanada");
    let script = super::data_path("engines/faulty.sh");
    let faulty = format!("command={script} none 9 {tanada}");
    let gtp = format!("command={tanada} gtp --memory 8");
    for (engine, parts) in [
        (
            "command=/no/such/program,time_per_move=1".to_string(),
            &["cannot start `/no/such/program`"][..],
        ),
        (
            format!("{plain},time_per_move=1"),
            &["cannot start", "plain`"],
        ),
        (
            format!("{gtp},time_per_move=1,dir=/no/such/folder"),
            &["cannot start"],
        ),
        (
            format!("{faulty},clock=10+0.1"),
            &["`clock=fischer 10 0.1`", "kata-time_settings"],
        ),
        (
            format!("{faulty},clock=byoyomi 60 10 3"),
            &["`clock=byoyomi 60 10 3`", "kata-time_settings"],
        ),
        (
            format!("{faulty},iterations=10"),
            &["`iterations=10`", "tanada-param"],
        ),
        (
            format!("{gtp},iterations=1,speed=1"),
            &["refuses `tanada-param speed 1`"],
        ),
        (
            format!("{gtp},iterations=1,memory=0"),
            &["refuses `tanada-param memory 0`", "1 to 1048576"],
        ),
        (
            format!("{gtp},iterations=1,send=frob 3"),
            &["refuses `frob 3`: unknown command"],
        ),
        (
            format!("{gtp},iterations=1,weights=x"),
            &["`weights`", "together with a `command`"],
        ),
        ("command=,iterations=1".to_string(), &["`command`"]),
    ] {
        let engines = ["--engine", "name=A,iterations=1", "--engine", &engine];
        let sentence = refusal("--size 5 --pairs 1", &engines);
        assert_parts(&sentence, parts);
    }
}

/// Files of matches, openings and weights.
#[test]
fn wrong_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let engines = ["--engine", "name=A", "--engine", "name=B"];
    for (text, parts) in [
        ("speed = 3\n", &["line 1", "`speed`"][..]),
        ("pairs = 3\n[[engine]]\nspeed = 1\n", &["line 2", "`speed`"]),
        ("pairs = \"many\"\n", &["line 1", "many"]),
        ("pairs = ", &["line 1"]),
        ("pairs = -3\n", &["line 1", "-3"]),
        ("[[engine]]\nname = [1]\n", &["line 1"]),
        ("iterations = 5\nclock = \"1+1\"\n", &["contradict"]),
        (
            "concurrency = 0\n",
            &["invalid value `0` for `--concurrency`"],
        ),
        ("time_per_move = 9e-7\n", &["line 1", "from 0.000001"]),
        ("sprt = \"elo0=1 elo1=0\"\n", &["elo0"]),
        ("pairs = 3\n", &["engines, not `0`"]),
    ] {
        let path = file("match.toml", text);
        let sentence = refusal("--size 5", &["--config", &path]);
        assert_parts(&sentence, parts);
    }
    for (text, parts) in [
        ("", &["the file is empty"][..]),
        ("A2\nB1 E1\n", &["opening 2", "`E1`", "move 2"]),
        ("A2 hello\n", &["opening 1", "`HELLO`"]),
        (
            "(;SZ[9])",
            &["game 1 does not start from the match's start position"],
        ),
        ("(;SZ[5];B[", &["line 1"]),
    ] {
        let path = file("book", text);
        let sentence = refusal(GOOD, &[&engines[..], &["--openings", &path]].concat());
        assert_parts(&sentence, parts);
        assert_parts(&sentence, &["book`"]);
    }
    let weights = file("weights", "9 opening one\n");
    let engine = format!("name=C,weights={weights}");
    let sentence = refusal(GOOD, &[&engines[..], &["--engine", &engine]].concat());
    assert_parts(&sentence, &["weights`"]);
}

/// Folders that do not exist or do not fit.
#[test]
fn wrong_folders_are_refused() {
    let engines = ["--engine", "name=A", "--engine", "name=B"];
    let folder = Folder::new();
    let text = folder.text();
    let records = ["--records", text.as_str()];
    for option in ["--resume", "--prepare", "--unit 1"] {
        let sentence = refusal(option, &records);
        assert_parts(&sentence, &["no match to resume", &text]);
    }
    for with in [&records[..], &[&engines[..], &records].concat()] {
        assert_parts(&refusal("--report", with), &["holds no match: ", &text]);
    }
    assert!(!folder.path().exists());
    for (unit, part) in [("0", "`0`"), ("2", "1 to 1"), ("x", "`x`")] {
        let all = [&engines[..], &records, &["--unit", unit]].concat();
        assert_parts(&refusal(GOOD, &all), &["--unit", part]);
    }
    let good = [&engines[..], &records].concat();
    // A refused match leaves nothing behind.
    super::play(&words(GOOD, &good));
    let games = folder.read("games.jsonl");
    for (more, parts) in [
        (
            "--resume --sprt elo0=0,elo1=10",
            &["`--sprt` contradicts the settings in the folder"][..],
        ),
        ("--resume --iterations 5", &["`--iterations`"]),
        ("--report --size 13", &["`--size`"]),
        ("--resume --pairs 0", &["`0`", "--pairs"]),
        ("--resume --sprt nonsense", &["`nonsense`", "elo0="]),
        (
            "--report --unit 1",
            &["`--report` cannot be used with `--unit`"],
        ),
        ("--prepare --report", &["`--prepare`", "`--report`"]),
    ] {
        assert_parts(&refusal(more, &records), parts);
    }
    for (name, broken, part) in [
        ("games.jsonl", "nonsense\n", "games.jsonl`, line 1"),
        ("games.jsonl", "{}\n", "games.jsonl`, line 1"),
        (
            "match.json",
            "{}",
            "match.json` does not hold the settings of a match: missing field",
        ),
    ] {
        let path = folder.path().join(name);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, broken).unwrap();
        assert_parts(&refusal("--resume", &records), &[part]);
        assert_parts(&refusal("--report", &records), &[part]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), broken);
        std::fs::write(&path, whole).unwrap();
    }
    // Games without settings do not belong to a new match.
    let (path, away) = (folder.path().join("match.json"), folder.path().join("away"));
    std::fs::rename(&path, &away).unwrap();
    assert_parts(&refusal(GOOD, &good), &["holds a match already"]);
    let resume = [&good[..], &["--resume"]].concat();
    assert_parts(&refusal(GOOD, &resume), &["match.json`"]);
    std::fs::rename(&away, &path).unwrap();
    assert_eq!(folder.read("games.jsonl"), games);
    let file = folder.path().join("report.txt");
    let all = [&engines[..], &["--records", file.to_str().unwrap()]].concat();
    assert_parts(&refusal(GOOD, &all), &["report.txt"]);
}

/// Files with the names of a match that are something else are reported with what to do; nothing is
/// created.
#[test]
fn folders_that_cannot_be_used_are_explained() {
    let home = tempfile::tempdir().unwrap();
    let engines = ["--engine", "name=A", "--engine", "name=B"];
    let name = |path: &std::path::Path| path.to_str().unwrap().to_string();
    let plain = home.path().join("plain");
    std::fs::write(&plain, "theirs").unwrap();
    let below = plain.join("below");
    let [foreign, games] = ["foreign", "games"].map(|folder| home.path().join(folder));
    for (folder, file, content) in [
        (&foreign, "match.json", &b"theirs"[..]),
        (&foreign, "match.json", b"\xff"),
        (&games, "games", b"theirs"),
    ] {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join(file), content).unwrap();
        let sentence = refusal(
            GOOD,
            &[&engines[..], &["--records", &name(folder)]].concat(),
        );
        let path = name(&folder.join(file));
        let expected = match file {
            "games" => format!("`{path}` is not a folder; choose another one"),
            _ => format!("`{path}` does not hold the settings of a match: "),
        };
        assert_parts(&sentence, &[&expected, "; choose another "]);
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
    }
    for folder in [&plain, &below] {
        let records = ["--records", &name(folder)];
        let expected = format!("`{}` is not a folder; choose another one", name(&plain));
        for more in [&[][..], &["--report"]] {
            let asked = [&engines[..], &records, more].concat();
            assert_parts(&refusal(GOOD, &asked), &[&expected]);
        }
    }
}
