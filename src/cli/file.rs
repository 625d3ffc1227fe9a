//! Files that subcommands write: in full or not at all, and never over other people's files.

use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::util::files::{self, Kind};
use crate::util::system;
use crate::variant::MAX_ENDING;
use clap::Args;

use super::failure::shorten;
use super::values::whole;
use super::{Failure, bail, counted, note, print};

/// `--force`, in every subcommand that writes files.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct ForceOption {
    /// Overwrite files that this command did not write
    #[arg(long)]
    pub(super) force: bool,
}

/// `--endings`, where certificates are written.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct EndingsOption {
    /// Leave endings to the verifier, those that a simple search of at most N positions wins, 1 to 10^6:
    /// the certificate is smaller
    #[arg(
        long,
        value_name = "N",
        requires = "certificate",
        value_parser = whole(1..=MAX_ENDING)
    )]
    pub(super) endings: Option<u64>,
}

impl ForceOption {
    /// The file of an option, if it is given.
    pub(super) fn output<'a>(
        self,
        option: &'static str,
        path: impl Into<Option<&'a String>>,
        kind: Kind<'a>,
    ) -> Option<Output<'a>> {
        path.into().map(|path| Output {
            option,
            path,
            kind,
            force: self.force,
            is_kept: false,
        })
    }
}

#[derive(Clone, Copy)]
pub(super) struct Output<'a> {
    option: &'static str,
    path: &'a str,
    kind: Kind<'a>,
    force: bool,
    is_kept: bool,
}

