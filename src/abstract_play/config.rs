//! The configuration: a TOML file, over which the environment has the last word.

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use axum::http::Uri;
use serde::Deserialize;
use thiserror::Error;

use super::key::{InvalidKey, PublicKey};
use super::policy::{Policy, PolicyError};
use crate::params::Params;
use crate::start::ReadError;
use crate::util::place::line_and_column;
use crate::util::quote::shorten;
use crate::util::system;

/// The longest file of a secret, in bytes.
const LONGEST_SECRET: u64 = 4096;

/// Why a configuration cannot be used.
#[derive(Debug, Error)]
pub(crate) enum ConfigError {
    #[error(transparent)]
    File(#[from] ReadError),
    #[error(
        "invalid value `{found}` in {variable}: expected a value as in the file, such as `5`, `0.5` or `[7, 11]`"
    )]
    Variable { found: String, variable: String },
    #[error(transparent)]
    Policy(#[from] PolicyError),
    // The line itself is not shown: somebody may have written the secret there.
    #[error("`{}`, line {line}: {message}", .path.display())]
    Toml {
        path: PathBuf,
        line: usize,
        message: String,
    },
    #[error("`{0}` is missing: set it in the configuration, or as {variable} in the environment", variable = variable(.0))]
    Missing(&'static str),
    #[error(
        "the secret is missing: name its file as `client_secret_file`, or set TANADA_AP_CLIENT_SECRET in the environment"
    )]
    NoSecret,
    #[error("others can read the secret in `{}`: run `chmod 600` on it, and ask the server for a new one", .0.display())]
    ReadableSecret(PathBuf),
    #[error("the secret in `{}` is empty, longer than {LONGEST_SECRET} bytes or not one line of text", .0.display())]
    Secret(PathBuf),
    #[error("the secret in TANADA_AP_CLIENT_SECRET is empty or not one line of text")]
    OddSecret,
    #[error("the configuration sets both `public_key` and `public_key_url`: expected one of them")]
    TwoKeys,
    #[error("{0}")]
    Key(#[from] InvalidKey),
    #[error("invalid `{name}` `{found}`: expected {expected}")]
    Value {
        name: &'static str,
        found: String,
        expected: &'static str,
    },
}

/// A text that is never shown.
#[derive(Clone)]
pub(super) struct Secret(String);

impl Secret {
    /// The text, to send it to the server that gave it out.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Where the server's public key comes from.
#[derive(Clone, Debug)]
pub(super) enum KeySource {
    Fixed(PublicKey),
    Url(String),
}

/// A checked configuration.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) listen: SocketAddr,
    pub(super) client_id: String,
    pub(super) client_secret: Secret,
    pub(super) token_url: String,
    pub(super) scope: String,
    pub(super) query_url: String,
    pub(super) key: KeySource,
    pub(super) state: PathBuf,
    pub(super) policy: Policy,
    /// The parameters of each search.
    pub(super) params: Params,
}

/// The file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Toml {
    listen: Option<String>,
    client_id: Option<String>,
    client_secret_file: Option<String>,
    token_url: Option<String>,
    scope: Option<String>,
    query_url: Option<String>,
    public_key: Option<String>,
    public_key_url: Option<String>,
    state: Option<PathBuf>,
    policy: Policy,
}

/// The name of a setting in the environment.
fn variable(name: &str) -> String {
    format!("TANADA_AP_{}", name.to_uppercase())
}

