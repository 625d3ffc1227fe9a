//! The server's public key while the bot runs: it may be fetched, and may change.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::client::Client;
use super::config::KeySource;
use super::key::PublicKey;
use super::log::{Line, log};
use super::signature::{Signature, SignatureError};
use crate::util::files;

/// How often a key that does not fit is fetched again.
const RENEWAL: Duration = Duration::from_secs(3600);
/// The pause after it could not be fetched.
const RETRY: Duration = Duration::from_secs(10);
/// How long a request waits while another one fetches the key.
const WAIT: Duration = Duration::from_secs(12);
/// The file of the last key that was fetched.
const KEPT: &str = "public-key.txt";

pub(super) struct Keys {
    /// Where it is fetched.
    url: Option<String>,
    kept: PathBuf,
    state: Mutex<State>,
    /// Held by whoever fetches it.
    fetching: Mutex<()>,
}

#[derive(Clone, Copy)]
struct State {
    key: Option<PublicKey>,
    /// When it may be fetched.
    due: Option<Instant>,
}

impl Keys {
    /// The key of the configuration, or the one that an earlier run has kept in the folder `state`.
    pub(super) fn new(source: &KeySource, state: &Path) -> Self {
        let kept = state.join(KEPT);
        let (url, key) = match source {
            KeySource::Fixed(key) => (None, Some(*key)),
            KeySource::Url(url) => {
                let text = fs::read_to_string(&kept).ok();
                let key = text.and_then(|text| PublicKey::read(&text).ok());
                (Some(url.clone()), key)
            }
        };
        Self {
            url,
            kept,
            state: Mutex::new(State { key, due: None }),
            fetching: Mutex::new(()),
        }
    }

    /// Checks who signed a request; fetches the key if there is none or it may have changed.
    pub(super) fn check(
        &self,
        client: &Client,
        signature: &Signature,
        body: &[u8],
    ) -> Result<(), SignatureError> {
        if self.fits(signature, body) {
            return Ok(());
        }
        let Some(url) = &self.url else {
            return Err(SignatureError::Forged);
        };
        // Only requests with a wrong signature wait here, and not for long: the server waits 30 seconds.
        if let Some(_fetching) = self.fetching.try_lock_for(WAIT) {
            self.fetch_if_due(client, url);
        }
        if self.fits(signature, body) {
            return Ok(());
        }
        Err(SignatureError::Forged)
    }

    /// Fetches the key, unless it is known.
    pub(super) fn prepare(&self, client: &Client) {
        if let Some(url) = &self.url {
            let _fetching = self.fetching.lock();
            if self.state.lock().key.is_none() {
                self.fetch_if_due(client, url);
            }
        }
    }

    fn fits(&self, signature: &Signature, body: &[u8]) -> bool {
        let key = self.state.lock().key;
        key.is_some_and(|key| signature.check(&key, body).is_ok())
    }

    fn fetch_if_due(&self, client: &Client, url: &str) {
        let State { due, .. } = *self.state.lock();
        if due.is_some_and(|due| Instant::now() < due) {
            return;
        }
        let text = client.get(url);
        let found = text.and_then(|text| {
            let key = PublicKey::read(&text).map_err(|error| error.to_string())?;
            Ok((key, text))
        });
        let mut state = self.state.lock();
        match found {
            Ok((key, text)) => {
                state.key = Some(key);
                state.due = Some(Instant::now() + RENEWAL);
                // Without it the next start fetches the key again.
                let _ = files::replace(&self.kept, text.as_bytes());
            }
            Err(reason) => {
                state.due = Some(Instant::now() + RETRY);
                log(&Line {
                    event: "no public key",
                    reason: Some(&reason),
                    ..Line::default()
                });
            }
        }
    }
}
