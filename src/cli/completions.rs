//! `tanada completions`: completion of the command line for shells.

use clap::ValueEnum;
use clap_complete::Shell;

use super::{Failure, write_out};

#[derive(clap::Args, Clone)]
#[command(after_help = "\
Examples:
  tanada completions bash > ~/.local/share/bash-completion/completions/tanada
  tanada completions zsh > ~/.zfunc/_tanada
  tanada completions fish > ~/.config/fish/completions/tanada.fish
  tanada completions powershell >> $PROFILE")]
pub(super) struct Arguments {
    /// Shell that completes
    #[arg(value_name = "SHELL")]
    shell: Kind,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    Bash,
    Zsh,
    Fish,
    #[value(name = "powershell")]
    PowerShell,
}

/// Prints a script that the shell reads.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let shell = match arguments.shell {
        Kind::Bash => Shell::Bash,
        Kind::Zsh => Shell::Zsh,
        Kind::Fish => Shell::Fish,
        Kind::PowerShell => Shell::PowerShell,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut super::command(), "tanada", &mut script);
    write_out(&String::from_utf8_lossy(&script))
}
