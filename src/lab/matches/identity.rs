//! The identity of an engine, to notice when another one would continue its match.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::engine::{EngineSpec, Program};
use crate::util::math::{FNV, fnv};
use crate::util::quote::shorten;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// Its answer to `name`.
    pub(crate) name: String,
    /// Its answer to `version`.
    pub(crate) version: String,
    /// Its parameters by name, if it lists them (`tanada-param`).
    pub(crate) options: Vec<(String, String)>,
    /// A checksum of its files: the program, found as the system finds it, and the other words of
    /// the command that are files; or this program and its weights.
    #[serde(default)]
    pub(crate) fingerprint: String,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{} {} [{}]", self.name, self.version, self.fingerprint);
        f.write_str(&shorten(&text, 120))
    }
}

/// The checksum of the files of an engine.
pub(super) fn fingerprint(spec: &EngineSpec) -> String {
    static SELF: OnceLock<u64> = OnceLock::new();
    let sum = |path: &Path| fs::read(path).map_or(0, |bytes| fnv(FNV, &bytes));
    // The path of the running program may belong to a newer file by now.
    let own = || {
        let link = Path::new("/proc/self/exe");
        if link.exists() {
            return sum(link);
        }
        env::current_exe().map_or(0, |path| sum(&path))
    };
    let sums: Vec<u64> = match &spec.program {
        Some(program) => files(program).iter().map(|path| sum(path)).collect(),
        None => {
            let weights = spec.weights.as_ref().map_or(0, |path| sum(Path::new(path)));
            vec![*SELF.get_or_init(own), weights]
        }
    };
    let bytes: Vec<u8> = sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
    format!("{:016x}", fnv(FNV, &bytes))
}

/// The files that a command consists of.
fn files(program: &Program) -> Vec<PathBuf> {
    let folder = Path::new(program.directory.as_deref().unwrap_or("."));
    let named = |word: &String| Some(folder.join(word)).filter(|path| path.is_file());
    let Some((first, rest)) = program.command.split_first() else {
        return Vec::new();
    };
    // The system searches only `PATH` for a bare name.
    let first = match Path::new(first).components().count() {
        0 | 1 => found(first, program),
        _ => named(first),
    };
    let others = rest.iter().filter_map(named);
    first.into_iter().chain(others).collect()
}

/// The file that a bare name stands for in the folders of `PATH`.
fn found(name: &str, program: &Program) -> Option<PathBuf> {
    let own = program.environment.get("PATH").map(OsString::from);
    let folders = own.or_else(|| env::var_os("PATH"))?;
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::matches::Limit;

    #[test]
    fn the_fingerprint_follows_the_files_of_a_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine-of-this-test");
        let script = folder.path().join("script");
        let sum = |command: &str| {
            let text = folder.path().display();
            let text = format!("name=A,command={command},env.PATH={text},dir={text}");
            fingerprint(&EngineSpec::parse(&text, Limit::Iterations(1)).unwrap())
        };
        let (by_name, by_path) = ("engine-of-this-test", "./engine-of-this-test");
        fs::write(&path, "one").unwrap();
        fs::write(&script, "a").unwrap();
        let [alone, beside] = [by_name, "engine-of-this-test script"].map(sum);
        assert_eq!(sum(by_path), alone);
        assert_ne!(alone, beside);
        fs::write(&script, "b").unwrap();
        assert_eq!(sum(by_name), alone);
        assert_ne!(sum("engine-of-this-test script"), beside);
        fs::write(&path, "two").unwrap();
        assert_ne!(sum(by_name), alone);
        assert_eq!(sum(by_path), sum(by_name));
    }
}
