//! Files that a subcommand writes: in full or not at all.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use super::Failure;
use super::failure::shorten;

/// Finds out whether [`replace`] can write the file, before the work for it is done.
pub(super) fn probe(path: &str) -> Result<(), Failure> {
    tanada::files::probe(Path::new(path))
        .map_err(|error| Failure::Input(format!("cannot write `{}`: {error}", shorten(path))))
}

/// Refuses two options that name one file, of which one would be written over the other; each is
/// given with its file, where it names one.
pub(super) fn apart(options: &[(&str, Option<&String>)]) -> Result<(), Failure> {
    let absolute = |path: &String| std::path::absolute(path).ok();
    for (number, &(second, path)) in options.iter().enumerate() {
        let Some(path) = path.map(absolute) else {
            continue;
        };
        let earlier = &options[..number];
        let twin = earlier
            .iter()
            .find(|(_, other)| other.map(absolute) == Some(path.clone()));
        if let Some((first, _)) = twin {
            return Err(Failure::Input(format!(
                "`{first}` and `{second}` name the same file, expected two"
            )));
        }
    }
    Ok(())
}

/// Writes a file in place of the old one.
pub(super) fn replace(path: &str, text: &str) -> Result<(), Failure> {
    tanada::files::replace(Path::new(path), text.as_bytes())
        .map_err(|error| Failure::Other(format!("cannot write `{}`: {error}", shorten(path))))
}

/// The same with what `fill` writes; if that fails, the old file stays.
pub(super) fn replace_with<T>(
    path: &str,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    /// A failure of the work, or of the file.
    enum Fault {
        Work(Failure),
        File(io::Error),
    }
    impl From<io::Error> for Fault {
        fn from(error: io::Error) -> Self {
            Self::File(error)
        }
    }
    let written =
        tanada::files::replace_with(Path::new(path), |file| fill(file).map_err(Fault::Work));
    written.map_err(|fault| match fault {
        Fault::Work(failure) => failure,
        Fault::File(error) => Failure::Other(format!("cannot write `{}`: {error}", shorten(path))),
    })
}
