//! Weights of the evaluations.

use arbitrary::Unstructured;
use tanada::network::{Model, Scratch};
use tanada::{GAMES, SharedStart};

use super::{next, sentence};

const CHANNELS: usize = 16;
const GLOBALS: usize = 2;
const LARGEST: f32 = 1e6;

/// What the numbers of a layer are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Shifts, then weights in int8.
    Convolution,
    Reals,
}
use Kind::{Convolution, Reals};

/// The layers of a network of so many blocks, input planes and values.
fn layers(blocks: usize, planes: usize, values: usize) -> Vec<(&'static str, usize, Kind)> {
    let convolution = |inputs: usize| CHANNELS + 9 * inputs * CHANNELS;
    let mut layers = vec![
        ("numbers", GLOBALS * CHANNELS, Reals),
        ("bias", CHANNELS, Reals),
        ("input", convolution(planes), Convolution),
    ];
    for _ in 0..blocks {
        layers.extend([
            ("first", convolution(CHANNELS), Convolution),
            ("pooled", 2 * CHANNELS * CHANNELS, Reals),
            ("bias", CHANNELS, Reals),
            ("second", convolution(CHANNELS), Convolution),
            ("bias", CHANNELS, Reals),
        ]);
    }
    layers.extend([
        ("policy", CHANNELS, Reals),
        ("pooled", 2 * CHANNELS * 64, Reals),
        ("numbers", GLOBALS * 64, Reals),
        ("bias", 64, Reals),
        ("units", 64 * 16, Reals),
        ("bias", 16, Reals),
        ("units", 16 * values, Reals),
        ("bias", values, Reals),
    ]);
    layers
}

/// Whether each line is as it should be, by the description of the format.
fn is_network(text: &str, planes: usize, values: usize) -> bool {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    let mut lines = lines
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| !words.is_empty());
    let head = lines.next().unwrap_or_default();
    let ["network", "16", "channels", blocks, "blocks", ref end @ ..] = head[..] else {
        return false;
    };
    let several = [&values.to_string(), "values"];
    if *end != several[..if values == 1 { 0 } else { 2 }] {
        return false;
    }
    let Some(blocks) = blocks.parse().ok().filter(|blocks| *blocks <= 32) else {
        return false;
    };
    let is_real = |word: &&str| {
        word.parse::<f32>()
            .is_ok_and(|x| (-LARGEST..=LARGEST).contains(&x))
    };
    let is_weight = |word: &&str| word.parse::<i32>().is_ok_and(|w| (-127..=127).contains(&w));
    let is_shift = |word: &&str| {
        word.parse::<i32>()
            .is_ok_and(|shift| (1..=20).contains(&shift))
    };
    let are_right = layers(blocks, planes, values)
        .into_iter()
        .all(|(name, count, kind)| {
            let Some(words) = lines
                .next()
                .filter(|words| words[0] == name && words.len() == 1 + count)
            else {
                return false;
            };
            match kind {
                Reals => words[1..].iter().all(is_real),
                Convolution => {
                    let (shifts, weights) = words[1..].split_at(CHANNELS);
                    shifts.iter().all(is_shift) && weights.iter().all(is_weight)
                }
            }
        });
    are_right && lines.next().is_none()
}

/// The first byte chooses whether the rest is any text, or chooses the weights of a network line by line.
pub(super) fn network(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let read = |text: &str, planes: &[u8]| {
        read_network::<16, 1>(text, planes);
        read_network::<24, 4>(text, planes);
        for game in GAMES {
            let start = game.start(None, None, None).expect("a built-in start");
            let weights = start.weights().expect("weights of an evaluation");
            if let Err(reason) = weights.check(text) {
                sentence(&reason);
            }
        }
    };
    if first & 0x80 == 0 {
        if let Ok(text) = std::str::from_utf8(rest) {
            read(text, rest);
        }
        return;
    }
    let mut choices = Unstructured::new(rest);
    let (planes, values) = if first & 0x40 == 0 { (16, 1) } else { (24, 4) };
    if let Ok(text) = network_text(usize::from(first & 3), planes, values, &mut choices) {
        read(&text, choices.take_rest());
    }
}

/// Numbers as they may stand in a file, the first of them in a valid one.
const REALS: [&str; 12] = [
    "0", "1", "-1", "0.5", "1e6", "-1e6", "-1e-30", "1000001", "nan", "-inf", "1e", "1_0",
];
const WHOLE: [&str; 12] = [
    "0", "1", "-1", "127", "-127", "9", "20", "-128", "128", "1.0", "+7", "x",
];

/// A network in which each layer repeats a few numbers.
fn network_text(
    blocks: usize,
    planes: usize,
    values: usize,
    choices: &mut Unstructured<'_>,
) -> arbitrary::Result<String> {
    let mut text = format!("network {CHANNELS} channels {blocks} blocks");
    if values > 1 {
        text += &format!(" {values} values");
    }
    text.push('\n');
    for (name, count, kind) in layers(blocks, planes, values) {
        let (period, change): (u8, u8) = choices.arbitrary()?;
        let table = match kind {
            Convolution => &WHOLE,
            Reals => &REALS,
        };
        // Most lines are right: so the reader comes to the end.
        let known = if change & 0x80 == 0 { 7 } else { table.len() };
        let words: Vec<&str> = (0..period % 8)
            .map(|_| Ok(table[usize::from(choices.arbitrary::<u8>()?) % known]))
            .collect::<arbitrary::Result<_>>()?;
        let words = if words.is_empty() {
            vec![table[0]]
        } else {
            words
        };
        let count = match change & 0x7f {
            1 => count - 1,
            2 => count + 1,
            3 => continue,
            _ => count,
        };
        text += name;
        let shifts = if kind == Convolution { CHANNELS } else { 0 };
        let numbers = std::iter::repeat_n("9", shifts).chain(words.iter().copied().cycle());
        for word in numbers.take(count) {
            text.push(' ');
            text += word;
        }
        text += if change & 0x7f == 4 { " # 1\n\n" } else { "\n" };
    }
    Ok(text)
}

