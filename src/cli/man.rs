//! `tanada man`: manual pages.

use std::fs;
use std::path::{Path, PathBuf};

use clap_mangen::Man;

use super::{Failure, bail, shorten, write_out};
use crate::util::files;

#[derive(clap::Args, Clone)]
#[command(after_help = "\
Examples:
  tanada man | man -l -
  tanada man play | man -l -
  tanada man --out-dir ~/.local/share/man/man1")]
pub(super) struct Arguments {
    /// Command whose page is printed [default: the page of `tanada` itself]
    #[arg(value_name = "COMMAND")]
    name: Option<String>,
    /// Write all pages into this folder, which is created if it does not exist; pages that are there are
    /// replaced
    #[arg(long, value_name = "DIR", conflicts_with = "name")]
    out_dir: Option<PathBuf>,
}

/// Prints a page, or writes all pages.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let pages = pages()?;
    if let Some(folder) = &arguments.out_dir {
        return write_all(folder, &pages);
    }
    let wanted = arguments.name.as_ref();
    let wanted = wanted.map_or("tanada".to_string(), |name| format!("tanada-{name}"));
    let Some((_, page)) = pages.iter().find(|(name, _)| *name == wanted) else {
        let names: Vec<&str> = pages
            .iter()
            .filter_map(|(name, _)| name.strip_prefix("tanada-"))
            .collect();
        let name = shorten(arguments.name.as_deref().unwrap_or_default());
        bail!(Input: "unknown command `{name}`: expected one of {}", names.join(", "));
    };
    write_out(page)
}

/// The names of all pages, and the pages.
fn pages() -> Result<Vec<(String, String)>, Failure> {
    let mut all = super::command();
    all.build();
    let subcommands: Vec<clap::Command> = all.get_subcommands().cloned().collect();
    let mut pages = vec![page("tanada".to_string(), all.clone())?];
    for subcommand in subcommands {
        let name = subcommand.get_name();
        if name != "help" {
            pages.push(page(format!("tanada-{name}"), subcommand.clone())?);
        }
    }
    Ok(pages)
}

fn page(name: String, command: clap::Command) -> Result<(String, String), Failure> {
    // The title; the usage keeps the words that one types.
    let command = command.display_name(name.clone());
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok((name, String::from_utf8_lossy(&page).into_owned()))
}

fn write_all(folder: &Path, pages: &[(String, String)]) -> Result<(), Failure> {
    let failed = |path: &Path, error: std::io::Error| {
        let path = shorten(&path.to_string_lossy());
        Failure::Other(format!("cannot write `{path}`: {error}"))
    };
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for (name, page) in pages {
        let path = folder.join(format!("{name}.1"));
        files::replace(&path, page.as_bytes()).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}
