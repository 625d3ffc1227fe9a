//! What serves every game names none: not in its code, and not in its docs.
//!
//! Tests there may need some game to run with. So two kinds of tests are exempt: the module
//! that starts with `#[cfg(test)]` and `mod NAME {`, up to its closing brace in the first
//! column, and files called `tests.rs`. Doc examples are not: they are read with the docs.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders and files of the library that serve every game. `lab/endings` and `cli/verify.rs` serve Tanbo only.
const GENERAL: [&str; 25] = [
    "analysis",
    "board",
    "clock",
    "cpu",
    "engine.rs",
    "eval",
    "game.rs",
    "gtp",
    "http.rs",
    "lab/accuracy",
    "lab/bench.rs",
    "lab/matches",
    "lab/mod.rs",
    "lab/stats",
    "lab/train",
    "lab/tune",
    "network",
    "params",
    "review",
    "search",
    "solver",
    "start",
    "util",
    "variant",
    "web",
];

/// In lower case. These also find `use crate::tanbo` and its like.
const NAMES: [&str; 2] = ["tanbo", "taratibu"];

/// The lines outside test modules that name a game, with their numbers from 1.
fn naming(source: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut lines = (1..).zip(source.lines()).peekable();
    while let Some((number, line)) = lines.next() {
        let starts_tests = line == "#[cfg(test)]"
            && lines
                .peek()
                .is_some_and(|(_, next)| next.starts_with("mod ") && next.ends_with('{'));
        if starts_tests {
            lines.by_ref().find(|&(_, line)| line == "}");
            continue;
        }
        let lower = line.to_lowercase();
        if NAMES.iter().any(|name| lower.contains(name)) {
            found.push((number, line));
        }
    }
    found
}

/// The sources at a path, except those that hold only tests.
fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            sources(&entry.unwrap().path(), found);
        }
    } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
        found.push(path.to_owned());
    }
}

#[test]
fn what_serves_every_game_names_none() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    for name in GENERAL {
        let before = files.len();
        sources(&library.join(name), &mut files);
        assert!(files.len() > before, "{name} has no sources");
    }
    files.sort();
    let mut faults = String::new();
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        let file = file.strip_prefix(&library).unwrap().display();
        for (number, line) in naming(&source) {
            faults += &format!("\nsrc/{file}:{number}: {}", line.trim());
        }
    }
    assert!(faults.is_empty(), "a game is named here:{faults}");
}

#[test]
fn names_are_found_in_code_and_docs_but_not_in_test_modules() {
    let source = "//! Plays Tanbo.\n\
                  use crate::taratibu::Position;\n\
                  #[cfg(test)]\n\
                  mod tests;\n\
                  const TANBO: u8 = 1;\n\
                  #[cfg(test)]\n\
                  mod inside {\n    \
                      use crate::tanbo::Position;\n\
                  }\n\
                  /// Tanada, not the game; see [`crate::tanbo`].\n";
    let numbers: Vec<usize> = naming(source).into_iter().map(|(n, _)| n).collect();
    assert_eq!(numbers, [1, 2, 5, 10]);
}

/// Names that code of `src` no longer has, because the field has other words for the things.
const OLD_WORDS: &str = "
    Ruleset Tellable Sheet Drawn Thinker Immediate View Formula Chooser Totals Told Bias
    Transpositions settle_at make_room bind_root sheet thinker ruleset duel outlet inlet
    exploration_constant policy_constant choice_bound first_play_reduction first_play_visits
    first_play_value bias_factor bias_visits prior_noise
    Progress Effort Net static_evaluation told_for back_up";

/// The words of the code, without comments, that stand in `words`.
fn old_words<'a>(source: &'a str, words: &str) -> Vec<&'a str> {
    let code = source.lines().map(|line| match line.trim_start() {
        comment if comment.starts_with("//") => "",
        _ => line,
    });
    code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .filter(|word| words.split_whitespace().any(|old| old == *word))
        .collect()
}

#[test]
fn the_old_words_are_gone() {
    let mut files = Vec::new();
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    sources(&library, &mut files);
    assert!(files.len() > 200, "{} files", files.len());
    let mut faults = String::new();
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        for word in old_words(&source, OLD_WORDS) {
            faults += &format!("\n{}: {word}", file.display());
        }
    }
    assert!(faults.is_empty(), "the glossary has other words:{faults}");
}

#[test]
fn old_words_are_found_as_whole_words_of_code() {
    let source = "// A Sheet.\nlet sheets = Sheet::new(value_bias_factor);\nuse a::duel;\n";
    assert_eq!(old_words(source, OLD_WORDS), ["Sheet", "duel"]);
}
