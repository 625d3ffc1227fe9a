//! `tanada params`: the table of parameters.

use serde_json::{Value as Json, json};
use tanada::params::{Kind, Parameter, TABLE, Value};

use super::{Failure, columns, print, print_json};

/// What `tanada params` takes.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// Prints one JSON array
    #[arg(long)]
    json: bool,
}

/// Prints name, type, default, range, step and meaning of every parameter.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.json {
        return print_json(&TABLE.iter().map(object).collect::<Vec<_>>());
    }
    let head = ["name", "type", "default", "range", "step", "meaning"];
    let mut rows = vec![head.map(str::to_string).to_vec()];
    rows.extend(TABLE.iter().map(row));
    print(&columns(&rows, &[2]))
}

fn row(parameter: &Parameter) -> Vec<String> {
    let (kind, range, step) = match parameter.kind {
        Kind::Integer(low, high, step) => ("integer", span(low, high), step.to_string()),
        Kind::Real(low, high, step) => ("real", span(low, high), step.to_string()),
        Kind::Choice(words) => ("choice", words.join("|"), "-".to_string()),
    };
    vec![
        parameter.name.to_string(),
        kind.to_string(),
        parameter.default().to_string(),
        range,
        step,
        parameter.meaning.to_string(),
    ]
}

fn span(low: impl ToString, high: impl ToString) -> String {
    format!("{}..{}", low.to_string(), high.to_string())
}

fn object(parameter: &Parameter) -> Json {
    let default = match parameter.default() {
        Value::Integer(n) => json!(n),
        Value::Real(x) => json!(x),
        Value::Choice(word) => json!(word),
    };
    let mut object = match parameter.kind {
        Kind::Integer(low, high, step) => {
            json!({"type": "integer", "min": low, "max": high, "step": step})
        }
        Kind::Real(low, high, step) => {
            json!({"type": "real", "min": low, "max": high, "step": step})
        }
        Kind::Choice(words) => json!({"type": "choice", "choices": words}),
    };
    object["name"] = json!(parameter.name);
    object["default"] = default;
    object["meaning"] = json!(parameter.meaning);
    object
}
