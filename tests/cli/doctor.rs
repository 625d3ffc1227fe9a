//! `tanada doctor`.

use super::{command, json, keys, run};

#[test]
fn the_table_and_the_object_say_the_same() {
    let object = json(&["doctor", "--json"]);
    let names = [
        "cores",
        "instructions",
        "iterations_per_second",
        "memory_mib",
        "network_instructions",
        "portable_forced",
        "program",
        "settings",
        "system",
        "version",
    ];
    assert_eq!(keys(&object), names);
    for threads in ["1", "2"] {
        assert!(object["iterations_per_second"][threads].as_u64().unwrap() > 0);
    }
    let text = run(&["doctor"]);
    for name in [
        "version",
        "program",
        "settings",
        "system",
        "network_instructions",
        "instructions",
    ] {
        let value = object[name].as_str().unwrap();
        assert!(text.contains(value), "{value} is not in: {text}");
    }
    assert!(
        text.contains(&format!("cores         {}\n", object["cores"])),
        "{text}"
    );
    assert!(text.contains("To report a fault, send"), "{text}");
    assert!(!text.contains("TANADA_PORTABLE"), "{text}");
}

#[test]
fn portable_instructions_show() {
    let mut portable = command(&["doctor"]);
    let output = portable.env("TANADA_PORTABLE", "1").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = "portable for the network, portable elsewhere (TANADA_PORTABLE is set)";
    assert!(text.contains(line), "{text}");
}