impl Config {
    /// Reads a file, if there is one, and the environment. The file's relative paths begin in its own
    /// folder.
    pub(crate) fn read(
        path: Option<&Path>,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let Some(path) = path else {
            return Self::check(Toml::default(), Path::new(""), environment);
        };
        let text = fs::read_to_string(path);
        let text = text.map_err(|error| unreadable(path, &error))?;
        let toml: Toml = toml::from_str(&text).map_err(|error| ConfigError::Toml {
            path: path.to_path_buf(),
            line: line_and_column(&text, error.span().map_or(0, |span| span.start)).0,
            message: shorten(error.message(), 300),
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::check(toml, folder, environment)
    }

    fn check(
        toml: Toml,
        folder: &Path,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let get =
            |name: &'static str, found: Option<String>| environment(&variable(name)).or(found);
        let must = |name: &'static str, found: Option<String>| {
            get(name, found)
                .filter(|text| !text.is_empty())
                .ok_or(ConfigError::Missing(name))
        };
        let listen = get("listen", toml.listen).unwrap_or("127.0.0.1:8787".to_string());
        let listen = listen.parse().map_err(|_| ConfigError::Value {
            name: "listen",
            found: shorten(&listen, 60),
            expected: "an address and a port, such as 127.0.0.1:8787",
        })?;
        // A key in the environment takes the place of the file's, in whichever form.
        let named = |name| environment(&variable(name));
        let keys = match (named("public_key"), named("public_key_url")) {
            (None, None) => (toml.public_key, toml.public_key_url),
            keys => keys,
        };
        let key = match keys {
            (Some(_), Some(_)) => return Err(ConfigError::TwoKeys),
            (Some(text), None) => KeySource::Fixed(PublicKey::read(&text)?),
            (None, Some(url)) => KeySource::Url(address("public_key_url", url)?),
            (None, None) => return Err(ConfigError::Missing("public_key")),
        };
        let policy = with_environment(toml.policy, environment)?;
        let state = must(
            "state",
            toml.state.map(|path| path.to_string_lossy().into_owned()),
        )?;
        let config = Self {
            listen,
            client_id: must("client_id", toml.client_id)?,
            client_secret: secret(
                environment("TANADA_AP_CLIENT_SECRET"),
                get("client_secret_file", toml.client_secret_file),
                folder,
            )?,
            token_url: address("token_url", must("token_url", toml.token_url)?)?,
            scope: must("scope", toml.scope)?,
            query_url: address("query_url", must("query_url", toml.query_url)?)?,
            key,
            state: folder.join(state),
            params: policy.params()?,
            policy,
        };
        config.policy.check()?;
        Ok(config)
    }
}

/// A policy with the settings of the environment in place of its own. Their values are those of TOML.
fn with_environment(
    policy: Policy,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Policy, ConfigError> {
    let mut changed = toml::Table::try_from(&policy).unwrap_or_default();
    for (name, value) in &mut changed {
        let variable = variable(name);
        let Some(text) = environment(&variable) else {
            continue;
        };
        let wrong = || ConfigError::Variable {
            found: shorten(&text, 60),
            variable: variable.clone(),
        };
        let mut new: toml::Table = toml::from_str(&format!("x = {text}")).map_err(|_| wrong())?;
        let new = new
            .remove("x")
            .filter(|_| new.is_empty())
            .ok_or_else(wrong)?;
        let is_number = matches!(value, toml::Value::Float(_)) && new.is_integer();
        if !is_number && !new.same_type(value) {
            return Err(wrong());
        }
        *value = new;
    }
    changed
        .try_into()
        .map_err(|error: toml::de::Error| ConfigError::Toml {
            path: PathBuf::from("the environment"),
            line: 1,
            message: shorten(error.message(), 300),
        })
}

fn unreadable(path: &Path, error: &io::Error) -> ReadError {
    ReadError::new(&path.to_string_lossy(), error)
}

/// The secret: from the environment, or from a file that only its owner can read.
fn secret(
    named: Option<String>,
    path: Option<String>,
    folder: &Path,
) -> Result<Secret, ConfigError> {
    if let Some(text) = named {
        let secret = text.trim();
        let is_fine = !secret.is_empty() && !secret.contains(char::is_control);
        return is_fine
            .then(|| Secret(secret.to_string()))
            .ok_or(ConfigError::OddSecret);
    }
    let path = folder.join(path.ok_or(ConfigError::NoSecret)?);
    let cannot = |error| unreadable(&path, &error);
    let file = fs::File::open(&path).map_err(cannot)?;
    if system::is_readable_by_others(&file.metadata().map_err(cannot)?) {
        return Err(ConfigError::ReadableSecret(path));
    }
    let mut text = String::new();
    let read = file.take(LONGEST_SECRET + 1).read_to_string(&mut text);
    let secret = text.trim();
    let is_fine = read.is_ok_and(|length| length as u64 <= LONGEST_SECRET)
        && !secret.is_empty()
        && !secret.contains(char::is_control);
    if !is_fine {
        return Err(ConfigError::Secret(path));
    }
    Ok(Secret(secret.to_string()))
}

/// Checks an address: HTTPS, or HTTP to this machine.
fn address(name: &'static str, text: String) -> Result<String, ConfigError> {
    let uri: Option<Uri> = text.parse().ok();
    let is_fine = uri.is_some_and(|uri| match (uri.scheme_str(), uri.host()) {
        (Some("https"), Some(_)) => true,
        (Some("http"), Some(host)) => is_loopback(host),
        _ => false,
    });
    if is_fine {
        return Ok(text);
    }
    Err(ConfigError::Value {
        name,
        found: shorten(&text, 100),
        expected: "an address that begins with https:// (http:// only for this machine)",
    })
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let ip: Option<IpAddr> = bare.parse().ok();
    ip.map_or(host == "localhost", |ip| ip.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::super::key::tests::OPEN_SSH;
    use super::*;

    fn whole() -> String {
        format!(
            "client_id = \"bot\"\nclient_secret_file = \"secret\"\ntoken_url = \"https://a.example/token\"\n\
             scope = \"s/move\"\nquery_url = \"https://b.example/query\"\npublic_key = \"{OPEN_SSH}\"\nstate = \"state\"\n"
        )
    }

    /// Reads a configuration in a folder with a secret of this content and mode.
    fn read_with(
        text: &str,
        secret: &str,
        mode: u32,
        variables: &[(&str, &str)],
    ) -> Result<Config, ConfigError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bot.toml");
        fs::write(&path, text).unwrap();
        let file = folder.path().join("secret");
        fs::write(&file, secret).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        }
        #[cfg(windows)]
        let _ = mode;
        let found = |name: &str| variables.iter().find(|(known, _)| *known == name);
        Config::read(Some(&path), &|name| Some(found(name)?.1.to_string()))
    }

    fn read(text: &str) -> Result<Config, ConfigError> {
        read_with(text, "secret-1\n", 0o600, &[])
    }

    #[test]
    fn a_configuration_is_read_and_the_environment_has_the_last_word() {
        let config = read(&whole()).unwrap();
        assert_eq!(config.listen.to_string(), "127.0.0.1:8787");
        assert_eq!(config.client_secret.reveal(), "secret-1");
        assert_eq!(config.policy, Policy::default());
        assert!(!format!("{config:?}").contains("secret-1"));
        let text = format!(
            "{}[policy]\nmax_games = 3\nboards = [7]\nthreads = 2\n",
            whole()
        );
        let variables = [
            ("TANADA_AP_CLIENT_ID", "other"),
            ("TANADA_AP_CLIENT_SECRET", "secret-2"),
            ("TANADA_AP_LISTEN", "[::1]:0"),
            ("TANADA_AP_SECONDS_PER_MOVE", "2"),
            ("TANADA_AP_PLAYERS", "[\"ann\"]"),
            ("TANADA_AP_PUBLIC_KEY_URL", "https://c.example/"),
        ];
        let config = read_with(&text, "", 0o644, &variables).unwrap();
        assert_eq!(
            (&*config.client_id, config.client_secret.reveal()),
            ("other", "secret-2")
        );
        assert_eq!((config.listen.port(), config.policy.max_games), (0, 3));
        assert_eq!(config.params.threads, 2);
        assert_eq!(
            (config.policy.seconds_per_move, &*config.policy.players),
            (2.0, &["ann".to_string()][..])
        );
        assert!(matches!(config.key, KeySource::Url(_)));
        for (name, value) in [
            ("BOARDS", "7"),
            ("BOARDS", "[\"7\"]"),
            ("MAX_GAMES", "x"),
            ("MAX_GAMES", "1\nx = 2"),
            ("MAX_GAMES", "0.5"),
            ("CLIENT_SECRET", "a\nb"),
        ] {
            let name = format!("TANADA_AP_{name}");
            let error = read_with(&text, "s", 0o600, &[(&name, value)])
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(&name) || error.contains("the environment"),
                "{error}"
            );
        }
    }

