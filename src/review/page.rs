//! The page: a single file that needs nothing else, for browsers with and without scripts.

use std::fmt::Write as _;

use super::data::{MoveReview, Review};
use super::drawing::board;
use super::graph::graph;
use super::mark::Mark;
use super::symbols::symbols;
use super::text::{fill, html, percent, script};
use crate::util::files::Kind;
use crate::util::quote::title_case;

/// The pages that this module writes.
pub(crate) const KIND: Kind<'_> = Kind {
    maker: "tanada analyze --html",
    is_own: &|head| {
        let head = String::from_utf8_lossy(head);
        head.starts_with("<!doctype html>") && head.contains(GENERATOR)
    },
};
/// Marks a page as ours.
const GENERATOR: &str = "<meta name=\"generator\" content=\"Tanada\">";

/// The drawing of boards, a module, and its colours.
pub(crate) const BOARD_JS: &str = include_str!("board.js");
pub(crate) const BOARD_CSS: &str = include_str!("board.css");

/// The most mistakes among the key positions.
const KEYS: usize = 6;

/// A review as an HTML page. It loads nothing, works from a file, and shows key positions and the
/// list of moves without scripts too.
///
/// ```
/// fn write(review: &tanada::Review) -> std::io::Result<()> {
///     std::fs::write("game.html", tanada::review_page(review))
/// }
/// # let _ = write;
/// ```
pub fn review_page(review: &Review) -> String {
    // Keys are texts and numbers, which JSON can always express.
    let data = script(&serde_json::to_string(review).unwrap_or_default());
    let of_moves = |part: fn(&Review) -> String| match review.moves[..] {
        [] => String::new(),
        _ => part(review),
    };
    fill(
        include_str!("page.html"),
        &[
            ("title", &html(&title(review))),
            ("css", &[BOARD_CSS, include_str!("page.css")].concat()),
            ("heading", &heading(review)),
            ("legend", &legend(review)),
            ("graph", &graph(review)),
            ("symbols", &symbols(review)),
            ("summary", &of_moves(summary)),
            ("mistakes", &of_moves(mistakes)),
            ("moves", &of_moves(moves)),
            ("key_positions", &key_positions(review)),
            ("foot", &foot(review)),
            ("data", &data),
            ("js", include_str!("page.js")),
            ("board_js", &as_script(BOARD_JS)),
        ],
    )
}

