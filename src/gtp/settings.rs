//! Commands that change how the engine is configured.

use super::command::{Answer, Call, done, shorten};
use super::parse::GtpError;
use super::session::Session;
use crate::params::{self, Kind, Params, TABLE};

type Reply = Result<Answer, GtpError>;

/// The name under which `tanada-param` applies and shows presets.
const PRESET: &str = "preset";

pub(super) fn setup(session: &mut Session, call: &Call<'_>) -> Reply {
    if call.arguments().is_empty() {
        let names = session.engine().ruleset().setups().join(", ");
        let text = format!("`tanada-setup` lacks a word, expected {names} or the name of a file");
        return Err(GtpError::Other(text));
    }
    // Blanks may be part of a file's name.
    let text = call.arguments().join(" ");
    let configuration = session.configuration().with_setup(&text);
    session.configure(configuration.map_err(GtpError::explain)?);
    done()
}

pub(super) fn position(session: &mut Session, call: &Call<'_>) -> Reply {
    if call.arguments().is_empty() {
        return Err(GtpError::SyntaxError);
    }
    let text = call.arguments().join(" ").replace('/', "\n");
    let start = session
        .engine()
        .ruleset()
        .read(&text, None)
        .map_err(GtpError::explain)?;
    session.begin(start);
    done()
}

pub(super) fn param(session: &mut Session, call: &Call<'_>) -> Reply {
    match call.arguments() {
        [] => Ok(list(session.engine().params()).into()),
        [name] if name == PRESET => Ok(preset(session.engine().params()).into()),
        [name] => {
            let parameter = params::find(name).map_err(GtpError::explain)?;
            Ok(parameter.get(session.engine().params()).to_string().into())
        }
        [name, value] => {
            let mut params = session.engine().params().clone();
            let change = if name == PRESET {
                params.apply_preset(value)
            } else {
                params.set(name, value)
            };
            change.map_err(GtpError::explain)?;
            session.set_params(params, name);
            done()
        }
        [_, _, extra, ..] => {
            let extra = shorten(extra);
            let text =
                format!("`{extra}` is one word too many, expected `tanada-param [NAME [VALUE]]`");
            Err(GtpError::Other(text))
        }
    }
}

/// All settings, in the form in which GoGui makes a dialog of them.
fn list(params: &Params) -> String {
    let lines: Vec<String> = TABLE
        .iter()
        .map(|parameter| {
            let kind = match parameter.kind {
                Kind::Choice(words) => format!("list/{}", words.join("/")),
                _ => "string".to_string(),
            };
            format!("[{kind}] {} {}", parameter.name, parameter.get(params))
        })
        .collect();
    lines.join("\n")
}

/// The preset that the settings are those of, `custom` if there is none.
fn preset(params: &Params) -> &'static str {
    let same = |name: &&str| {
        let mut other = params.clone();
        other.apply_preset(name).is_ok() && other == *params
    };
    Params::PRESETS
        .into_iter()
        .find(|name| same(name))
        .unwrap_or("custom")
}
