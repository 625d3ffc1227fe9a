//! Text on a page: made safe where others wrote it; templates; chances and words.

use crate::util::quote::{self, lines};

/// Escapes text for HTML, between tags or in a quoted attribute. Control characters become U+FFFD,
/// and so do those that change the direction of text: nothing would isolate a page title or an
/// attribute from the text around it.
pub(super) fn html(text: &str) -> String {
    lines(&text.replace('\r', "\n"))
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// Escapes JSON for a `script` element: it cannot end the element or begin a comment, and has no
/// control characters for a terminal. Only strings of JSON can contain these characters.
pub(super) fn script(json: &str) -> String {
    quote::json(json)
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

/// Replaces each `{{name}}` of a template by its part. Names without a part, and the text of the
/// parts, are left alone.
pub(super) fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        let named = after.split_once("}}").and_then(|(name, behind)| {
            let part = parts.iter().find(|(known, _)| *known == name)?;
            Some((part.1, behind))
        });
        match named {
            Some((part, behind)) => {
                text.push_str(part);
                rest = behind;
            }
            None => {
                text.push_str("{{");
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

/// A chance in per cent, or the exact result. `wide` adds a decimal and the percent sign.
pub(super) fn percent(value: f64, proven: Option<&str>, wide: bool) -> String {
    match (proven, wide) {
        (Some("win"), _) => "won".to_string(),
        (Some("loss"), _) => "lost".to_string(),
        (Some(word), _) => word.to_string(),
        (None, true) => format!("{:.1} %", 100.0 * value),
        (None, false) => format!("{:.0}", 100.0 * value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_html() {
        assert_eq!(
            html("<b a='1' c=\"2\">&amp;\u{0}\r\n"),
            "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;\u{fffd}\n\n"
        );
        assert_eq!(
            html("a\u{202e}\u{2066}\t\u{2028}é"),
            "a\u{fffd}\u{fffd}\t\u{fffd}é"
        );
    }

    #[test]
    fn scripts_hold_the_same_json() {
        let text = "</script><!-- & \u{2028}\u{2029}\u{202e}\u{2069}\u{9b} \\ \" {{data}}";
        let json = serde_json::to_string(text).unwrap();
        let safe = script(&json);
        assert!(
            !safe.contains(|c| matches!(c, '<' | '>' | '&') || quote::is_hidden(c)),
            "{safe}"
        );
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), text);
    }

    #[test]
    fn parts_are_not_filled_in_again() {
        let parts = [("a", "{{b}}"), ("b", "2")];
        assert_eq!(
            fill("{{a}} {{b}} {{c}} {{ {{b", &parts),
            "{{b}} 2 {{c}} {{ {{b"
        );
    }
}
