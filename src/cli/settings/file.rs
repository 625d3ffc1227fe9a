//! The settings file: TOML, an option in each line, for all commands or in the table of one.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::start::read_text;
use crate::util::nearest::hint;
use crate::util::place::line_and_column;

use super::{COMMANDS, Entry, Origin, SettingsError, commands, is_repeated, option, options};
use crate::cli::failure::shorten;

/// A settings file whose names are known and whose values are of the right kind.
pub(super) struct SettingsFile {
    /// For every command that has the option.
    shared: Vec<Entry>,
    /// For one command.
    own: Vec<(&'static str, Entry)>,
}

impl SettingsFile {
    /// Reads a file. `all` is the definition of all arguments.
    ///
    /// # Errors
    /// A file that cannot be read or is not TOML, names that are no options, values that an option cannot have.
    pub(super) fn read(path: &str, all: &clap::Command) -> Result<Self, SettingsError> {
        Self::parse(path, &read_text(path)?, all)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// The text is not TOML, names that are no options, values that an option cannot have.
    pub(super) fn parse(
        path: &str,
        text: &str,
        all: &clap::Command,
    ) -> Result<Self, SettingsError> {
        Reader { path, text }.file(all)
    }

    /// What the file says about a command: first what is for it alone, then what is for all.
    pub(super) fn layers(&self, command: &clap::Command) -> [Vec<Entry>; 2] {
        let own = self
            .own
            .iter()
            .filter(|(name, _)| *name == command.get_name());
        let shared = self.shared.iter();
        let shared = shared.filter(|entry| option(command, &entry.name).is_some());
        [
            own.map(|(_, entry)| entry.clone()).collect(),
            shared.cloned().collect(),
        ]
    }
}

struct Reader<'a> {
    path: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn file(&self, all: &clap::Command) -> Result<SettingsFile, SettingsError> {
        let document = DeTable::parse(self.text).map_err(|error| {
            let message = error.message().trim().replace('\n', "; ");
            self.fault(error.span().map_or(0, |span| span.start), message)
        })?;
        let commands: Vec<&clap::Command> = commands(all).collect();
        let mut file = SettingsFile {
            shared: Vec::new(),
            own: Vec::new(),
        };
        for (key, value) in in_order(document.get_ref()) {
            let name: &str = key.get_ref();
            if let Some(&command) = COMMANDS.iter().find(|command| **command == name) {
                let DeValue::Table(table) = value.get_ref() else {
                    let message = format!("`{name}` is a command: expected a table, `[{name}]`");
                    return Err(self.fault(key.span().start, message));
                };
                let of: Vec<_> = commands
                    .iter()
                    .filter(|c| c.get_name() == name)
                    .copied()
                    .collect();
                for (key, value) in in_order(table) {
                    let entries = self.entries(key, value, &of)?;
                    file.own
                        .extend(entries.into_iter().map(|entry| (command, entry)));
                }
            } else {
                file.shared.extend(self.entries(key, value, &commands)?);
            }
        }
        Ok(file)
    }

    /// A setting of these commands, as one entry for each value.
    fn entries(
        &self,
        key: &Spanned<Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
        commands: &[&clap::Command],
    ) -> Result<Vec<Entry>, SettingsError> {
        let name: &str = key.get_ref();
        let known = commands.iter().find_map(|command| option(command, name));
        let Some(option) = known else {
            let all = commands.iter().flat_map(|command| options(command));
            let names: Vec<&str> = all.filter_map(clap::Arg::get_long).collect();
            let message = self.unknown(name, commands, names);
            return Err(self.fault(key.span().start, message));
        };
        let one = |value: &Spanned<DeValue<'_>>| {
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_string(),
                DeValue::Float(number) => number.as_str().to_string(),
                DeValue::Boolean(is_true) => is_true.to_string(),
                _ => {
                    let found = shorten(self.text.get(value.span()).unwrap_or_default());
                    let message = format!(
                        "invalid value `{found}` for `{name}`: expected a decimal number, a string, `true` or `false`"
                    );
                    return Err(self.fault(value.span().start, message));
                }
            };
            let (line, column) = line_and_column(self.text, value.span().start);
            let path = self.path.to_string();
            Ok(Entry {
                name: name.to_string(),
                value: text,
                origin: Origin::File { path, line, column },
            })
        };
        match value.get_ref() {
            DeValue::Array(values) if is_repeated(option) => values.iter().map(one).collect(),
            _ => Ok(vec![one(value)?]),
        }
    }

    fn unknown(&self, name: &str, commands: &[&clap::Command], mut names: Vec<&str>) -> String {
        names.sort_unstable();
        names.dedup();
        let of = match commands {
            [command] => format!(" of `{}`", command.get_name()),
            _ => {
                names.extend(COMMANDS);
                String::new()
            }
        };
        format!(
            "unknown setting `{}`{of}{}",
            shorten(name),
            hint(name, &names)
        )
    }

    fn fault(&self, at: usize, message: String) -> SettingsError {
        let (line, column) = line_and_column(self.text, at);
        let origin = Origin::File {
            path: self.path.to_string(),
            line,
            column,
        };
        SettingsError::Fault { origin, message }
    }
}

/// The entries of a table as they stand in the file.
fn in_order<'a, 'i>(
    table: &'a DeTable<'i>,
) -> Vec<(&'a Spanned<Cow<'i, str>>, &'a Spanned<DeValue<'i>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}
