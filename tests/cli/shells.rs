//! `tanada completions` and `tanada man`. `scripts/check/shells.sh` tries them in real shells and with `man`.

use std::fs;

use super::refusals::refusal;
use super::run;

/// The subcommands that `tanada help` lists.
fn subcommands() -> Vec<String> {
    let help = run(&["help"]);
    let (_, rest) = help.split_once("\nCommands:\n").unwrap();
    let lines = rest.lines().take_while(|line| line.starts_with("  "));
    let names = lines.filter(|line| !line.starts_with("   "));
    let names = names.map(|line| line.split_whitespace().next().unwrap().to_string());
    names.filter(|name| name != "help").collect()
}

#[test]
fn each_shell_completes_every_subcommand() {
    let all = subcommands();
    assert!(all.len() > 20);
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = run(&["completions", shell]);
        for name in &all {
            assert!(script.contains(name), "{name} is not in that of {shell}");
        }
        for option in ["size", "time-per-move", "certificate"] {
            assert!(
                script.contains(option),
                "{option} is not in that of {shell}"
            );
        }
    }
    let complaint = refusal(&["completions", "tcsh"]);
    assert!(
        complaint.contains("invalid value `tcsh` for `<SHELL>`; did you mean `zsh`?"),
        "{complaint}"
    );
}

#[test]
fn each_subcommand_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("share/man1");
    // Pages that are there are replaced.
    for _ in 0..2 {
        let printed = run(&["man", "--out-dir", place.to_str().unwrap()]);
        assert_eq!(printed, "");
    }
    let mut expected: Vec<String> = subcommands()
        .iter()
        .map(|name| format!("tanada-{name}.1"))
        .collect();
    expected.push("tanada.1".to_string());
    expected.sort();
    let files = fs::read_dir(&place).unwrap();
    let mut found: Vec<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, expected);
    for name in subcommands() {
        let page = fs::read_to_string(place.join(format!("tanada-{name}.1"))).unwrap();
        assert_eq!(run(&["man", &name]), page);
        assert!(page.contains(".SH SYNOPSIS\n\\fBtanada "), "{page}");
        assert!(page.contains("Examples:"), "{page}");
    }
    let page = fs::read_to_string(place.join("tanada.1")).unwrap();
    assert_eq!(run(&["man"]), page);
    assert!(page.contains("Mark Steere") && page.contains("Glenn Overby"));
}

#[test]
fn pages_that_are_not_there_are_refused() {
    let complaint = refusal(&["man", "nonsense"]);
    let part = "unknown command `nonsense`: expected one of gtp, analysis, ";
    assert!(complaint.contains(part), "{complaint}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let place = file.join("man1");
    let output = super::output(&["man", "--out-dir", place.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("cannot write `"), "{complaint}");
}
