//! The page as text; `scripts/check/page.sh` checks it in a browser.

use serde_json::Value;
use tanada::review::{self, Review};
use tanada::variant::GameRecord;

use super::{examine, game, kinds, start};

/// The JSON of the script element.
fn data(page: &str) -> Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"review\">")
        .unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

/// A page with its review.
fn page(record: &GameRecord) -> (Review, String) {
    let found = examine(record, 30).unwrap();
    let page = review::review_page(&found);
    (found, page)
}

#[test]
fn every_kind_of_game_has_one_page_that_loads_nothing() {
    for (kind, record) in kinds() {
        let (found, page) = page(&record);
        assert!(page.starts_with("<!doctype html>"), "{kind}");
        assert!(page.trim_end().ends_with("</html>"), "{kind}");
        assert_eq!(data(&page), serde_json::to_value(&found).unwrap(), "{kind}");
        assert!(!page.contains("{{"), "{kind}");
        assert_eq!(page.matches("<script").count(), 2);
        for outside in [
            " src=",
            "@import",
            "url(http",
            "href=\"http",
            "fetch(",
            "<link rel=\"s",
        ] {
            assert!(!page.contains(outside), "{kind}: {outside}");
        }
        // Without scripts: key positions as pictures, and every move in a table.
        let tiles = 1 + found.mistakes.len().min(6) + usize::from(!record.moves.is_empty());
        assert_eq!(
            page.matches("<svg class=\"board\"").count(),
            tiles,
            "{kind}"
        );
        assert_eq!(
            page.matches("<tr id=\"m").count(),
            record.moves.len(),
            "{kind}"
        );
        assert_eq!(
            page.matches("<path class=\"field ").count(),
            found.players.len()
        );
        for player in &found.players {
            assert!(page.contains(&format!("<span class=\"chip {}\">", player.colour)));
        }
        // Taratibu's pieces are explained.
        let explained = page.contains("<summary>The pieces</summary><pre>Each piece moves");
        assert_eq!(explained, found.game == "taratibu", "{kind}");
        // Every class of a stone has its colour.
        for colour in found.players.iter().map(|player| player.colour) {
            assert!(page.contains(&format!(".stone.{colour} {{ fill")), "{kind}");
        }
    }
}

#[test]
fn the_page_explains_its_signs_and_compares_the_players() {
    for (kind, record) in kinds() {
        let (found, page) = page(&record);
        // Once below the board, once for readers without scripts.
        assert_eq!(page.matches("<ul class=\"key\">").count(), 2, "{kind}");
        for part in [
            "<b>Best moves</b>",
            "less than 5 % behind",
            "<b>Last move</b>",
        ] {
            assert!(page.contains(part), "{kind}: {part}");
        }
        let spaces = found.positions.iter().any(|p| !p.spaces.is_empty());
        assert_eq!(page.contains("<b>Spaces</b>"), spaces, "{kind}");
        let rows = if record.moves.is_empty() {
            0
        } else {
            found.players.len()
        };
        let (_, summary) = page
            .split_once("<section id=\"summary\">")
            .unwrap_or_default();
        let (summary, _) = summary.split_once("</section>").unwrap_or_default();
        assert_eq!(summary.matches("<tr><td>").count(), rows, "{kind}");
    }
}

#[test]
fn losses_within_the_noise_are_not_told() {
    let (mut found, _) = page(&game(start("tanbo", Some(5)), 4, 3));
    for mv in &mut found.moves {
        (mv.loss, mv.mark) = (0.1234, None);
        mv.loss_interval = Some([0.0, 0.3]);
    }
    assert!(!review::review_page(&found).contains("<td>12.3</td>"));
    found.moves[0].loss_interval = Some([0.1, 0.15]);
    assert_eq!(
        review::review_page(&found).matches("<td>12.3</td>").count(),
        1
    );
}

#[test]
fn what_others_wrote_stays_text() {
    let evil = "</script><script>alert('1')</script><!-- & \" ]]> {{js}} \u{2028}";
    let mut record = game(start("tanbo", Some(5)), 4, 3);
    record.name = Some(evil.to_string());
    record.event = Some(evil.to_string());
    record.result = Some("<b>B+</b>".to_string());
    record.comment = Some(evil.to_string());
    record.players.0[0] = Some(evil.to_string());
    record.players.0[1] = Some("\u{0}<img onerror=x>".to_string());
    record.moves[1].comment = Some(evil.to_string());
    let (_, page) = page(&record);
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<!--") && !page.contains("<img") && !page.contains("<b>B+"));
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(&#39;1&#39;)"));
    // A placeholder in the text of a record stays text.
    assert_eq!(page.matches("\"use strict\"").count(), 1);
    let data = data(&page);
    assert_eq!(data["players"][0]["name"], evil);
    assert_eq!(data["moves"][1]["comment"], evil);
    assert_eq!(data["comment"], evil);
}

/// Titles and attributes are not isolated, and a page may be shown as text.
#[test]
fn nothing_on_the_page_acts_on_the_text_around_it() {
    let odd = "a\u{202e}b\u{2066}c\u{2069}\u{9b}\u{2028}d";
    let mut record = game(start("tanbo", Some(5)), 4, 3);
    record.name = Some(odd.to_string());
    record.comment = Some(odd.to_string());
    record.players.0[0] = Some(odd.to_string());
    record.moves[1].comment = Some(odd.to_string());
    let (_, page) = page(&record);
    let is_hidden = |c: char| !matches!(c, '\n' | '\t') && tanada::util::quote::is_hidden(c);
    assert!(!page.contains(is_hidden));
    let shown = "a\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}\u{fffd}d";
    for place in ["<title>", "<bdi>", "title=\""] {
        assert!(page.contains(&format!("{place}{shown}")), "{place}");
    }
    // The script gets the original text.
    assert_eq!(data(&page)["moves"][1]["comment"], odd);
}

#[test]
fn the_page_says_what_was_searched_and_what_the_marks_mean() {
    let (found, page) = page(&game(start("tanbo", Some(5)), 4, 3));
    assert!(page.contains("30 iterations a position, 1 thread, seed 1"));
    for least in ["5 %", "10 %", "20 %"] {
        assert!(page.contains(least));
    }
    assert_eq!(found.search.iterations, Some(30));
    assert_eq!(found.search.seconds, None);
}
