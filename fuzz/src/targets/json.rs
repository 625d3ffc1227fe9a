//! Values of JSON, altered.

use arbitrary::Unstructured;
use serde_json::{Value, json};

use super::next;

/// The longest text of a value that is doubled.
const MOST_DOUBLED: usize = 1000;

/// Alters one value within another: replaces it, removes it or doubles it.
pub(super) fn alter(value: &mut Value, choices: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let (place, what, number): (u8, u8, i8) = choices.arbitrary()?;
    let mut place = usize::from(place) % count(value);
    change(value, &mut place, what, number);
    Ok(())
}

/// Alters some of these values, as long as there are choices.
pub(super) fn alter_some(values: &mut [Value], choices: &mut Unstructured<'_>) {
    while let Some(place) = next::<u8>(choices) {
        let place = usize::from(place) % (values.len() + 1);
        let Some(value) = values.get_mut(place) else {
            return;
        };
        if alter(value, choices).is_err() {
            return;
        }
    }
}

/// The values within a value, and itself.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) => values.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

/// Alters the value at `place` in the order of the text; true once it is done.
fn change(value: &mut Value, place: &mut usize, what: u8, number: i8) -> bool {
    if *place == 0 {
        replace(value, what, number);
        return true;
    }
    *place -= 1;
    match value {
        Value::Array(values) => {
            for index in 0..values.len() {
                if *place == 0 && what >= 0xe0 {
                    match what & 1 {
                        0 => drop(values.remove(index)),
                        _ => values.insert(index, values[index].clone()),
                    }
                    return true;
                }
                if change(&mut values[index], place, what, number) {
                    return true;
                }
            }
            false
        }
        Value::Object(fields) => {
            for name in fields.keys().cloned().collect::<Vec<_>>() {
                if *place == 0 && what >= 0xe0 {
                    let value = fields.remove(&name);
                    if what & 1 != 0 {
                        fields.insert(name + "x", value.unwrap_or_default());
                    }
                    return true;
                }
                if let Some(value) = fields.get_mut(&name)
                    && change(value, place, what, number)
                {
                    return true;
                }
            }
            false
        }
        _ => false,
    }
}

fn replace(value: &mut Value, what: u8, number: i8) {
    const TEXTS: [&str; 16] = [
        "",
        "a",
        "black",
        "white",
        "red",
        "B1",
        "time_per_move=1e-6",
        "clock=fischer 10 0.1",
        "iterations=1",
        "\u{202e}",
        "\n",
        "normal",
        "void",
        "gauntlet",
        "to move: black\n. . . X\n. . . .\n. . . .\nO . . .\n",
        "tanada gtp",
    ];
    *value = match what % 12 {
        0 => Value::Null,
        1 => json!(number),
        2 => json!(f64::from(number) / 8.0),
        3 => json!(u64::MAX - u64::from(number.unsigned_abs())),
        4 => json!(f64::from(number) * 1e300 / 128.0),
        5 => json!(number > 0),
        6 => json!([]),
        7 => json!({}),
        // Repeated, these would grow without end.
        8 | 9 if value.to_string().len() > MOST_DOUBLED => Value::Null,
        8 => json!([value.clone(), value.clone()]),
        9 => match value.as_f64() {
            Some(old) => json!(old + f64::from(number)),
            None => json!(value.to_string()),
        },
        10 => match value.as_u64() {
            Some(old) => json!(old.wrapping_add_signed(number.into())),
            None => json!(i64::MIN),
        },
        _ => json!(TEXTS[number.unsigned_abs() as usize % TEXTS.len()]),
    };
}
