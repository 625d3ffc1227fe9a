//! The games that Tanada plays, one line each.

use crate::tanbo;
use crate::taratibu;
use crate::util::nearest::hint;
use crate::variant::{SetupError, SharedStart, Variant};

/// The games; the first is meant where none is named.
pub static GAMES: &[&dyn Variant] = &[&tanbo::Tanbo, &taratibu::Taratibu];

/// The game that is meant where none is named.
pub fn default() -> &'static dyn Variant {
    GAMES[0]
}

/// The game with this name.
pub fn find(name: &str) -> Option<&'static dyn Variant> {
    GAMES.iter().copied().find(|game| game.name() == name)
}

/// Whether a file that begins so is a game record that this program wrote, of whichever game.
pub fn is_own_record(head: &[u8]) -> bool {
    GAMES.iter().any(|game| game.is_own_record(head))
}

/// The names of all games.
pub fn names() -> Vec<&'static str> {
    GAMES.iter().map(|game| game.name()).collect()
}

/// What the first line of a start position's text begins with where it is not of the first game.
const HEAD: &str = "game: ";

/// A start position as text that says which game it is of.
pub fn write_start(start: &SharedStart) -> String {
    let name = start.variant().name();
    match name == default().name() {
        true => start.text(),
        false => format!("{HEAD}{name}\n{}", start.text()),
    }
}

/// Reads such a text.
///
/// # Errors
/// A game that does not exist, or what its rules refuse.
pub fn read_start(text: &str) -> Result<SharedStart, SetupError> {
    let Some(rest) = text.strip_prefix(HEAD) else {
        return default().read(text, None);
    };
    let (name, text) = rest.split_once('\n').unwrap_or((rest, ""));
    match find(name) {
        Some(game) => game.read(text, None),
        None => {
            let name = crate::util::quote::shorten(name, 60);
            let hint = hint(&name, &names());
            Err(SetupError::Text(format!("unknown game `{name}`{hint}")))
        }
    }
}
