//! Golden transcripts: `tests/data/gtp/*.txt`.
//!
//! The lines before the first `>` are comments, among them `# game NAME`, `# size N`, `# setup NAME`
//! and `# players N`. A line that begins with `> ` is sent; the lines up to the next one are the
//! answer. `UPDATE_GOLDEN=1` in the environment rewrites the answers. A transcript has moves of the
//! engine only where they do not depend on the weights of the evaluation.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use tanada::gtp::Session;

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gtp");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    files.sort();
    files
}

fn session(text: &str) -> Session {
    let word = |name: &str| {
        let mut lines = text.lines().take_while(|line| !line.starts_with('>'));
        lines.find_map(|line| line.strip_prefix(&format!("# {name} ")))
    };
    let number = |name: &str| word(name).map(|text| text.parse().unwrap());
    super::game_session(
        word("game"),
        number("size"),
        word("setup"),
        number("players"),
    )
}

fn replay(text: &str) -> String {
    let mut session = session(text);
    let mut out = String::new();
    let head = text.lines().take_while(|line| !line.starts_with('>'));
    head.for_each(|line| writeln!(out, "{line}").unwrap());
    for line in text.lines().filter_map(|line| line.strip_prefix('>')) {
        writeln!(out, ">{line}").unwrap();
        let answer = super::answer(&mut session, line);
        // Editors remove blanks at the ends of lines.
        answer
            .lines()
            .for_each(|line| writeln!(out, "{}", line.trim_end()).unwrap());
    }
    out
}

#[test]
fn transcripts_repeat() {
    let files = files();
    assert!(files.len() >= 5);
    for path in files {
        let expected = fs::read_to_string(&path).unwrap();
        let found = replay(&expected);
        if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
            fs::write(&path, found).unwrap();
        } else {
            let name = path.file_name().unwrap().to_string_lossy();
            for (number, (a, b)) in expected.lines().zip(found.lines()).enumerate() {
                assert_eq!(a, b, "{name}, line {}", number + 1);
            }
            assert_eq!(expected, found, "{name}");
        }
    }
}
