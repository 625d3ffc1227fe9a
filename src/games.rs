//! The table of the games that Tanada plays.

use crate::tanbo;
use crate::taratibu;
use crate::util::nearest::hint;
use crate::variant::{SharedStart, Variant};

/// The games. The first is the default.
///
/// ```
/// let names: Vec<&str> = tanada::GAMES.iter().map(|game| game.name()).collect();
/// assert_eq!(names, ["tanbo", "taratibu"]);
/// ```
pub static GAMES: &[&dyn Variant] = &[&tanbo::Tanbo, &taratibu::Taratibu];

/// The default game.
pub fn default() -> &'static dyn Variant {
    GAMES[0]
}

/// The game with this name.
pub fn find(name: &str) -> Option<&'static dyn Variant> {
    GAMES.iter().copied().find(|game| game.name() == name)
}

/// Whether a file that begins with `head` is a game record that Tanada wrote, of any game.
pub(crate) fn is_own_record(head: &[u8]) -> bool {
    GAMES.iter().any(|game| game.records().is_own(head))
}

/// The names of all games.
pub(crate) fn names() -> Vec<&'static str> {
    GAMES.iter().map(|game| game.name()).collect()
}

/// The first line of a start position's text names the game after this, except for the default
/// game.
const PREFIX: &str = "game: ";

/// Writes a start position as text that names its game.
pub(crate) fn write_start(start: &SharedStart) -> String {
    let name = start.variant().name();
    if name == default().name() {
        start.text()
    } else {
        format!("{PREFIX}{name}\n{}", start.text())
    }
}

/// Reads a text that [`write_start`] wrote.
///
/// # Errors
/// The game does not exist, or its rules cannot play from there.
pub fn read_start(text: &str) -> Result<SharedStart, String> {
    let Some(rest) = text.strip_prefix(PREFIX) else {
        return default().read(text, None);
    };
    let (name, text) = rest.split_once('\n').unwrap_or((rest, ""));
    match find(name) {
        Some(game) => game.read(text, None),
        None => {
            let name = crate::util::quote::shorten(name, 60);
            let hint = hint(&name, &names());
            Err(format!("unknown game `{name}`{hint}"))
        }
    }
}
