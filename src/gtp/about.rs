//! Commands about the engine and the protocol.

use super::command::{Answer, Call, TABLE, find};
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

pub(super) fn known_command(_: &mut Session, call: &Call<'_>) -> Reply {
    let known = call.optional(0).is_some_and(|name| find(name).is_some());
    Ok(known.to_string().into())
}

pub(super) fn list_commands(_: &mut Session, _: &Call<'_>) -> Reply {
    let names: Vec<&str> = TABLE.iter().map(|command| command.name).collect();
    Ok(names.join("\n").into())
}

pub(super) fn help(_: &mut Session, call: &Call<'_>) -> Reply {
    let wanted = match call.optional(0) {
        Some(name) => std::slice::from_ref(find(name).ok_or(GtpError::UnknownCommand)?),
        None => TABLE,
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
