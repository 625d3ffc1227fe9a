//! The key to the symbols on the board: best moves, spaces and the last move.

use std::fmt::Write as _;

use super::data::Review;
use super::drawing;

/// A symbol as it is drawn on the board.
fn sign(drawing: &str) -> String {
    format!("<svg class=\"sign\" viewBox=\"0 0 40 40\" aria-hidden=\"true\">{drawing}</svg>")
}

fn circle(class: &str, radius: usize) -> String {
    sign(&drawing::circle(class, (20, 20), radius))
}

fn square(class: &str) -> String {
    sign(&format!(
        "<rect class=\"ground\" width=\"40\" height=\"40\"/>\
         <rect class=\"{class}\" width=\"40\" height=\"40\"/>"
    ))
}

fn arrow(class: &str) -> String {
    let head = drawing::circle(&format!("head {class}"), (31, 20), 7);
    sign(&format!(
        "<path class=\"arrow {class}\" d=\"M3 20H30\"/>{head}"
    ))
}

/// The key; empty without a board. Its line about spaces needs scripts, as spaces do.
pub(super) fn symbols(review: &Review) -> String {
    let Some(board) = &review.board else {
        return String::new();
    };
    let squares = board.ground == "squares";
    let mut text = String::from("<ul class=\"key\">");
    text.push_str(&best(review, squares));
    let has_spaces = review.positions.iter().any(|p| !p.spaces.is_empty());
    if has_spaces {
        text.push_str(&spaces(review));
    }
    let (last, gone) = if squares {
        (part(&square("trace"), "from and to"), "captured here")
    } else {
        (part(&circle("last", 9), "the last stone"), "removed here")
    };
    let cross = sign("<path class=\"gone\" d=\"M11 11l18 18m0 -18l-18 18\"/>");
    let gone = part(&cross, gone);
    let _ = write!(text, "<li><b>Last move</b> {last}{gone}</li></ul>");
    text
}

fn part(sign: &str, meaning: &str) -> String {
    format!("<span>{sign}{meaning}</span>")
}

fn best(review: &Review, squares: bool) -> String {
    let thresholds = &review.thresholds;
    let (some, more) = (100.0 * thresholds.doubtful, 100.0 * thresholds.mistake);
    let drawn = |class: &str| {
        if squares {
            arrow(class)
        } else {
            circle(&format!("choice {class}"), 17)
        }
    };
    let (what, played) = if squares {
        ("arrows for the best three", arrow("none"))
    } else {
        (
            "with winning chances in per cent",
            circle("played none", 16),
        )
    };
    let meanings = [
        ("c0", "the best".to_string()),
        ("c1", format!("less than {some:.0} % behind")),
        ("c2", format!("{some:.0} to {more:.0} % behind")),
        ("c3", format!("{more:.0} % or more")),
    ];
    let best = meanings.map(|(class, meaning)| part(&drawn(class), &meaning));
    let (best, played) = (best.concat(), part(&played, "the played move"));
    format!("<li><b>Best moves</b> {what}: {best}{played}</li>")
}

fn spaces(review: &Review) -> String {
    let colour = review.colour(0);
    let [seed, own, side] = ["seed", "own", "side"].map(|class| format!("{class} {colour}"));
    let nobody = sign(
        "<rect class=\"ground\" width=\"40\" height=\"40\"/>\
         <path class=\"nobody\" d=\"M11 20h18\"/>",
    );
    let signs = [
        (circle(&seed, 8), "a root can grow here now"),
        (square(&own), "only one root can reach this"),
        (square(&side), "only roots of one colour can"),
        (nobody, "nobody can"),
        (circle("thin", 16), "a root with one point to grow to"),
    ];
    let spaces = signs.map(|(sign, meaning)| part(&sign, meaning));
    format!("<li class=\"live\"><b>Spaces</b> {}</li>", spaces.concat())
}