/// Checks before the work begins that the files can be written at its end. No file may be one of
/// `inputs`, even with `--force`.
pub(super) fn check(
    outputs: &[Option<Output<'_>>],
    inputs: &[Option<&str>],
) -> Result<(), Failure> {
    protect(outputs, inputs)?;
    for output in outputs.iter().flatten().filter(|o| !o.is_stream()) {
        let probed = files::probe(Path::new(output.path));
        probed.map_err(|error| Failure::Input(output.cannot(&error)))?;
    }
    Ok(())
}

/// The same check, without trying to write.
pub(super) fn protect(
    outputs: &[Option<Output<'_>>],
    inputs: &[Option<&str>],
) -> Result<(), Failure> {
    // A pipe or device is not overwritten.
    let outputs = outputs.iter().flatten();
    let outputs: Vec<&Output> = outputs.filter(|output| !output.is_stream()).collect();
    for (number, output) in outputs.iter().enumerate() {
        let is_same = |path: &str| files::is_same(Path::new(path), Path::new(output.path));
        if let Some(input) = inputs.iter().flatten().find(|input| is_same(input)) {
            let (option, path, input) = (output.option, shorten(output.path), shorten(input));
            bail!(Input: "`{option} {path}` would overwrite the input `{input}`; choose another name");
        }
        if let Some(first) = outputs[..number].iter().find(|other| is_same(other.path)) {
            let (one, other) = (first.option, output.option);
            bail!(Input: "`{one}` and `{other}` name the same file; use two");
        }
    }
    for output in outputs {
        output.guard().map_err(Failure::Input)?;
    }
    Ok(())
}

/// Writes the result of long work to its file or to standard output; returns where it is, as part of
/// a sentence.
pub(super) fn deliver(output: Option<&Output<'_>>, text: &str) -> Result<String, Failure> {
    match output {
        Some(output) => {
            output.keep(text, true)?;
            Ok(format!("in `{}`", shorten(output.path)))
        }
        None => {
            print(text)?;
            Ok("on standard output".to_string())
        }
    }
}

/// Delivers a list of which `found` of `wanted` entries were found; `end` says why there are no more.
/// The nouns are those for one entry and for several; `remark` ends the text after an interruption.
pub(super) fn deliver_list(
    output: Option<&Output<'_>>,
    text: impl FnOnce() -> String,
    [found, wanted]: [usize; 2],
    [one, more]: [&str; 2],
    end: Result<(), Failure>,
    remark: &str,
) -> Result<(), Failure> {
    if found == 0 {
        return end.map_err(|failure| match failure {
            Failure::Interrupted(_) => Failure::Interrupted(format!(
                "interrupted before the first {one} was found; nothing was written"
            )),
            failure => failure,
        });
    }
    let place = deliver(output, &text())?;
    match end {
        Ok(()) if output.is_none() => {}
        Ok(()) => note(&format!("{} {place}", counted(found, one, more))),
        Err(Failure::Interrupted(why)) => {
            bail!(Interrupted: "{why}: {found} of {wanted} {more} are {place}{remark}")
        }
        Err(why) => bail!(Other: "{why}; {found} of {wanted} {more} are {place}"),
    }
    Ok(())
}

/// The count for a heading: `100`, or `37 of 100` if the work was cut short.
pub(super) fn count(found: usize, wanted: usize) -> String {
    if found < wanted {
        format!("{found} of {wanted}")
    } else {
        found.to_string()
    }
}

/// Whether a text begins with `#`, a [`count`] and one of the words `what`, and has one of `more` in
/// the same line.
pub(super) fn is_list(head: &[u8], what: &[&str], more: &[&str]) -> bool {
    let head = String::from_utf8_lossy(head);
    let first = head.lines().next().unwrap_or_default();
    let line = first.strip_prefix("# ").unwrap_or_default();
    let Some((count, rest)) = what.iter().find_map(|what| line.split_once(what)) else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    count.splitn(2, " of ").all(is_number) && more.iter().any(|more| rest.contains(more))
}

impl Output<'_> {
    /// The same file, but one that is read again later, so it cannot be a pipe.
    pub(super) fn kept(mut self) -> Self {
        self.is_kept = true;
        self
    }

    pub(super) fn path(&self) -> &str {
        self.path
    }

    /// Whether the output goes through a pipe or device instead of replacing a file.
    pub(super) fn is_stream(&self) -> bool {
        !self.is_kept && system::is_stream(Path::new(self.path))
    }

    /// Whether there is a file that this command did not write.
    pub(super) fn is_foreign(&self) -> bool {
        files::is_foreign(Path::new(self.path), &self.kind).unwrap_or(false)
    }

    /// Refuses to overwrite a file that this command did not write, except with `--force`.
    pub(super) fn guard(&self) -> Result<(), String> {
        match files::is_foreign(Path::new(self.path), &self.kind) {
            _ if self.is_stream() => Ok(()),
            Ok(true) if !self.force => Err(format!(
                "`{}` exists and was not written by `{}`; choose another name or add `--force`",
                shorten(self.path),
                self.kind.maker
            )),
            // If it cannot be read, writing it gives the better message.
            _ => Ok(()),
        }
    }

    fn cannot(&self, error: &io::Error) -> String {
        format!("cannot write `{}`: {error}", shorten(self.path))
    }

    pub(super) fn replace(&self, text: &str) -> Result<(), String> {
        self.guard()?;
        self.replace_with(|file| Ok(file.write_all(text.as_bytes())?))
    }

    /// Writes the result of long work. If that fails, for example because the disk is full, it writes
    /// to the temporary folder; if that fails too, it prints the result if `print_it` is set.
    pub(super) fn keep(&self, text: &str, print_it: bool) -> Result<(), Failure> {
        let Err(why) = self.replace(text) else {
            return Ok(());
        };
        if let Ok(aside) = files::write_aside(Path::new(self.path), text.as_bytes()) {
            let aside = aside.display();
            bail!(Other: "{why}; the result is in `{aside}`");
        }
        if print_it {
            print(text)?;
        }
        bail!(Other: "{why}; the result is on standard output")
    }

    /// Replaces the file with what `fill` writes; if that fails, the old file stays.
    pub(super) fn replace_with<T>(
        &self,
        fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, Box<dyn Error>>,
    ) -> Result<T, String> {
        let path = Path::new(self.path);
        let fill = |file: &mut BufWriter<File>| {
            let filled = fill(file)?;
            // Somebody may have made the file meanwhile.
            self.guard()?;
            Ok(filled)
        };
        let write = || -> Result<T, Box<dyn Error>> {
            if !self.is_stream() {
                return files::replace_with(path, fill);
            }
            let mut stream = BufWriter::new(files::create(path)?);
            let filled = fill(&mut stream)?;
            stream.flush()?;
            Ok(filled)
        };
        // An error of the system does not name the file.
        write().map_err(|error| match error.downcast_ref() {
            Some(error) => self.cannot(error),
            None => error.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_say_how_many_there_are_and_are_recognised() {
        assert_eq!(
            (count(3, 3), count(3, 100)),
            ("3".to_string(), "3 of 100".to_string())
        );
        let what = [" ending with ", " endings with "];
        let is_ours = |text: &str| is_list(text.as_bytes(), &what, &[" playable points "]);
        assert!(is_ours("# 1 ending with 9 playable points on 5x5\n"));
        for found in [3, 100] {
            let count = count(found, 100);
            assert!(is_ours(&format!(
                "# {count} endings with 9 playable points on 5x5\n"
            )));
        }
        for other in [
            "",
            "# endings with 9 playable points on 5x5",
            "# my 3 endings with 9 playable points on 5x5",
            "3 endings with 9 playable points on 5x5",
            "# 3 of  endings with 9 playable points on 5x5",
            "# 3 endings with a smile\n# 9 playable points on 5x5",
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }

    #[test]
    fn a_file_that_came_meanwhile_stays_and_the_result_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result").to_str().unwrap().to_string();
        let kind = Kind {
            maker: "tanada test",
            is_own: &|head| head.starts_with(b"# ours"),
        };
        let output = |force| ForceOption { force }.output("--out", Some(&path), kind);
        check(&[output(false)], &[None]).unwrap();
        std::fs::write(&path, "theirs").unwrap();
        let failure = output(false).unwrap().keep("# ours", false).unwrap_err();
        let text = failure.to_string();
        let aside = text.split("the result is in `").nth(1).unwrap();
        let aside = aside.trim_end_matches('`');
        assert_eq!(std::fs::read_to_string(aside).unwrap(), "# ours");
        std::fs::remove_file(aside).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs");
        output(true).unwrap().keep("# ours", false).unwrap();
        output(false).unwrap().keep("# ours too", false).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "# ours too");
    }
}
