//! The server's public key: Ed25519, in one of the three forms in which such keys are published.

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use crate::util::quote::shorten;

/// The bytes of an Ed25519 public key.
const LENGTH: usize = 32;
/// The name of the algorithm in the forms of OpenSSH and RFC 4716 (RFC 8709).
const ALGORITHM: &str = "ssh-ed25519";
/// What stands before the key in the DER encoding of its PEM form (RFC 8410).
const DER_HEAD: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];

/// Why a text is not such a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "invalid public key `{found}`: expected an Ed25519 key as `ssh-ed25519 AAAA…`, as PEM, or in the form of RFC 4716"
)]
pub(crate) struct InvalidKey {
    found: String,
}

/// An Ed25519 public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PublicKey([u8; LENGTH]);

impl PublicKey {
    /// Reads a key in any of its forms.
    pub(crate) fn read(text: &str) -> Result<Self, InvalidKey> {
        let text = text.trim_start_matches('\u{feff}').trim();
        let found = open_ssh(text)
            .or_else(|| pem(text))
            .or_else(|| rfc4716(text));
        found.map(Self).ok_or_else(|| InvalidKey {
            found: shorten(text, 60),
        })
    }

    /// Whether the key's owner signed these bytes.
    pub(super) fn verifies(&self, signed: &[u8], signature: &[u8]) -> bool {
        let key = ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, &self.0);
        key.verify(signed, signature).is_ok()
    }
}

/// One line: the algorithm, the key in Base64, and perhaps a comment.
fn open_ssh(text: &str) -> Option<[u8; LENGTH]> {
    let mut words = text.split_whitespace();
    if words.next()? != ALGORITHM || text.lines().count() > 1 {
        return None;
    }
    blob(&STANDARD.decode(words.next()?).ok()?)
}

/// `-----BEGIN PUBLIC KEY-----`: a DER structure in Base64.
fn pem(text: &str) -> Option<[u8; LENGTH]> {
    let body = text
        .strip_prefix("-----BEGIN PUBLIC KEY-----")?
        .strip_suffix("-----END PUBLIC KEY-----")?;
    let der = STANDARD.decode(joined(body.lines())).ok()?;
    der.strip_prefix(&DER_HEAD)?.try_into().ok()
}

/// `---- BEGIN SSH2 PUBLIC KEY ----`: headers, each of which a backslash may continue, then Base64.
fn rfc4716(text: &str) -> Option<[u8; LENGTH]> {
    let body = text
        .strip_prefix("---- BEGIN SSH2 PUBLIC KEY ----")?
        .strip_suffix("---- END SSH2 PUBLIC KEY ----")?;
    let mut is_header = false;
    let lines = body.lines().filter(|line| {
        let skip = is_header || line.contains(':');
        is_header = skip && line.trim_end().ends_with('\\');
        !skip
    });
    blob(&STANDARD.decode(joined(lines)).ok()?)
}

fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(str::trim).collect()
}

/// The key in the binary form of SSH: two strings, each with its length before it.
fn blob(bytes: &[u8]) -> Option<[u8; LENGTH]> {
    let (algorithm, rest) = string(bytes)?;
    let (key, rest) = string(rest)?;
    if algorithm != ALGORITHM.as_bytes() || !rest.is_empty() {
        return None;
    }
    key.try_into().ok()
}

/// A string of SSH (RFC 4251), and what follows it.
fn string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    rest.split_at_checked(length)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A key in the form of OpenSSH, made by `openssl`; its private half was thrown away.
    pub(crate) const OPEN_SSH: &str = "ssh-ed25519 \
        AAAAC3NzaC1lZDI1NTE5AAAAIMUYoqI5KRO7YJsV0ZbvSG0T/pYWLtyROPI9hzjdzXMg bot";
    const PEM: &str = "-----BEGIN PUBLIC KEY-----\n\
        MCowBQYDK2VwAyEAxRiiojkpE7tgmxXRlu9IbRP+lhYu3JE48j2HON3NcyA=\n\
        -----END PUBLIC KEY-----\n";
    const RFC4716: &str = "---- BEGIN SSH2 PUBLIC KEY ----\n\
        Comment: \"a comment that \\\ngoes on: here\"\n\
        AAAAC3NzaC1lZDI1NTE5AAAAIMUYoqI5KRO7YJsV0\nZbvSG0T/pYWLtyROPI9hzjdzXMg\n\
        ---- END SSH2 PUBLIC KEY ----\n";

    #[test]
    fn one_key_in_three_forms() {
        let key = PublicKey::read(OPEN_SSH).unwrap();
        for text in [
            PEM,
            RFC4716,
            &PEM.replace('\n', "\r\n"),
            &format!("\u{feff}{OPEN_SSH}\n"),
            OPEN_SSH.strip_suffix(" bot").unwrap(),
        ] {
            assert_eq!(PublicKey::read(text), Ok(key), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused_and_quoted() {
        let cut = &OPEN_SSH[..OPEN_SSH.len() - 8];
        let private = PEM.replace("PUBLIC", "PRIVATE");
        let other = OPEN_SSH.replace("ssh-ed25519", "ssh-rsa");
        let two = format!("{OPEN_SSH}\n{OPEN_SSH}");
        for text in [
            "",
            "x",
            "ssh-ed25519",
            "ssh-ed25519 AAAA",
            cut,
            &private,
            &other,
            &two,
        ] {
            let error = PublicKey::read(text).unwrap_err().to_string();
            let begin: String = text.chars().take(20).collect();
            assert!(
                error.contains(begin.lines().next().unwrap_or_default()),
                "{error}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_key_or_an_error(text in "(---- ?BEGIN SSH2 PUBLIC KEY ----\n|ssh-ed25519 )?[\\PC\n]{0,80}") {
            let _ = PublicKey::read(&text);
        }
    }
}
