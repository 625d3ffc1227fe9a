//! Each item that `docs/glossary.md` names exists where it says.
//!
//! The third column of its tables holds items such as `search::selection::Priors`: a module of
//! `src` (a file or a folder, however deep), then the name of what is defined there. A row without
//! an item has `-`.

use std::fs;
use std::path::{Path, PathBuf};

/// What can stand before the name of an item, with `const fn` and the like cut off.
const KEYWORDS: [&str; 9] = [
    "struct",
    "enum",
    "trait",
    "fn",
    "const",
    "static",
    "type",
    "mod",
    "macro_rules!",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The terms of the page with the items of their third column.
fn entries(page: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let &[term, _, item] = &cells[..] else {
            panic!("a row needs three cells: {line}");
        };
        let items: Vec<String> = item
            .split('`')
            .skip(1)
            .step_by(2)
            .map(String::from)
            .collect();
        assert!(term == "term" || item == "-" || !items.is_empty(), "{line}");
        found.push((term.to_string(), items));
    }
    found
}

/// All Rust files at a path.
fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            sources(&entry.unwrap().path(), found);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        found.push(path.to_owned());
    }
}

/// Whether a line defines the name: `pub struct Name`, a field `name: `, or a variant `Name`.
fn defines(line: &str, name: &str) -> bool {
    let line = line.trim_start();
    if line.starts_with("//") || line.starts_with("use ") || line.starts_with("pub use ") {
        return false;
    }
    let whole = |rest: &str| {
        rest.strip_prefix(name)
            .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let defined = words
        .windows(2)
        .any(|pair| KEYWORDS.contains(&pair[0]) && whole(pair[1]));
    // A field, or a parameter of the table, which gives each its type.
    let field = line.strip_prefix("pub ").unwrap_or(line);
    let field = field
        .split_once(") ")
        .map_or(field, |(scope, rest)| match scope {
            "pub(crate" | "pub(super" => rest,
            _ => field,
        });
    let field = field
        .strip_prefix(name)
        .is_some_and(|rest| rest.starts_with(": "));
    let variant = words.len() == 1
        && name.starts_with(|c: char| c.is_uppercase())
        && whole(line)
        && line.ends_with([',', '{', '(']);
    defined || field || variant
}

/// Whether the module at the beginning of a path defines its last name.
fn exists(item: &str) -> bool {
    let Some((module, name)) = item.rsplit_once("::") else {
        return false;
    };
    let module = root().join("src").join(module.replace("::", "/"));
    let mut files = Vec::new();
    sources(&module.with_extension("rs"), &mut files);
    sources(&module, &mut files);
    files.iter().filter(|path| path.exists()).any(|path| {
        let source = fs::read_to_string(path).unwrap();
        source.lines().any(|line| defines(line, name))
    })
}

#[test]
fn every_item_of_the_glossary_exists() {
    let page = fs::read_to_string(root().join("docs/glossary.md")).unwrap();
    let entries = entries(&page);
    assert!(entries.len() > 50, "{} entries", entries.len());
    let mut missing = Vec::new();
    for (term, items) in &entries {
        let absent = items.iter().filter(|item| !exists(item));
        missing.extend(absent.map(|item| format!("{term}: {item}")));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn made_up_items_are_refused() {
    for real in ["game::Seat", "search::Searcher", "params::Parameter"] {
        assert!(exists(real), "{real}");
    }
    for wrong in [
        "game::Sea",
        "game::MadeUp",
        "nowhere::Seat",
        "solver::Searcher",
        "Seat",
    ] {
        assert!(!exists(wrong), "{wrong}");
    }
    for (line, name, expected) in [
        ("pub(crate) const fn prior(self) -> f32 {", "prior", true),
        ("    pub cpuct: f64,", "cpuct", true),
        ("    Puct,", "Puct", true),
        ("pub struct Seat(u8);", "Seat", true),
        ("pub trait Game: Clone {", "Game", true),
        ("/// pub struct Seat", "Seat", false),
        ("use crate::game::Seat;", "Seat", false),
        ("pub struct Seats;", "Seat", false),
        ("let prior = node.prior();", "prior", false),
    ] {
        assert_eq!(defines(line, name), expected, "{line}");
    }
}
