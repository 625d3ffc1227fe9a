//! The server's public key while the bot runs: it may be fetched, and may change.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::client::Client;
use super::config::KeySource;
use super::key::PublicKey;
use super::log::{Line, log};
use super::signature::{Signature, SignatureError};

/// How often a key that does not fit is fetched again.
const RENEWAL: Duration = Duration::from_secs(3600);
/// How often it is tried as long as there is none.
const RETRY: Duration = Duration::from_secs(10);

pub(super) struct Keys {
    /// Where it is fetched.
    url: Option<String>,
    state: Mutex<State>,
    /// Held by whoever fetches it.
    fetching: Mutex<()>,
}

#[derive(Clone, Copy)]
struct State {
    key: Option<PublicKey>,
    tried: Option<Instant>,
}

impl Keys {
    pub(super) fn new(source: &KeySource) -> Self {
        let (url, key) = match source {
            KeySource::Fixed(key) => (None, Some(*key)),
            KeySource::Url(url) => (Some(url.clone()), None),
        };
        Self {
            url,
            state: Mutex::new(State { key, tried: None }),
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
        // Only requests with a wrong signature wait here.
        let _fetching = self.fetching.lock();
        let state = *self.state.lock();
        let pause = if state.key.is_some() { RENEWAL } else { RETRY };
        if state.tried.is_none_or(|tried| tried.elapsed() >= pause) {
            self.fetch(client, url);
        }
        if self.fits(signature, body) {
            return Ok(());
        }
        Err(SignatureError::Forged)
    }

    fn fits(&self, signature: &Signature, body: &[u8]) -> bool {
        let key = self.state.lock().key;
        key.is_some_and(|key| signature.check(&key, body).is_ok())
    }

    fn fetch(&self, client: &Client, url: &str) {
        let text = client.get(url);
        let found = text.and_then(|text| PublicKey::read(&text).map_err(|error| error.to_string()));
        let mut state = self.state.lock();
        state.tried = Some(Instant::now());
        match found {
            Ok(key) => state.key = Some(key),
            Err(reason) => log(&Line {
                event: "no public key",
                reason: Some(&reason),
                ..Line::default()
            }),
        }
    }
}
