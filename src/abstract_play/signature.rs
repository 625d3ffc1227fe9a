//! Which requests come from the server: those that it signed just now and has not sent before.

use std::collections::HashMap;

use axum::http::HeaderMap;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use super::key::PublicKey;

/// How far the time of a request may be from the time here, in seconds.
pub(super) const TOLERANCE: u64 = 300;
/// The longest nonce, in bytes.
const LONGEST_NONCE: usize = 200;

const TIMESTAMP: &str = "x-signature-timestamp";
const NONCE: &str = "x-signature-nonce";
const SIGNATURE: &str = "x-signature";

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum SignatureError {
    #[error("the header `{0}` is missing, there twice, or unreadable")]
    Header(&'static str),
    #[error("the signature is not the server's")]
    Forged,
    #[error("the request is {0} seconds off: expected at most {TOLERANCE}")]
    Stale(u64),
    #[error("the request was sent before")]
    Repeated,
}

/// What the headers say of a request.
pub(super) struct Signature {
    timestamp: u64,
    nonce: String,
    bytes: Vec<u8>,
}

impl Signature {
    pub(super) fn read(headers: &HeaderMap) -> Result<Self, SignatureError> {
        let text = |name| only(headers, name).ok_or(SignatureError::Header(name));
        let timestamp = text(TIMESTAMP)?.parse();
        let nonce = text(NONCE)?;
        let bytes = STANDARD.decode(text(SIGNATURE)?);
        if nonce.is_empty() || nonce.len() > LONGEST_NONCE {
            return Err(SignatureError::Header(NONCE));
        }
        Ok(Self {
            timestamp: timestamp.map_err(|_| SignatureError::Header(TIMESTAMP))?,
            nonce: nonce.to_string(),
            bytes: bytes.map_err(|_| SignatureError::Header(SIGNATURE))?,
        })
    }

    /// Checks that the request was sent just now, at the time `now` in Unix seconds.
    pub(super) fn check_time(&self, now: u64) -> Result<(), SignatureError> {
        let off = now.abs_diff(self.timestamp);
        if off > TOLERANCE {
            return Err(SignatureError::Stale(off));
        }
        Ok(())
    }

    pub(super) fn nonce(&self) -> &str {
        &self.nonce
    }

    /// Checks that the owner of the key signed these headers with this body.
    pub(super) fn check(&self, key: &PublicKey, body: &[u8]) -> Result<(), SignatureError> {
        let mut signed = format!("{}.{}.", self.timestamp, self.nonce).into_bytes();
        signed.extend_from_slice(body);
        let is_signed = key.verifies(&signed, &self.bytes);
        is_signed.then_some(()).ok_or(SignatureError::Forged)
    }
}

/// The value of a header that is there exactly once, if it is text.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.to_str().ok())?
}

/// The nonces of the signed requests that could still be sent again.
#[derive(Default)]
pub(super) struct Nonces {
    /// The time of each request, in Unix seconds.
    seen: HashMap<String, u64>,
    swept: u64,
}

