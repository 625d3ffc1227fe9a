//! The settings file, the environment and `tanada config`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::command;

/// A user's configuration folder, with this `tanada.toml`.
struct User {
    folder: TempDir,
}

impl User {
    fn with(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tanada.toml"), text).unwrap();
        Self { folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("tanada.toml")
    }

    fn command(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = command(arguments);
        command
            .env_remove("TANADA_CONFIG")
            .env("XDG_CONFIG_HOME", self.folder.path())
            .env("APPDATA", self.folder.path())
            .envs(variables.iter().copied());
        command
    }

    fn output(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        self.command(arguments, variables).output().unwrap()
    }

    /// What a successful run prints.
    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let output = self.output(arguments, variables);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {complaint}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The one line of complaint of a run that is refused.
    fn refusal(&self, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let output = self.output(arguments, variables);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {complaint}");
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        complaint
    }

    /// The iterations of a search, and the number of moves that are listed.
    fn searched(&self, more: &[&str], variables: &[(&str, &str)]) -> (u64, usize) {
        let arguments = [
            &["genmove", "--json", "--seed", "1", "--threads", "1"],
            more,
        ]
        .concat();
        let found: Value = serde_json::from_str(&self.run(&arguments, variables)).unwrap();
        let moves = found["moves"].as_array().unwrap().len();
        (found["iterations"].as_u64().unwrap(), moves)
    }

    /// Value and origin of an option, as `tanada config` says.
    fn setting(&self, command: &str, name: &str, variables: &[(&str, &str)]) -> (String, String) {
        let found: Value =
            serde_json::from_str(&self.run(&["config", "--json"], variables)).unwrap();
        let setting = &found["commands"][command][name];
        let text = |key: &str| setting[key].as_str().unwrap().to_string();
        (text("value"), text("from"))
    }

    fn protocol(&self, arguments: &[&str], variables: &[(&str, &str)], input: &str) -> String {
        use std::io::Write;
        let mut command = self.command(arguments, variables);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    }
}

fn pair(value: &str, from: &str) -> (String, String) {
    (value.to_string(), from.to_string())
}

#[test]
fn what_is_typed_wins_over_variables_and_those_over_the_file() {
    let user = User::with("size = 5\niterations = 30\nbest = 3\n\n[genmove]\niterations = 40\n");
    assert_eq!(user.searched(&[], &[]), (40, 3));
    let variables = [("TANADA_ITERATIONS", "50"), ("TANADA_BEST", "2")];
    assert_eq!(user.searched(&[], &variables), (50, 2));
    assert_eq!(user.searched(&["--iterations", "60"], &variables), (60, 2));
    let typed = ["--iterations", "60", "--best", "1"];
    assert_eq!(user.searched(&typed, &variables), (60, 1));
    // An empty variable is none.
    assert_eq!(user.searched(&[], &[("TANADA_BEST", "")]), (40, 3));
}

#[test]
fn options_that_belong_together_come_from_one_place() {
    let user = User::with("setup = \"corners\"\nsize = 6\ntime-per-move = 0.000001\n");
    // The typed limit puts the time aside, the typed size the setup.
    assert_eq!(user.searched(&["--iterations", "70"], &[]).0, 70);
    let limit = [("TANADA_SET", "iterations=80")];
    assert_eq!(user.searched(&["--size", "9"], &limit).0, 80);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("five.txt");
    fs::write(&path, "O...X\n.....\n.....\n.....\nX...O\n").unwrap();
    assert_eq!(
        user.searched(&[path.to_str().unwrap(), "--iterations", "10"], &[])
            .0,
        10
    );
}

#[test]
fn parameters_add_up() {
    let user = User::with(
        "set = [\"cpuct=0.5\", \"fpu_reduction=0.25\"]\npreset = \"linear\"\nthreads = 1\n",
    );
    let ask = "kata-get-param cpuct\nkata-get-param fpu_reduction\nkata-get-param threads\nquit\n";
    let answers = |typed: &[&str], variables: &[(&str, &str)]| {
        let text = user.protocol(typed, variables, ask);
        let values = text.lines().filter_map(|line| line.strip_prefix("= "));
        values
            .map(str::trim)
            .map(String::from)
            .filter(|value| !value.is_empty())
            .collect::<Vec<_>>()
    };
    let typed = ["--set", "cpuct=0.75", "--set", "threads=2"];
    assert_eq!(answers(&typed, &[]), ["0.75", "0.25", "2"]);
    // A preset that is typed puts aside what the file sets.
    let found = answers(&["gtp", "--preset", "network"], &[("TANADA_THREADS", "3")]);
    assert_eq!(found[2], "3");
    assert_ne!(found[..2], ["0.5", "0.25"]);
}

#[test]
fn the_laboratory_takes_no_settings() {
    let user = User::with("size = 5\nthreads = 2\n");
    let variables = [("TANADA_SIZE", "6"), ("TANADA_SEED", "9")];
    let counts = user.run(&["perft", "--depth", "1"], &variables);
    assert_eq!(counts, super::run(&["perft", "--depth", "1"]));
    // Nor does it mind faults.
    let user = User::with("size = 99\n");
    user.run(&["perft", "--depth", "1"], &[]);
    let complaint = user.refusal(&["perft", "--depth", "1", "--config", "x.toml"], &[]);
    assert!(
        complaint.contains("unknown option `--config`"),
        "{complaint}"
    );
}

#[test]
fn another_file_or_none_can_be_named() {
    let user = User::with("size = 5\niterations = 30\n");
    let other = user.folder.path().join("other.toml");
    fs::write(&other, "size = 5\niterations = 20\n").unwrap();
    let other = other.to_str().unwrap();
    assert_eq!(user.searched(&["--config", other], &[]).0, 20);
    assert_eq!(user.searched(&[], &[("TANADA_CONFIG", other)]).0, 20);
    let typed = user.file();
    let typed = ["--config", typed.to_str().unwrap()];
    assert_eq!(user.searched(&typed, &[("TANADA_CONFIG", other)]).0, 30);
    let none = [("TANADA_CONFIG", "")];
    let size_of = |variables| user.setting("genmove", "size", variables).1;
    assert_eq!(size_of(&none[..]), "default");
    // Nor are there variables then.
    let off = [("TANADA_CONFIG", ""), ("TANADA_SIZE", "6")];
    assert_eq!(size_of(&off[..]), "default");
    assert_eq!(size_of(&off[1..]), "TANADA_SIZE");
    assert_eq!(size_of(&[]), "file:1");
    let complaint = user.refusal(&["genmove", "--config", "/nowhere.toml"], &[]);
    assert!(
        complaint.contains("`/nowhere.toml` cannot be read"),
        "{complaint}"
    );
    let complaint = user.refusal(
        &["config", "--config", user.folder.path().to_str().unwrap()],
        &[],
    );
    assert!(complaint.contains("cannot be read: "), "{complaint}");
}

#[test]
fn faults_name_line_and_column() {
    let place = |line, column| format!("tanada.toml`, line {line}, column {column}: ");
    for (text, (line, column), message) in [
        (
            "threads = 2\nsize = 99\n",
            (2, 8),
            "invalid value `99` for `size`: expected a whole number from 4 to 21",
        ),
        (
            "treads = 2\n",
            (1, 1),
            "unknown setting `treads`; did you mean `threads`?",
        ),
        (
            "\n  time_per_move = 2\n",
            (2, 3),
            "unknown setting `time_per_move`; did you mean `time-per-move`?",
        ),
        (
            "[play]\nlevels = \"medium\"\n",
            (2, 1),
            "unknown setting `levels` of `play`; did you mean `level`?",
        ),
        (
            "[web]\nno-open = 1\n",
            (2, 11),
            "invalid value `1` for `no-open`: expected `true` or `false`",
        ),
        (
            "play = 3\n",
            (1, 1),
            "`play` is a command: expected a table, `[play]`",
        ),
        ("[match]\npairs = 3\n", (1, 2), "unknown setting `match`"),
        (
            "size = 1979-05-27\n",
            (1, 8),
            "invalid value `1979-05-27` for `size`: expected a decimal number",
        ),
        (
            "size = [9]\n",
            (1, 8),
            "invalid value `[9]` for `size`: expected a decimal number",
        ),
        (
            "size = 0x9\n",
            (1, 8),
            "invalid value `0x9` for `size`: expected a decimal number",
        ),
        ("set = [\"cpuct=9999\"]\n", (1, 8), "cpuct"),
        ("set = [\"ä\", \"cpuct=1\"]\n", (1, 8), "`ä`"),
        ("moves = \"C3\"\n", (1, 1), "unknown setting `moves`"),
        ("size = 9\nsize = 10\n", (2, 1), "duplicate key"),
        ("size = \n", (1, 8), ""),
        ("x", (1, 2), ""),
    ] {
        let user = User::with(text);
        // Also where another command has the option.
        for arguments in [
            &["config"][..],
            &["genmove", "--iterations", "1"],
            &["analysis"],
        ] {
            let complaint = user.refusal(arguments, &[]);
            assert!(
                complaint.contains(&place(line, column)),
                "{text}: {complaint}"
            );
            assert!(complaint.contains(message), "{text}: {complaint}");
        }
    }
}

#[test]
fn faults_of_variables_name_the_variable() {
    let user = User::with("");
    for (variable, value, message) in [
        (
            "TANADA_SIZE",
            "99",
            "TANADA_SIZE: invalid value `99` for `size`: expected a whole number from 4 to 21",
        ),
        (
            "TANADA_NO_OPEN",
            "yes",
            "TANADA_NO_OPEN: invalid value `yes` for `no-open`: expected `true` or `false`",
        ),
        ("TANADA_SET", "cpuct=1 x", "TANADA_SET: "),
        (
            "TANADA_LEVEL",
            "godly",
            "TANADA_LEVEL: invalid value `godly` for `level`",
        ),
    ] {
        let complaint = user.refusal(&["config"], &[(variable, value)]);
        assert!(complaint.contains(message), "{complaint}");
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let user = User::with("");
    let odd = std::ffi::OsStr::from_bytes(b"\xff");
    for variable in ["TANADA_CONFIG", "TANADA_LOG"] {
        let output = user
            .command(&["config"], &[])
            .env(variable, odd)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{variable}");
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.contains(&format!("{variable}: `")), "{complaint}");
        assert!(complaint.contains("is not UTF-8 text"), "{complaint}");
    }
    // A link that leads nowhere is no missing file.
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/nowhere", folder.path().join("tanada.toml")).unwrap();
    let mut command = user.command(&["config"], &[]);
    let output = command
        .env("XDG_CONFIG_HOME", folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// Values that are fine by themselves, but not with each other or with what is typed.
#[test]
fn later_failures_name_the_settings() {
    let user = User::with("# mine\nsetup = \"nowhere.txt\"\n");
    let complaint = user.refusal(&["genmove"], &[]);
    assert!(complaint.contains("nowhere.txt"), "{complaint}");
    assert!(
        complaint.contains("(settings: `setup` from `"),
        "{complaint}"
    );
    assert!(
        complaint.trim_end().ends_with("tanada.toml`, line 2)"),
        "{complaint}"
    );
    // What has nothing to do with them does not.
    let user = User::with("threads = 2\n");
    let complaint = user.refusal(&["genmove", "nowhere.sgf"], &[]);
    assert!(!complaint.contains("settings"), "{complaint}");
}

#[test]
fn config_lists_every_option_once_for_each_command() {
    let user = User::with("threads = 2\n[play]\nlevel = \"medium\"\n");
    let variables = [("TANADA_NO_OPEN", "true"), ("TANADA_TREADS", "3")];
    assert_eq!(user.setting("play", "level", &[]), pair("medium", "file:3"));
    assert_eq!(user.setting("gtp", "threads", &[]), pair("2", "file:1"));
    assert_eq!(
        user.setting("web", "no-open", &variables),
        pair("true", "TANADA_NO_OPEN")
    );
    assert_eq!(user.setting("web", "pages", &[]), pair("8", "default"));
    assert_eq!(
        user.setting("genmove", "size", &[]),
        pair("19, or the size of the file", "default")
    );
    let output = user.output(&["config"], &variables);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with(&format!("file: {}\n\noption ", user.file().display())),
        "{text}"
    );
    let cells = |name: &str| {
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!("{name} ")));
        line.unwrap().split_whitespace().collect::<Vec<_>>()
    };
    assert_eq!(cells("threads"), ["threads", "2", "file:1", "all"]);
    assert_eq!(
        cells("no-open"),
        ["no-open", "true", "TANADA_NO_OPEN", "web"]
    );
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        complaint,
        "`TANADA_TREADS` is not a setting; did you mean `TANADA_THREADS`?\n"
    );
    // Other variables of Tanada are not mistaken for settings.
    let file = user.file();
    let known = [
        ("TANADA_CONFIG", file.to_str().unwrap()),
        ("TANADA_BIN", "tanada"),
        ("TANADA_AP_LISTEN", "x"),
        ("TANADA_PORTABLE", "1"),
    ];
    assert_eq!(user.output(&["config"], &known).stderr, b"");
    let strange = user.output(&["config"], &[("TANADA_JSON", "1")]);
    assert_eq!(strange.stderr, b"`TANADA_JSON` is not a setting\n");
    let empty = tempfile::tempdir().unwrap();
    let mut command = user.command(&["config"], &[]);
    let output = command
        .env("XDG_CONFIG_HOME", empty.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("tanada.toml (does not exist)\n"), "{text}");
}

/// Every option that the guide names is one, and the file that it shows is accepted.
#[test]
fn the_guide_is_right() {
    let guide =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/settings.md"))
            .unwrap();
    let (_, rest) = guide.split_once("```toml\n").unwrap();
    let (file, _) = rest.split_once("```").unwrap();
    let user = User::with(file);
    assert_eq!(user.setting("play", "level", &[]), pair("medium", "file:7"));
    assert_eq!(
        user.setting("web", "listen", &[]),
        pair("127.0.0.1:9000", "file:10")
    );
    let shown = user.run(&["config"], &[]);
    for line in shown.lines().filter(|line| line.contains(" file:")) {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            guide.lines().any(|shown| words(shown) == words(line)),
            "{line}"
        );
    }
}
