//! Commands about the engine and the protocol.

use super::command::{Answer, COMMANDS, Call, Command, find};
use super::parse::GtpError;
use super::session::Session;

type Reply = Result<Answer, GtpError>;

pub(super) fn protocol_version(_: &mut Session, _: &Call<'_>) -> Reply {
    Ok("2".into())
}

pub(super) fn name(_: &mut Session, _: &Call<'_>) -> Reply {
    Ok("Tanada".into())
}

pub(super) fn version(_: &mut Session, _: &Call<'_>) -> Reply {
    Ok(env!("CARGO_PKG_VERSION").into())
}

pub(super) fn known_command(session: &mut Session, call: &Call<'_>) -> Reply {
    let known = call
        .optional(0)
        .is_some_and(|name| find(name, session.engine()).is_some());
    Ok(known.to_string().into())
}

pub(super) fn list_commands(session: &mut Session, _: &Call<'_>) -> Reply {
    let names: Vec<&str> = served(session).map(|command| command.name).collect();
    Ok(names.join("\n").into())
}

/// The commands that are there in the game that is played.
fn served(session: &Session) -> impl Iterator<Item = &'static Command> {
    COMMANDS
        .iter()
        .filter(|command| command.serves(session.engine()))
}

pub(super) fn help(session: &mut Session, call: &Call<'_>) -> Reply {
    let wanted: Vec<&Command> = match call.optional(0) {
        Some(name) => vec![find(name, session.engine()).ok_or(GtpError::UnknownCommand)?],
        None => served(session).collect(),
    };
    let lines: Vec<String> = wanted
        .iter()
        .map(|command| format!("{}: {}", command.usage(), command.doc))
        .collect();
    Ok(lines.join("\n").into())
}

pub(super) fn quit(_: &mut Session, _: &Call<'_>) -> Reply {
    Ok(Answer::Quit)
}
