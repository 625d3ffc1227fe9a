//! Settings and parameters.

use arbitrary::Unstructured;
use serde_json::json;
use tanada::fuzzing::files;
use tanada::{LEVELS, PARAMETERS, Params};

use super::{next, sentence};

/// Values that a parameter may have.
const VALUES: [&str; 24] = [
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e6",
    "1e-7",
    "nan",
    "inf",
    "true",
    "false",
    "none",
    "network",
    "linear",
    "playout",
    "greedy",
    "ucb1",
    "puct",
    "18446744073709551615",
    "18446744073709551616",
    "+1",
    "",
    " 1",
    "null",
];

/// The first byte chooses whether the rest is a setting of any text, or choices of names and values.
pub(super) fn parameters(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let mut params = Params::default();
    if first & 0x80 == 0 {
        let text = String::from_utf8_lossy(rest);
        for line in text.split('\n') {
            assign(&mut params, line);
        }
        return reads_back(&params);
    }
    let mut choices = Unstructured::new(rest);
    while let Some((name, value)) = next::<(u8, u8)>(&mut choices) {
        match name {
            251 => {
                let names = Params::PRESETS.iter().chain(&VALUES);
                let name = names.cycle().nth(value.into()).expect("a name");
                changes(&mut params, |params| {
                    params.apply_preset(name).map_err(|e| e.to_string())
                });
            }
            252 => {
                let names: Vec<&str> = LEVELS
                    .iter()
                    .map(|level| level.name)
                    .chain(VALUES)
                    .collect();
                let name = names[usize::from(value) % names.len()];
                changes(&mut params, |params| {
                    params.apply_level(name).map_err(|e| e.to_string())
                });
            }
            _ => {
                let name = PARAMETERS[usize::from(name) % PARAMETERS.len()].name;
                let number = format!("{}", f64::from(value) / 100.0);
                let value = VALUES.get(usize::from(value)).copied().unwrap_or(&number);
                assign(&mut params, &format!("{name}={value}"));
            }
        }
    }
    reads_back(&params);
}

/// What fails changes nothing.
fn changes(params: &mut Params, change: impl Fn(&mut Params) -> Result<(), String>) -> bool {
    let before = params.clone();
    match change(params) {
        Ok(()) => {
            // Once more is the same.
            let after = params.clone();
            assert_eq!(change(params), Ok(()));
            assert_eq!(*params, after);
            true
        }
        Err(reason) => {
            sentence(&reason);
            assert_eq!(*params, before, "{reason}");
            false
        }
    }
}

fn assign(params: &mut Params, text: &str) {
    let before = params.clone();
    let is_done = changes(params, |params| {
        params.assign(text).map_err(|error| error.to_string())
    });
    let Some((name, value)) = text.split_once('=') else {
        assert!(!is_done);
        return;
    };
    let mut other = before.clone();
    let is_set = changes(&mut other, |params| {
        params
            .set(name.trim(), value.trim())
            .map_err(|error| error.to_string())
    });
    assert_eq!((is_set, &other), (is_done, &*params), "{text:?}");
    let mut other = before;
    let is_set = changes(&mut other, |params| {
        params
            .set_json(name.trim(), &json!(value.trim()))
            .map_err(|error| error.to_string())
    });
    assert_eq!((is_set, &other), (is_done, &*params), "{text:?}");
}

/// The values as text, and as JSON, give the same parameters.
fn reads_back(params: &Params) {
    let (mut text, mut value) = (Params::default(), Params::default());
    for parameter in PARAMETERS {
        let found = parameter.get(params);
        text.set(parameter.name, &found.to_string())
            .expect("its own value");
        value
            .set_json(parameter.name, &json!(found))
            .expect("its own value");
    }
    assert_eq!(text, *params);
    assert_eq!(value, *params);
}

const NAMES: [&str; 16] = [
    "threads",
    "time-per-move",
    "iterations",
    "size",
    "setup",
    "players",
    "game",
    "level",
    "preset",
    "set",
    "memory",
    "seed",
    "play",
    "gtp",
    "ponder",
    "port",
];

/// The first byte chooses whether the rest is any text, or choices of names and values.
pub(super) fn settings(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    if first & 0x80 == 0 {
        if let Ok(text) = std::str::from_utf8(rest) {
            read_settings(text);
        }
        return;
    }
    let mut choices = Unstructured::new(rest);
    let mut text = String::new();
    while let Some((name, value)) = next::<(u8, u8)>(&mut choices) {
        if name & 0xf0 == 0xf0 {
            let commands = [
                "gtp", "analysis", "genmove", "demo", "play", "web", "analyze", "match",
            ];
            text += &format!("[{}]\n", commands[usize::from(value & 7)]);
            continue;
        }
        let name = NAMES[usize::from(name & 15)];
        let value = match (VALUES.get(usize::from(value)), value >> 5) {
            (Some(value), _) => value.to_string(),
            (None, 1..=3) => format!("\"{}\"", VALUES[usize::from(value) % VALUES.len()]),
            (None, 4) => format!("[\"cpuct={}\", \"leaf=playout\"]", value & 31),
            (None, 5) => "\"corners\"".to_string(),
            (None, 6) => "\"medium\"".to_string(),
            (None, _) => (value & 31).to_string(),
        };
        text += &format!("{name} = {value}\n");
    }
    read_settings(&text);
}

/// A command, the options that it takes, and why it does not accept them together.
type Taken = (String, Vec<(String, String)>, Option<String>);

/// What each command takes can be written as its own table, and is then the same.
fn read_settings(text: &str) {
    let taken = match files::settings(text) {
        Ok(taken) => taken,
        Err(reason) => return sentence(&reason),
    };
    let mut again = String::new();
    for (command, options, refusal) in &taken {
        refusal.iter().for_each(|refusal| sentence(refusal));
        again += &format!("[{command}]\n");
        let is_repeated = |name: &str| name == "set";
        for (name, value) in options.iter().filter(|(name, _)| !is_repeated(name)) {
            again += &format!("{name} = {}\n", toml_text(value));
        }
        let repeated = options.iter().filter(|(name, _)| is_repeated(name));
        let repeated: Vec<String> = repeated.map(|(_, value)| toml_text(value)).collect();
        if !repeated.is_empty() {
            again += &format!("set = [{}]\n", repeated.join(", "));
        }
    }
    let sorted = |mut taken: Vec<Taken>| {
        for (_, options, refusal) in &mut taken {
            options.sort();
            *refusal = refusal.take().map(|_| String::new());
        }
        taken
    };
    assert_eq!(
        files::settings(&again).map(sorted),
        Ok(sorted(taken)),
        "{again}"
    );
}

/// A basic string of TOML.
fn toml_text(text: &str) -> String {
    json!(text).to_string().replace('\u{7f}', "\\u007F")
}
