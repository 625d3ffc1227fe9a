//! Every relative link and image of the documents leads to a file, and to a heading where it
//! names one.

use std::fs;
use std::path::{Path, PathBuf};

/// The documents at the top of the repository; the others lie under `docs`.
const TOP: [&str; 4] = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "protocol.md",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Markdown files in a folder and below.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// A page without its fenced blocks and code spans, which may look like links.
fn prose(page: &str) -> String {
    let mut fenced = false;
    let mut text = String::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            text.extend(line.split('`').step_by(2));
        }
        text.push('\n');
    }
    text
}

/// The targets of `[text](target)` and `![text](target)`.
fn targets(page: &str) -> Vec<String> {
    let text = prose(page);
    let after = text.split("](").skip(1);
    after
        .filter_map(|rest| Some(rest.split_once(')')?.0.trim().to_string()))
        .collect()
}

/// The anchors that GitHub gives the headings of a page.
fn anchors(page: &str) -> Vec<String> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in page.lines() {
        fenced ^= line.starts_with("```");
        let heading = line.trim_start_matches('#');
        if !fenced && heading.len() < line.len() && heading.starts_with(' ') {
            let kept = heading.trim().to_lowercase();
            let kept = kept.chars().filter_map(|c| match c {
                ' ' => Some('-'),
                c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                _ => None,
            });
            found.push(kept.collect());
        }
    }
    found
}

/// What is wrong with a link of the page at `path`.
fn fault(path: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let linked = match file {
        "" => path.to_owned(),
        file => path.parent().unwrap().join(file),
    };
    if !linked.exists() {
        return Some(format!("no file `{target}`"));
    }
    if anchor.is_empty() || linked.extension().is_none_or(|extension| extension != "md") {
        return None;
    }
    let page = fs::read_to_string(&linked).unwrap();
    let known = anchors(&page).iter().any(|known| known == anchor);
    (!known).then(|| format!("no heading `{target}`"))
}

#[test]
fn every_relative_link_leads_somewhere() {
    let mut files: Vec<PathBuf> = TOP.iter().map(|name| root().join(name)).collect();
    pages(&root().join("docs"), &mut files);
    let mut faults = Vec::new();
    for path in &files {
        let page = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let found = targets(&page);
        let wrong = found.iter().filter_map(|target| fault(path, target));
        let name = path.strip_prefix(root()).unwrap().display();
        faults.extend(wrong.map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn broken_links_are_found() {
    let page = "# A b, c\n[one](README.md) `[code](none.md)` ![two](none.png)\n\
                ```\n[block](none.md)\n```\n[three](#a-b-c) [four](#a-c) [five](https://a.b/c)\n";
    let path = std::env::temp_dir().join(format!("tanada-links-{}.md", std::process::id()));
    fs::write(&path, page).unwrap();
    let mut found = targets(page);
    assert_eq!(found.len(), 5);
    found.remove(0); // `README.md` is not in that folder
    let wrong: Vec<bool> = found.iter().map(|t| fault(&path, t).is_some()).collect();
    fs::remove_file(&path).unwrap();
    assert_eq!(wrong, [true, false, true, false]);
    assert!(fault(&root().join("protocol.md"), "README.md").is_none());
}
