//! Commands that change the configuration of the engine.

use super::call::{Call, Reply, done, shorten};
use super::parse::GtpError;
use super::session::Session;
use crate::params::{self, Kind, LEVELS, PARAMETERS, Parameter, Params, Role, Value};

/// The names by which `tanada-param` applies and shows presets and levels.
const PRESET: &str = "preset";
const LEVEL: &str = "level";

/// Stands for settings that differ from every preset or level. Setting it changes nothing: GoGui sends all
/// settings of a dialog back.
const CUSTOM: &str = "custom";

pub(super) fn setup(session: &mut Session, call: &Call<'_>) -> Reply {
    if call.arguments.is_empty() {
        let names = session.engine().variant().setups().join(", ");
        let text =
            format!("missing argument of `tanada-setup`: expected {names} or the name of a file");
        return Err(GtpError::Other(text));
    }
    // The name of a file may contain blanks.
    let text = call.arguments.join(" ");
    let configuration = session.configuration().with_setup(&text);
    session.configure(configuration.map_err(GtpError::explain)?);
    done()
}

pub(super) fn position(session: &mut Session, call: &Call<'_>) -> Reply {
    if call.arguments.is_empty() {
        return Err(GtpError::SyntaxError);
    }
    let text = call.arguments.join(" ").replace('/', "\n");
    let start = session.engine().variant().read(&text, None);
    session.begin(start.map_err(GtpError::explain)?);
    done()
}

pub(super) fn param(session: &mut Session, call: &Call<'_>) -> Reply {
    match call.arguments {
        [] => Ok(list(session.engine().params()).into()),
        [name] => value(session.engine().params(), name),
        [name, value] => change(session, name, value),
        [_, _, extra, ..] => {
            let extra = shorten(extra);
            let text =
                format!("unexpected argument `{extra}`: expected `tanada-param [NAME [VALUE]]`");
            Err(GtpError::Other(text))
        }
    }
}

pub(super) fn kata_get_param(session: &mut Session, call: &Call<'_>) -> Reply {
    value(session.engine().params(), call.argument(0)?)
}

pub(super) fn kata_set_param(session: &mut Session, call: &Call<'_>) -> Reply {
    change(session, call.argument(0)?, call.argument(1)?)
}

pub(super) fn kata_list_params(_: &mut Session, _: &Call<'_>) -> Reply {
    let names: Vec<&str> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
    Ok(names.join(" ").into())
}

fn value(params: &Params, name: &str) -> Reply {
    if name == PRESET {
        return Ok(preset(params).into());
    }
    if name == LEVEL {
        return Ok(level(params).into());
    }
    let parameter = params::find(name).map_err(GtpError::explain)?;
    Ok(parameter.get(params).to_string().into())
}

fn change(session: &mut Session, name: &str, value: &str) -> Reply {
    if value == CUSTOM && [PRESET, LEVEL].contains(&name) {
        return done();
    }
    let engine = session.engine_mut();
    let mut params = engine.params().clone();
    let changed = match name {
        PRESET => params.apply_preset(value),
        LEVEL => params.apply_level(value),
        _ => params.set(name, value),
    };
    changed.map_err(GtpError::explain)?;
    let seed = params.seed;
    engine.set_params(params);
    if params::find(name).is_ok_and(Parameter::is_seed) {
        // The same seed starts the stream anew, too.
        engine.reseed(seed);
    }
    done()
}

/// The order of the dialog: first what most people change.
const DIALOG: [Role; 4] = [Role::Resources, Role::Session, Role::Strength, Role::Search];

/// All settings, one a line, in the form from which GoGui makes a dialog.
fn list(params: &Params) -> String {
    let presets = Params::PRESETS.join("/");
    let preset = format!("[list/{presets}/{CUSTOM}] {PRESET} {}", preset(params));
    let levels: Vec<&str> = LEVELS.iter().map(|level| level.name).collect();
    let levels = levels.join("/");
    let level = format!("[list/{levels}/{CUSTOM}] {LEVEL} {}", level(params));
    let of = |role| PARAMETERS.iter().filter(move |p| p.role == role);
    let lines = DIALOG.into_iter().flat_map(of).map(|parameter| {
        let value = parameter.get(params);
        let (kind, value) = match (parameter.kind, value) {
            (Kind::Choice(words), _) => (format!("list/{}", words.join("/")), value.to_string()),
            // GoGui ticks a box for 1.
            (_, Value::Bool(yes)) => ("bool".to_string(), u8::from(yes).to_string()),
            _ => ("string".to_string(), value.to_string()),
        };
        format!("[{kind}] {} {value}", parameter.name)
    });
    let lines: Vec<String> = [preset, level].into_iter().chain(lines).collect();
    lines.join("\n")
}

/// The preset with these settings, or [`CUSTOM`].
fn preset(params: &Params) -> &'static str {
    let same = |name: &&str| {
        let mut other = params.clone();
        other.apply_preset(name).is_ok() && other == *params
    };
    Params::PRESETS.into_iter().find(same).unwrap_or(CUSTOM)
}

/// The level with these settings, or [`CUSTOM`].
fn level(params: &Params) -> &'static str {
    params.level().map_or(CUSTOM, |level| level.name)
}

#[cfg(test)]
mod tests {
    use super::PARAMETERS;
    use crate::gtp::session::tests::session;

    #[test]
    fn the_dialog_begins_with_what_people_change() {
        let mut session = session(5);
        let all = session.answer("tanada-param");
        let name = |line: &str| line.split(' ').nth(1).unwrap().to_string();
        let names: Vec<String> = all.trim_start_matches("= ").lines().map(name).collect();
        let first = [
            "preset",
            "level",
            "time_per_move",
            "iterations",
            "threads",
            "memory",
        ];
        assert_eq!(names[..6], first);
        let mut rest: Vec<&str> = names[2..].iter().map(String::as_str).collect();
        let mut table: Vec<&str> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
        rest.sort_unstable();
        table.sort_unstable();
        assert_eq!(rest, table);
        let preset = "= [list/network/linear/playout/uct/greedy/custom] preset ";
        assert!(all.starts_with(preset), "{all}");
        let leaf = "list/network/linear/playout/greedy] leaf network";
        for line in [leaf, "string] iterations 50", "bool] setup_echo 0"] {
            assert!(all.contains(&format!("\n[{line}\n")), "{all}");
        }
        // Every line can be sent back unchanged.
        for line in all.trim_start_matches("= ").lines() {
            let [_, name, value] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else {
                panic!("{line}");
            };
            session.check(format!("tanada-param {name} {value}"), "= ");
        }
        session.check("tanada-param", all);
    }
}