fn read_network<const P: usize, const O: usize>(text: &str, planes: &[u8]) {
    match Model::<CHANNELS, GLOBALS, P, O>::parse(text) {
        Ok(model) => {
            assert!(
                is_network(text, P, O),
                "{}",
                text.lines().next().unwrap_or_default()
            );
            evaluate(&model, planes);
        }
        Err(reason) => {
            assert!(!is_network(text, P, O), "{reason}");
            sentence(&reason);
        }
    }
    let start = start(9, 2);
    let weights = start.weights().expect("weights of an evaluation");
    assert!(!weights.is_network(text) || weights.check(text).is_err());
}

/// The outputs are numbers, whatever was evaluated before.
fn evaluate<const P: usize, const O: usize>(model: &Model<CHANNELS, GLOBALS, P, O>, planes: &[u8]) {
    let mut outputs = Vec::new();
    let mut scratch = Scratch::default();
    for side in [5, 4, 5] {
        scratch.begin::<CHANNELS, P>(side + 1, side);
        for (number, &byte) in planes.iter().take(side * side).enumerate() {
            let cell = (number / side + 1) * (side + 1) + number % side;
            (0..8)
                .filter(|bit| byte >> bit & 1 != 0)
                .for_each(|bit| scratch.set::<P>(cell, bit));
        }
        let values = model.value_logits(&mut scratch, &[1.0, -0.5], side * side);
        let policy = model.policy_logit(&scratch, side + 2);
        let mut logits = values.iter().chain([&policy]);
        assert!(logits.all(|logit| logit.is_finite()), "{values:?} {policy}");
        outputs.push((values.map(f32::to_bits), policy.to_bits()));
    }
    assert_eq!(outputs[0], outputs[2]);
}

fn start(size: usize, players: usize) -> SharedStart {
    let start = GAMES[0].start(Some(size), None, Some(players));
    start.expect("a built-in start")
}

const PHASES: [&str; 4] = ["opening", "middle", "ending", "late"];

/// The first byte chooses whether the rest is any text, or chooses the lines of weights of the linear evaluation.
pub(super) fn weights(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    if first & 0x80 == 0 {
        if let Ok(text) = std::str::from_utf8(rest) {
            read_weights(text);
        }
        return;
    }
    let mut choices = Unstructured::new(rest);
    let mut text = String::new();
    let columns = columns();
    while let Some((size, phase, word)) = next::<(u8, u8, i16)>(&mut choices) {
        let count = match phase >> 4 {
            1 => columns - 1,
            2 => columns + 1,
            _ => columns,
        };
        let number = match phase >> 6 {
            0 => (f64::from(word) / 1000.0).to_string(),
            1 => (f64::from(word) * 31.0).to_string(),
            _ => REALS[word.unsigned_abs() as usize % REALS.len()].to_string(),
        };
        let line = format!(
            "{} {}",
            3 + size % 20,
            PHASES[usize::from(phase & 15) % PHASES.len()]
        );
        text += &line;
        text += &format!(" {number}").repeat(count);
        text.push('\n');
    }
    read_weights(&text);
}

/// The weights in a line.
fn columns() -> usize {
    let start = start(9, 2);
    start
        .weights()
        .expect("weights of an evaluation")
        .embedded()
        .len()
        / 3
}

/// Whether the lines are as the description of the format says.
fn are_weights(text: &str) -> bool {
    let mut seen = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line
            .split('#')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let [size, phase, weights @ ..] = &words[..] else {
            if words.is_empty() {
                continue;
            }
            return false;
        };
        let is_weight = |word: &&str| {
            word.parse::<f32>()
                .is_ok_and(|x| (-LARGEST..=LARGEST).contains(&x))
        };
        let size = size
            .parse::<usize>()
            .ok()
            .filter(|size| (4..=21).contains(size));
        let (Some(size), true) = (size, PHASES[..3].contains(phase)) else {
            return false;
        };
        if weights.len() != columns()
            || !weights.iter().all(is_weight)
            || seen.contains(&(size, *phase))
        {
            return false;
        }
        seen.push((size, *phase));
    }
    let is_whole = |&(size, _): &(usize, &str)| {
        PHASES[..3]
            .iter()
            .all(|phase| seen.contains(&(size, phase)))
    };
    !seen.is_empty() && seen.iter().all(is_whole)
}

fn read_weights(text: &str) {
    for start in [start(9, 2), start(9, 3)] {
        let weights = start.weights().expect("weights of an evaluation");
        if weights.is_network(text) {
            assert!(weights.check(text).is_err());
            continue;
        }
        let own = weights.embedded();
        let beside = |text| weights.to_text(&own, Some(text));
        match weights.check(text) {
            Ok(()) => {
                assert!(are_weights(text));
                // Weights are written with five decimals, and then stay.
                let written = beside(text);
                assert_eq!(weights.check(&written), Ok(()));
                assert_eq!(beside(&written), written);
                let lines = |text: &str| {
                    text.lines()
                        .filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()))
                        .count()
                };
                assert!(lines(&written) >= lines(text), "{written}");
            }
            Err(reason) => {
                assert!(!are_weights(text), "{reason}");
                sentence(&reason);
                assert_eq!(beside(text), weights.to_text(&own, None));
            }
        }
    }
}
