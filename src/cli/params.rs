//! `tanada params`: the table of parameters.

use serde_json::{Value as Json, json};
use tanada::params::{Kind, Parameter, TABLE, Value};
use tanada::tune::R_END;

use super::{Failure, columns, print, print_json, shorten};

/// What `tanada params` takes.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// Prints one JSON array
    #[arg(long)]
    json: bool,
    /// table, with all parameters; weather-factory or openbench, the input of these tuners with
    /// those that can be tuned [default: table]
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// Prints name, type, default, range, step and meaning of every parameter, or what a tuner takes.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = arguments.format.as_deref().unwrap_or("table");
    if arguments.json && format != "table" {
        let format = shorten(format);
        return Err(Failure::Input(format!(
            "`--json` and `--format {format}` contradict each other, expected one of them"
        )));
    }
    match format {
        "table" => {}
        "weather-factory" => return print(&weather_factory()),
        "openbench" => return print(&openbench()),
        other => {
            let text = shorten(other);
            return Err(Failure::Input(format!(
                "`{text}` is no value of `--format`, expected table, weather-factory or openbench"
            )));
        }
    }
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

/// Name, type, default, least value, greatest value and step of what can be tuned.
fn tunable() -> impl Iterator<Item = (&'static str, &'static str, [Json; 4])> {
    let tunable = TABLE.iter().filter(|parameter| parameter.is_tunable());
    tunable.filter_map(|parameter| {
        let default = value(parameter);
        match parameter.kind {
            Kind::Integer(low, high, step) => {
                let numbers = [default, json!(low), json!(high), json!(step)];
                Some((parameter.name, "int", numbers))
            }
            Kind::Real(low, high, step) => {
                let numbers = [default, json!(low), json!(high), json!(step)];
                Some((parameter.name, "float", numbers))
            }
            Kind::Choice(_) => None,
        }
    })
}

/// `config.json` of weather-factory (<https://github.com/jnlt3/weather-factory>).
fn weather_factory() -> String {
    let entries = tunable().map(|(name, _, [value, low, high, step])| {
        format!(
            "  \"{name}\": {{\"value\": {value}, \"min_value\": {low}, \"max_value\": {high}, \"step\": {step}}}"
        )
    });
    format!("{{\n{}\n}}\n", entries.collect::<Vec<_>>().join(",\n"))
}

/// The lines that a new SPSA tuning of OpenBench (<https://github.com/AndyGrant/OpenBench>) takes:
/// name, type, value, min, max, C_end, R_end.
fn openbench() -> String {
    let lines = tunable().map(|(name, kind, [value, low, high, step])| {
        format!("{name}, {kind}, {value}, {low}, {high}, {step}, {R_END}\n")
    });
    lines.collect()
}

fn value(parameter: &Parameter) -> Json {
    match parameter.default() {
        Value::Integer(n) => json!(n),
        Value::Real(x) => json!(x),
        Value::Choice(word) => json!(word),
    }
}

fn span(low: impl ToString, high: impl ToString) -> String {
    format!("{}..{}", low.to_string(), high.to_string())
}

fn object(parameter: &Parameter) -> Json {
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
    object["default"] = value(parameter);
    object["meaning"] = json!(parameter.meaning);
    object
}
