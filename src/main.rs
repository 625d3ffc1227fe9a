//! The `tanada` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    tanada::cli::main()
}
