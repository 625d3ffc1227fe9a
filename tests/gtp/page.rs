//! `protocol.md` describes exactly the commands of the table.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tanada::gtp::{COMMANDS, Scope};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol.md");
    fs::read_to_string(path).unwrap()
}

#[test]
fn every_command_has_its_section() {
    let page = page();
    let sections: Vec<&str> = page.split("\n### `").skip(1).collect();
    let headings: BTreeSet<String> = sections
        .iter()
        .map(|section| section.split_once('`').unwrap().0.to_string())
        .collect();
    let table: BTreeSet<String> = COMMANDS.iter().map(|command| command.usage()).collect();
    assert_eq!(headings, table);
    assert_eq!(sections.len(), table.len());
    for section in sections {
        let text = section.split_once('\n').unwrap().1;
        assert!(text.trim().len() > 2, "{section}");
    }
}

#[test]
fn help_and_list_follow_the_table() {
    let mut session = super::session(Some(9), None, None);
    let list = super::answer(&mut session, "list_commands");
    let names: Vec<&str> = list
        .trim_start_matches("= ")
        .lines()
        .filter(|line| !line.is_empty())
        .collect();
    let served = || COMMANDS.iter().filter(|c| c.scope != Scope::NoStones);
    assert_eq!(names, served().map(|c| c.name).collect::<Vec<_>>());
    let help = super::answer(&mut session, "help");
    for command in served() {
        let known = super::answer(&mut session, format!("known_command {}", command.name));
        assert_eq!(known, "= true\n\n");
        assert!(help.contains(&command.usage()) && help.contains(command.doc));
    }
}