impl Nonces {
    /// Enters a request whose signature was checked, at the time `now` in Unix seconds.
    pub(super) fn enter(&mut self, signature: &Signature, now: u64) -> Result<(), SignatureError> {
        signature.check_time(now)?;
        if self.seen.contains_key(&signature.nonce) {
            return Err(SignatureError::Repeated);
        }
        if now.abs_diff(self.swept) > TOLERANCE {
            self.swept = now;
            self.seen.retain(|_, time| now.abs_diff(*time) <= TOLERANCE);
        }
        self.seen
            .insert(signature.nonce.clone(), signature.timestamp);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::tests::OPEN_SSH;
    use super::*;

    /// Signed by `openssl pkeyutl -sign -rawin`, with the private half of the key.
    const SIGNED: [(&str, &str); 3] = [
        (TIMESTAMP, "1767225600"),
        (NONCE, "0f8fad5b-d9cb-469f-a165-70867728950e"),
        (
            SIGNATURE,
            "Jg+J5xFA6Lc11k2NuiZ5aKiWNVHRG2tf0Djx18226OpuSj35MQREzRfRaTEOiaki4/ubH7E6Y9KNY1nUBiBZCQ==",
        ),
    ];
    const BODY: &[u8] = br#"{"verb":"challenge"}"#;
    const TIME: u64 = 1_767_225_600;

    fn headers(of: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in of {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn the_signature_of_another_program_holds_for_its_bytes_only() {
        let key = PublicKey::read(OPEN_SSH).unwrap();
        let signature = Signature::read(&headers(&SIGNED)).unwrap();
        assert_eq!(signature.check(&key, BODY), Ok(()));
        for place in 0..BODY.len() {
            let mut body = BODY.to_vec();
            body[place] ^= 1;
            assert_eq!(signature.check(&key, &body), Err(SignatureError::Forged));
        }
        for (place, value) in [
            (0, "1767225601"),
            (1, "0f8fad5b"),
            (2, &SIGNED[2].1.replace('J', "K")),
        ] {
            let mut changed = SIGNED;
            changed[place].1 = value;
            let signature = Signature::read(&headers(&changed)).unwrap();
            assert_eq!(
                signature.check(&key, BODY),
                Err(SignatureError::Forged),
                "{value}"
            );
        }
    }

    #[test]
    fn unreadable_headers_are_named() {
        let mut long = SIGNED;
        let nonce = "n".repeat(201);
        long[1].1 = &nonce;
        let mut changed = [SIGNED; 3];
        for (place, value) in ["-1", "", "Jg"].into_iter().enumerate() {
            changed[place][place].1 = value;
        }
        let twice = [SIGNED.as_slice(), &SIGNED[1..2]].concat();
        for (of, name) in [
            (&SIGNED[1..], TIMESTAMP),
            (&SIGNED[..2], SIGNATURE),
            (&changed[0], TIMESTAMP),
            (&changed[1], NONCE),
            (&changed[2], SIGNATURE),
            (&long, NONCE),
            (&twice, NONCE),
        ] {
            let found = Signature::read(&headers(of)).err();
            assert_eq!(found, Some(SignatureError::Header(name)));
        }
    }

    proptest::proptest! {
        #[test]
        fn any_headers_are_a_signature_or_an_error(
            values in proptest::array::uniform3("[0-9A-Za-z+/= -]{0,90}"),
            present in proptest::array::uniform3(proptest::bool::weighted(0.9)),
        ) {
            let names = [TIMESTAMP, NONCE, SIGNATURE];
            let pairs = names.into_iter().zip(&values).zip(present);
            let of: Vec<_> = pairs.filter(|(_, is)| *is).map(|((name, value), _)| (name, &**value)).collect();
            let key = PublicKey::read(OPEN_SSH).unwrap();
            if let Ok(signature) = Signature::read(&headers(&of)) {
                proptest::prop_assert_eq!(signature.check(&key, BODY), Err(SignatureError::Forged));
            }
        }
    }

    #[test]
    fn a_request_counts_once_and_only_in_its_time() {
        let signature = Signature::read(&headers(&SIGNED)).unwrap();
        let mut nonces = Nonces::default();
        for off in [TOLERANCE + 1, 1_000_000] {
            for now in [TIME - off, TIME + off] {
                assert_eq!(
                    nonces.enter(&signature, now),
                    Err(SignatureError::Stale(off))
                );
            }
        }
        assert_eq!(nonces.enter(&signature, TIME - TOLERANCE), Ok(()));
        for now in TIME - TOLERANCE..=TIME + TOLERANCE {
            assert_eq!(nonces.enter(&signature, now), Err(SignatureError::Repeated));
        }
        // What cannot be repeated any more is forgotten.
        let other = Signature {
            timestamp: TIME + 700,
            nonce: "other".to_string(),
            bytes: Vec::new(),
        };
        assert_eq!(nonces.enter(&other, TIME + 700), Ok(()));
        assert_eq!(nonces.seen.len(), 1);
    }
}
