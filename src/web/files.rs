//! The files of the page.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use flate2::{Compression, write::GzEncoder};
use include_dir::{Dir, include_dir};

use super::error::ApiError;
use super::server::Shared;
use crate::review;

static EMBEDDED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/src/web/page");

/// The files that the page shares with the page of a review.
const SHARED: [(&str, &str); 2] = [
    ("board.css", review::BOARD_CSS),
    ("board.js", review::BOARD_JS),
];

/// Where the files come from.
pub(super) enum Files {
    #[cfg_attr(debug_assertions, allow(dead_code))]
    Embedded,
    /// A folder, read again for each request, for those who write the page.
    #[cfg(debug_assertions)]
    Folder(std::path::PathBuf),
}

impl Files {
    /// The content of the file with exactly this name. Nothing is decoded or joined to a path, so a
    /// name that is not in the table finds nothing.
    fn find(&self, name: &str) -> Option<Bytes> {
        match self {
            Self::Embedded => match SHARED.iter().find(|(shared, _)| *shared == name) {
                Some((_, text)) => Some(Bytes::from_static(text.as_bytes())),
                None => EMBEDDED
                    .get_file(name)
                    .map(|file| Bytes::from_static(file.contents())),
            },
            #[cfg(debug_assertions)]
            Self::Folder(folder) => {
                let mut names = Vec::new();
                list(folder, "", &mut names);
                let shared = |&(name, _): &(&str, _)| {
                    (name.to_string(), folder.join("../../review").join(name))
                };
                names.extend(SHARED.iter().map(shared));
                let (_, path) = names.into_iter().find(|(listed, _)| listed == name)?;
                std::fs::read(path).ok().map(Bytes::from)
            }
        }
    }
}

/// All files of a folder with their names relative to it.
#[cfg(debug_assertions)]
fn list(folder: &std::path::Path, prefix: &str, names: &mut Vec<(String, std::path::PathBuf)>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => list(&entry.path(), &(name + "/"), names),
            Ok(kind) if kind.is_file() => names.push((name, entry.path())),
            _ => {}
        }
    }
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        _ => "text/plain; charset=utf-8",
    }
}

/// Answers with a file of the page.
pub(super) async fn file(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    if !matches!(method, Method::GET | Method::HEAD) {
        return ApiError::wrong_method().into_response();
    }
    let name = match uri.path().strip_prefix('/') {
        Some("") | None => "index.html",
        Some(name) => name,
    };
    let Some(content) = shared.files.find(name) else {
        return ApiError::new(StatusCode::NOT_FOUND, "there is no such file").into_response();
    };
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    let tag = format!("\"{:016x}\"", hasher.finish());
    let is_known = headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .any(|known| known.as_bytes() == tag.as_bytes());
    let compressed = (!is_known && takes_gzip(&headers)).then(|| compressed(&content));
    let compressed = compressed.flatten();
    let is_compressed = compressed.is_some();
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Body::from(compressed.unwrap_or(content)).into_response()
    };
    let headers = response.headers_mut();
    if is_compressed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type(name)));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    response
}

/// Whether the client says that it reads gzip, without a weight that forbids it.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter();
    let mut words = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(','));
    words.any(|word| word.trim() == "gzip")
}

/// The content as gzip. Over a network it takes a third of the time.
fn compressed(content: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_compressed_for_those_who_ask() {
        let headers = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, text.parse().unwrap());
            headers
        };
        assert!(takes_gzip(&headers("gzip, deflate, br")));
        assert!(takes_gzip(&headers("br,gzip")));
        for other in ["", "br", "gzip;q=0", "xgzip"] {
            assert!(!takes_gzip(&headers(other)), "{other}");
        }
        let whole = Files::Embedded.find("main.js").unwrap();
        let short = compressed(&whole).unwrap();
        assert!(short.len() < whole.len());
        let mut text = Vec::new();
        let mut decoder = flate2::write::GzDecoder::new(&mut text);
        decoder.write_all(&short).unwrap();
        decoder.finish().unwrap();
        assert_eq!(text, whole);
    }

    /// A page that is opened over a network should be there at once.
    #[test]
    fn all_files_together_are_small() {
        let mut contents: Vec<&[u8]> = SHARED.iter().map(|(_, text)| text.as_bytes()).collect();
        let mut folders = vec![&EMBEDDED];
        while let Some(folder) = folders.pop() {
            folders.extend(folder.dirs());
            contents.extend(folder.files().map(|file| file.contents()));
        }
        let sent = contents.into_iter().filter_map(compressed);
        let total: usize = sent.map(|content| content.len()).sum();
        assert!(total <= 150_000, "{total} bytes");
    }

    #[test]
    fn only_names_of_the_table_are_found() {
        assert!(Files::Embedded.find("index.html").is_some());
        for name in [
            "",
            "/index.html",
            "./index.html",
            "../page/index.html",
            "page/../index.html",
            "index%2ehtml",
            "..",
            "../mod.rs",
            "/etc/passwd",
        ] {
            assert!(Files::Embedded.find(name).is_none(), "{name}");
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/web/page");
            let folder = Files::Folder(folder.into());
            assert!(folder.find(name).is_none(), "{name}");
            assert!(folder.find("index.html").is_some());
        }
    }
}
