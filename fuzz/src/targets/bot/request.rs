//! Requests as the server signs them, and as others forge them.

use std::time::{SystemTime, UNIX_EPOCH};

use arbitrary::Arbitrary;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Map, Value, json};

/// What is wrong with the signature of a request.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub(super) enum Fault {
    /// Another key signed it.
    Key,
    /// It was signed with another body.
    Body,
    /// It was signed with another time.
    Time,
    /// It was signed too long ago, or for later.
    Stale(bool),
    /// A header is missing.
    Missing(u8),
    /// A header is there twice.
    Twice(u8),
    /// A header is not what it must be.
    Odd(u8),
    /// It has the nonce of the request before it.
    Repeated,
}

/// A request.
pub(super) struct Request {
    pub(super) nonce: String,
    pub(super) fault: Option<Fault>,
    /// As the bot reads it.
    pub(super) text: String,
}

const NAMES: [&str; 3] = ["X-Signature-Timestamp", "X-Signature-Nonce", "X-Signature"];

/// The key of the server, and another one.
fn pair(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).expect("a key")
}

/// The server's public key as OpenSSH writes it.
pub(super) fn public_key() -> String {
    let mut bytes = Vec::new();
    for part in [b"ssh-ed25519", pair(1).public_key().as_ref()] {
        bytes.extend(
            u32::try_from(part.len())
                .expect("a short part")
                .to_be_bytes(),
        );
        bytes.extend(part);
    }
    format!("ssh-ed25519 {}", STANDARD.encode(bytes))
}

impl Request {
    pub(super) fn new(nonce: String, body: &[u8], fault: Option<Fault>) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = since.expect("a time after 1970").as_secs();
        let time = match fault {
            Some(Fault::Stale(true)) => now - 400,
            Some(Fault::Stale(false)) => now + 400,
            _ => now,
        };
        let signed_time = time + u64::from(matches!(fault, Some(Fault::Time)));
        let mut signed = format!("{signed_time}.{nonce}.").into_bytes();
        signed.extend(body);
        if matches!(fault, Some(Fault::Body)) {
            signed.push(b' ');
        }
        let key = pair(if matches!(fault, Some(Fault::Key)) {
            2
        } else {
            1
        });
        let signature = STANDARD.encode(key.sign(&signed));
        let mut headers = Map::new();
        for (name, value) in NAMES
            .into_iter()
            .zip([time.to_string(), nonce.clone(), signature])
        {
            headers.insert(name.to_string(), Value::String(value));
        }
        let name = |which: u8| NAMES[usize::from(which) % 3];
        match fault {
            Some(Fault::Missing(which)) => drop(headers.remove(name(which))),
            Some(Fault::Twice(which)) => {
                let value = headers[name(which)].clone();
                headers.insert(name(which).to_lowercase(), value);
            }
            Some(Fault::Odd(which)) => {
                let value = ["-5", "", "=not Base64="][usize::from(which) % 3];
                headers.insert(name(which).to_string(), json!(value));
            }
            _ => {}
        }
        // A body that is no text comes in Base64.
        let (body, is_encoded) = match std::str::from_utf8(body) {
            Ok(text) => (text.to_string(), false),
            Err(_) => (STANDARD.encode(body), true),
        };
        let text =
            json!({ "headers": headers, "body": body, "isBase64Encoded": is_encoded }).to_string();
        Self { nonce, fault, text }
    }

    /// Whether the server signed it just now.
    pub(super) fn is_signed(&self) -> bool {
        matches!(self.fault, None | Some(Fault::Repeated))
    }
}