    #[test]
    fn the_environment_alone_is_enough() {
        let found = |name: &str| {
            let value = match name.strip_prefix("TANADA_AP_")? {
                "TOKEN_URL" | "QUERY_URL" => "https://a.example/",
                "PUBLIC_KEY_URL" => "http://127.0.0.1:1/key",
                "CLIENT_ID" | "CLIENT_SECRET" | "SCOPE" | "STATE" => "x",
                _ => return None,
            };
            Some(value.to_string())
        };
        let config = Config::read(None, &found).unwrap();
        assert!(matches!(config.key, KeySource::Url(_)));
        assert_eq!(config.state, Path::new("x"));
        let error = Config::read(None, &|_| None).unwrap_err().to_string();
        assert!(error.contains("TANADA_AP_PUBLIC_KEY"), "{error}");
    }

    #[test]
    fn faults_name_what_would_be_right() {
        let change = |from: &str, to: &str| {
            let text = whole();
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        };
        let https = "https://a.example/token";
        for (text, part) in [
            (
                change("state = ", "stat = "),
                "line 7: unknown field `stat`",
            ),
            (change("\"bot\"", "7"), "line 1:"),
            (
                change("\"bot\"", "\"\""),
                "`client_id` is missing: set it in the configuration, or as TANADA_AP_CLIENT_ID",
            ),
            (
                change("client_secret_file = \"secret\"", ""),
                "TANADA_AP_CLIENT_SECRET",
            ),
            (change("\"secret\"", "\"nowhere\""), "there is no such file"),
            (
                change("ssh-ed25519", "ssh-rsa"),
                "invalid public key `ssh-rsa",
            ),
            (
                format!("public_key_url = \"https://x\"\n{}", whole()),
                "both `public_key` and `public_key_url`",
            ),
            (
                format!("listen = \"8787\"\n{}", whole()),
                "invalid `listen` `8787`",
            ),
            (
                change(https, "http://a.example/token"),
                "http:// only for this machine",
            ),
            (change(https, "http://127.0.0.1.example/"), "`token_url`"),
            (change(https, "http://localhost@a.example/"), "`token_url`"),
            (change(https, "ftp://127.0.0.1/"), "`token_url`"),
            (change(https, "token"), "`token_url`"),
            (
                format!("{}[policy]\nthreads = 5000\n", whole()),
                "`threads`",
            ),
            (
                format!("{}[policy]\nspeed = 0\n", whole()),
                "unknown field `speed`",
            ),
        ] {
            let error = read(&text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        for fine in [
            "http://127.0.0.1:8000/token",
            "http://localhost/",
            "http://[::1]:80/",
        ] {
            read(&change(https, fine)).unwrap();
        }
    }

    #[test]
    fn a_secret_is_for_its_owner_alone() {
        let text = whole();
        #[cfg(unix)]
        for mode in [0o644, 0o640, 0o604, 0o620] {
            let error = read_with(&text, "secret-1", mode, &[])
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("chmod 600") && !error.contains("secret-1"),
                "{error}"
            );
        }
        for odd in ["", "\n", "two\nlines", &"x".repeat(5000), "\0"] {
            let error = read_with(&text, odd, 0o600, &[]).unwrap_err().to_string();
            assert!(error.contains("not one line"), "{error}");
        }
        // A secret in a line that is wrong stays out of the message.
        let error = read("client_secret = \"secret-1\"")
            .unwrap_err()
            .to_string();
        assert!(!error.contains("secret-1"), "{error}");
    }
}