/// A module as a part of a script: what it exports becomes visible to the rest.
fn as_script(module: &str) -> String {
    let lines = module
        .lines()
        .map(|line| line.strip_prefix("export ").unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

fn title(review: &Review) -> String {
    let names = review.players.iter().filter_map(|p| p.name.as_deref());
    let names: Vec<&str> = names.collect();
    let game = game(review);
    match (&review.header.name, names.is_empty()) {
        (Some(name), _) => format!("{name}, {game}"),
        (None, false) => format!("{}, {game}", names.join(" - ")),
        (None, true) => format!("A game of {game}"),
    }
}

fn game(review: &Review) -> String {
    match &review.board {
        Some(board) => format!("{} {1}\u{d7}{1}", review.title, board.side),
        None => review.title.to_string(),
    }
}

fn heading(review: &Review) -> String {
    let header = &review.header;
    let parts = [
        &header.name,
        &header.event,
        &header.round,
        &header.place,
        &header.date,
    ];
    let mut parts: Vec<String> = parts.into_iter().flatten().map(|p| html(p)).collect();
    parts.push(review.extent());
    if let Some(result) = &header.result {
        parts.push(format!("result {}", html(result)));
    }
    let parts: Vec<String> = parts.iter().map(|p| format!("<bdi>{p}</bdi>")).collect();
    let (game, parts) = (html(&game(review)), parts.join(" \u{b7} "));
    format!("<h1>{game}</h1><p>{parts}</p>")
}

/// The players with their colours, and their chances in the shown position.
fn legend(review: &Review) -> String {
    let mut text = String::from("<ul class=\"legend\">");
    for player in &review.players {
        let colour = html(player.colour);
        let name = player.name.as_ref();
        let name = name.map_or_else(String::new, |name| format!(" <bdi>{}</bdi>", html(name)));
        let _ = write!(
            text,
            "<li><span class=\"chip {colour}\"></span>{}{name} <output data-player aria-live=\"off\"></output></li>",
            html(&title_case(player.colour))
        );
    }
    text.push_str("</ul>");
    let pieces = crate::games::find(review.game).and_then(|game| game.pieces());
    if let Some(pieces) = pieces {
        let pieces = html(&pieces);
        let _ = write!(
            text,
            "<details><summary>The pieces</summary><pre>{pieces}</pre></details>"
        );
    }
    text
}

fn who(review: &Review, mv: &MoveReview) -> String {
    html(&title_case(review.colour(mv.player)))
}

fn sign(mark: Option<Mark>) -> String {
    mark.map_or_else(String::new, |mark| {
        let (word, sign) = (mark.word(), mark.sign());
        format!("<span class=\"mark {word}\">{sign}</span>")
    })
}

/// The statistics of each player.
fn summary(review: &Review) -> String {
    let marks = Mark::ALL.map(|mark| format!("<th scope=\"col\">{}</th>", sign(Some(mark))));
    let mut text = format!(
        "<section id=\"summary\"><h2>Players</h2><table><thead><tr><th scope=\"col\">Player</th>\
         <th scope=\"col\">Moves</th><th scope=\"col\">Mean loss</th>{}</tr></thead><tbody>",
        marks.concat()
    );
    for player in &review.players {
        let found = &player.summary;
        let colour = html(player.colour);
        let loss = found.mean_loss.map_or("\u{2013}".to_string(), |loss| {
            format!("{:.1} %", 100.0 * loss)
        });
        let _ = write!(
            text,
            "<tr><td><span class=\"chip {colour}\"></span>{}</td><td>{}</td><td>{loss}</td>\
             <td>{}</td><td>{}</td><td>{}</td></tr>",
            html(&title_case(player.colour)),
            found.moves,
            found.doubtful,
            found.mistakes,
            found.blunders,
        );
    }
    text.push_str(
        "</tbody></table><p>Only losses beyond the noise of the search count.</p></section>",
    );
    text
}

/// The marked moves by descending loss.
fn mistakes(review: &Review) -> String {
    let mut text = String::from("<section id=\"mistakes\"><h2>Mistakes</h2>");
    if review.mistakes.is_empty() {
        let least = 100.0 * review.thresholds.doubtful;
        let _ = write!(
            text,
            "<p>No move lost {least:.0} % or more beyond the noise of the search.</p></section>"
        );
        return text;
    }
    text.push_str("<ol>");
    for mv in review.marked_moves() {
        let _ = write!(
            text,
            "<li><a href=\"#m{number}\" data-go=\"{before}\">{number}. {who} {name}{sign}</a> \
             <span>lost {loss:.1} %, better {best}</span></li>",
            number = mv.number,
            before = mv.number - 1,
            who = who(review, mv),
            name = html(&mv.name),
            sign = sign(mv.mark),
            loss = 100.0 * mv.loss,
            best = html(&mv.best),
        );
    }
    text.push_str("</ol></section>");
    text
}

fn moves(review: &Review) -> String {
    let mut text = String::from(
        "<section id=\"moves\"><h2>Moves</h2><div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Moves\"><table><thead><tr><th scope=\"col\">#</th><th scope=\"col\">Move</th>\
         <th scope=\"col\">Chance</th><th scope=\"col\">Best</th><th scope=\"col\">Loss</th></tr>\
         </thead><tbody>",
    );
    for mv in &review.moves {
        let comment = mv.comment.as_ref().map_or_else(String::new, |comment| {
            format!(
                " <span class=\"said\" title=\"{0}\">\u{201c}<bdi>{0}</bdi>\u{201d}</span>",
                html(comment)
            )
        });
        let loss = if mv.is_sure() {
            format!("{:.1}", 100.0 * mv.loss)
        } else {
            "\u{2013}".to_string()
        };
        let _ = write!(
            text,
            "<tr id=\"m{number}\"><td>{number}</td><td><span class=\"chip {colour}\"></span>\
             <a href=\"#m{number}\" data-go=\"{number}\" aria-label=\"{number}. {who} {name}\">{name}</a>\
             {sign}{comment}</td><td>{value}</td><td>{best}</td><td>{loss}</td></tr>",
            number = mv.number,
            colour = html(review.colour(mv.player)),
            who = who(review, mv),
            name = html(&mv.name),
            sign = sign(mv.mark),
            value = percent(mv.value, mv.proven, true),
            best = html(&mv.best),
        );
    }
    text.push_str("</tbody></table></div></section>");
    text
}

/// The start, the largest mistakes and the end as pictures, for browsers without scripts.
fn key_positions(review: &Review) -> String {
    let mut text = String::from("<section id=\"keys\"><h2>Key positions</h2>");
    text.push_str(&symbols(review));
    text.push_str("<div class=\"tiles\">");
    let mut tile = |number: usize, next: bool, caption: &str| {
        let _ = write!(
            text,
            "<figure>{}<figcaption>{caption}</figcaption></figure>",
            board(review, number, next)
        );
    };
    let chances = |number: usize| -> String {
        let Some(position) = review.positions.get(number) else {
            return String::new();
        };
        let share = review.players.iter().zip(&position.values);
        let exact = if position.exact { ", exact" } else { "" };
        let share = share.map(|(p, v)| format!("{} {:.1} %", html(p.colour), 100.0 * v));
        format!("{}{exact}", share.collect::<Vec<_>>().join(", "))
    };
    let end = review.positions.len().saturating_sub(1);
    tile(0, false, &format!("The start: {}", chances(0)));
    for mv in review.marked_moves().take(KEYS) {
        let before = review.positions.get(mv.number - 1);
        let best = before.and_then(|position| position.best.first());
        let better = percent(mv.best_value, best.and_then(|b| b.proven), true);
        let caption = format!(
            "Before move {}: {} played {}{} ({}, ring), better {} ({better})",
            mv.number,
            who(review, mv),
            html(&mv.name),
            sign(mv.mark),
            percent(mv.value, mv.proven, true),
            html(&mv.best),
        );
        tile(mv.number - 1, true, &caption);
    }
    if end > 0 {
        tile(end, false, &format!("After move {end}: {}", chances(end)));
    }
    text.push_str("</div></section>");
    text
}

fn foot(review: &Review) -> String {
    let search = &review.search;
    let mut limits = Vec::new();
    limits.extend(search.iterations.map(|n| format!("{n} iterations")));
    limits.extend(search.seconds.map(|s| format!("{s} s")));
    let threads = search.threads;
    let plural = if threads == 1 { "" } else { "s" };
    let marks = Mark::ALL.map(|mark| {
        let (sign, least) = (sign(Some(mark)), 100.0 * mark.least());
        format!("{sign} from {least:.0} %")
    });
    format!(
        "<p>A chance is the winning chance of the player who moved, after the move. The loss is the \
         chance after the best move minus that. Marks by loss: {}. A move is marked only if its loss \
         is beyond the noise of the search, measured by further searches of both moves. \
         <b>Won</b>, <b>lost</b> and <b>draw</b> are exact; all other chances are estimates.</p>\
         <p>Tanada {}: {} a position, {threads} thread{plural}, seed {}.</p>",
        marks.join(", "),
        html(review.version),
        limits.join(" or "),
        search.seed
    )
}
