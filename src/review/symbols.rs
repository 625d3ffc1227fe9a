//! The key to the symbols on the board: best moves, spaces and the last move.

use std::fmt::Write as _;

use super::data::Review;

/// A symbol as it is drawn on the board.
fn sign(drawing: &str) -> String {
    format!("<svg class=\"sign\" viewBox=\"0 0 40 40\" aria-hidden=\"true\">{drawing}</svg>")
}

fn circle(class: &str, radius: f64) -> String {
    sign(&format!(
        "<circle class=\"{class}\" cx=\"20\" cy=\"20\" r=\"{radius}\"/>"
    ))
}

fn square(class: &str) -> String {
    sign(&format!(
        "<rect class=\"ground\" width=\"40\" height=\"40\"/>\
         <rect class=\"{class}\" width=\"40\" height=\"40\"/>"
    ))
}

fn arrow(class: &str) -> String {
    sign(&format!(
        "<path class=\"arrow {class}\" d=\"M3 20H30\"/>\
         <circle class=\"head {class}\" cx=\"31\" cy=\"20\" r=\"7\"/>"
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
    let _ = write!(
        text,
        "<li><b>Last move</b> {}{}</li>",
        if squares {
            part(&square("trace"), "from and to")
        } else {
            part(&circle("last", 9.0), "the last stone")
        },
        part(
            &sign("<path class=\"gone\" d=\"M11 11l18 18m0 -18l-18 18\"/>"),
            if squares {
                "captured here"
            } else {
                "removed here"
            }
        )
    );
    text.push_str("</ul>");
    text
}

fn part(sign: &str, meaning: &str) -> String {
    format!("<span>{sign}{meaning}</span>")
}

fn best(review: &Review, squares: bool) -> String {
    let (some, more) = (
        100.0 * review.thresholds.doubtful,
        100.0 * review.thresholds.mistake,
    );
    let drawn = |class: &str| {
        if squares {
            arrow(class)
        } else {
            circle(&format!("choice {class}"), 17.0)
        }
    };
    let what = if squares {
        "arrows for the best three"
    } else {
        "with winning chances in percent"
    };
    let meanings = [
        ("c0", "the best".to_string()),
        ("c1", format!("less than {some:.0} % behind")),
        ("c2", format!("{some:.0} to {more:.0} % behind")),
        ("c3", format!("{more:.0} % or more")),
    ];
    let mut text = format!("<li><b>Best moves</b> {what}: ");
    for (class, meaning) in meanings {
        text.push_str(&part(&drawn(class), &meaning));
    }
    let played = if squares {
        arrow("none")
    } else {
        circle("played none", 16.0)
    };
    text.push_str(&part(&played, "the played move"));
    text.push_str("</li>");
    text
}

fn spaces(review: &Review) -> String {
    let colour = review.players.first().map_or("", |p| p.colour);
    let signs = [
        (
            circle(&format!("seed {colour}"), 8.0),
            "a root can grow here now",
        ),
        (
            square(&format!("own {colour}")),
            "only one root can reach this",
        ),
        (
            square(&format!("side {colour}")),
            "only roots of one colour can",
        ),
        (
            sign(
                "<rect class=\"ground\" width=\"40\" height=\"40\"/>\
                 <path class=\"nobody\" d=\"M11 20h18\"/>",
            ),
            "nobody can",
        ),
        (circle("thin", 16.0), "a root with one point to grow to"),
    ];
    let mut text = String::from("<li class=\"live\"><b>Spaces</b> ");
    for (sign, meaning) in signs {
        text.push_str(&part(&sign, meaning));
    }
    text.push_str("</li>");
    text
}
