//! The page that describes the protocol.

use super::{options, output};

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guide/json.md");
    std::fs::read_to_string(path).unwrap()
}

/// The fenced blocks of a kind.
fn blocks(page: &str, kind: &str) -> Vec<String> {
    let fence = format!("```{kind}\n");
    let after = page.split(&fence).skip(1);
    after
        .map(|text| text.split("```").next().unwrap().to_string())
        .collect()
}

#[test]
fn the_example_is_the_programs_own() {
    let blocks = blocks(&page(), "jsonl");
    let [question, answer] = &blocks[..] else {
        panic!("{} blocks", blocks.len());
    };
    let mut found = output(&options(1), question);
    let mut expected: Vec<&str> = answer.lines().collect();
    found.sort();
    expected.sort_unstable();
    assert_eq!(found, expected, "{}", found.join("\n"));
}

#[test]
fn every_field_is_described() {
    let page = page();
    let named = |name: &str| {
        page.contains(&format!("`{name}`")) || page.contains(&format!("{{\"{name}\": "))
    };
    let questions = crate::text("analysis/questions.jsonl");
    let answers = crate::text("analysis/answers.jsonl");
    let mut missing = Vec::new();
    for line in questions.lines().chain(answers.lines()) {
        let Ok(object) = serde_json::from_str::<serde_json::Value>(line) else {
            continue;
        };
        let mut names: Vec<String> = object.as_object().unwrap().keys().cloned().collect();
        let inner = [&object["moveInfos"][0], &object["rootInfo"]];
        for part in inner.into_iter().filter_map(|part| part.as_object()) {
            names.extend(part.keys().cloned());
        }
        missing.extend(
            names
                .into_iter()
                .filter(|name| !named(name) && name != "typo" && name != "field"),
        );
    }
    missing.sort();
    missing.dedup();
    assert!(
        missing.is_empty(),
        "docs/guide/json.md says nothing of {missing:?}"
    );
}
