//! Boards as SVG, which need no script: the key positions of a page. `page.js` draws the same way;
//! `page.css` has the colours.

use std::fmt::Write as _;

use super::data::{Board, Change, MoveReview, PositionReview, Review};
use super::text::{html, percent};

/// The width of a cell.
const CELL: usize = 40;

struct Layout {
    side: usize,
    /// The font size of the labels.
    font: usize,
    /// The space for labels on the left and below.
    margin: usize,
}

impl Layout {
    /// Labels grow with the board, which is scaled to a fixed width.
    fn new(side: usize) -> Self {
        let font = 9 + 3 * side / 5;
        Self {
            side,
            font,
            margin: 2 * font + 2,
        }
    }

    fn at(&self, cell: usize) -> (usize, usize) {
        let side = self.side.max(1);
        let x = self.margin + CELL * (cell % side) + CELL / 2;
        (x, CELL * (cell / side) + CELL / 2 + 8)
    }

    fn width(&self) -> usize {
        self.margin + CELL * self.side + 8
    }
}

/// The position `number` of a review; with `next`, also the best move and the played move. A
/// position without a board is text.
pub(super) fn board(review: &Review, number: usize, next: bool) -> String {
    let Some(position) = review.positions.get(number) else {
        return String::new();
    };
    let Some(board) = &review.board else {
        return format!("<pre>{}</pre>", html(&position.rows.join("\n")));
    };
    let layout = Layout::new(board.side);
    let width = layout.width();
    let mut svg = format!(
        "<svg class=\"board\" viewBox=\"0 0 {width} {width}\" role=\"img\" aria-label=\"{}\">",
        html(&label(review, position))
    );
    ground(&mut svg, board, &layout);
    let last = number.checked_sub(1);
    let last = last.and_then(|index| review.moves.get(index));
    if let (Some(last), "squares") = (last, board.ground) {
        for cell in last.change.from.into_iter().chain(last.change.to) {
            svg += &square("trace", layout.at(cell));
        }
    }
    let cells = position.rows.iter().flat_map(|row| row.chars());
    for (cell, symbol) in cells.enumerate() {
        if let Some(piece) = board.pieces.iter().find(|p| p.symbol == symbol) {
            let colour = html(review.colour(piece.player));
            let (x, y) = layout.at(cell);
            svg += &circle(&format!("stone {colour}"), (x, y), 18);
            if piece.name.is_some() {
                let letter = html(&symbol.to_string());
                svg += &text(&format!("on {colour}"), (x, y + 7), 20, &letter);
            }
        }
    }
    if let Some(last) = last {
        traces(&mut svg, &last.change, board, &layout);
    }
    if next && let Some(played) = review.moves.get(number) {
        choice(&mut svg, position, played, board, &layout);
    }
    svg.push_str("</svg>");
    svg
}

fn label(review: &Review, position: &PositionReview) -> String {
    let after = match position.number {
        0 => "The start position".to_string(),
        number => format!("The position after move {number}"),
    };
    let then = match position.to_move {
        Some(player) => format!("{} to move", review.colour(player)),
        None => "the game is over".to_string(),
    };
    format!("{after}, {then}")
}

pub(super) fn circle(class: &str, (x, y): (usize, usize), radius: usize) -> String {
    format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>")
}

/// A whole cell with this centre.
fn square(class: &str, (x, y): (usize, usize)) -> String {
    let (x, y) = (x - CELL / 2, y - CELL / 2);
    format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\"/>")
}

fn text(class: &str, (x, y): (usize, usize), size: usize, text: &str) -> String {
    format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\" font-size=\"{size}\">{text}</text>")
}

fn ground(svg: &mut String, board: &Board, layout: &Layout) {
    let (side, width) = (layout.side, layout.width());
    let _ = write!(
        svg,
        "<rect class=\"ground\" width=\"{width}\" height=\"{width}\" rx=\"10\"/>"
    );
    if board.ground == "squares" {
        for cell in 0..side * side {
            let is_pale = (cell % side + cell / side) % 2 == 0;
            *svg += &square(if is_pale { "pale" } else { "deep" }, layout.at(cell));
        }
    } else {
        let mut path = String::new();
        for i in 0..side {
            let (left, y) = layout.at(i * side);
            let (x, top) = layout.at(i);
            let length = CELL * (side - 1);
            let _ = write!(path, "M{left} {y}h{length}M{x} {top}v{length}");
        }
        let _ = write!(svg, "<path class=\"lines\" d=\"{path}\"/>");
    }
    let (font, margin) = (layout.font, layout.margin);
    for (i, name) in board.columns.iter().enumerate() {
        let at = (layout.at(i).0, width - 3 * margin / 8);
        *svg += &text("label", at, font, &html(name));
    }
    for (i, name) in board.rows.iter().enumerate() {
        let at = (margin / 2, layout.at(i * side).1 + font / 3);
        *svg += &text("label", at, font, &html(name));
    }
}

/// The traces of the last move: a ring on its stone, and crosses on removed stones.
fn traces(svg: &mut String, change: &Change, board: &Board, layout: &Layout) {
    if let (Some(to), "points") = (change.to, board.ground) {
        *svg += &circle("last", layout.at(to), 7);
    }
    for &cell in &change.removed {
        let (x, y) = layout.at(cell);
        // On squares the captured piece is under the one that took it.
        let (x, y, r) = match board.ground {
            "squares" => (x + 13, y - 13, 5),
            _ => (x, y, 9),
        };
        let (left, top, across) = (x - r, y - r, 2 * r);
        let _ = write!(
            svg,
            "<path class=\"gone\" d=\"M{left} {top}l{across} {across}m0 -{across}l-{across} {across}\"/>"
        );
    }
}

/// The best move with its value, and a ring around the played move.
fn choice(
    svg: &mut String,
    position: &PositionReview,
    played: &MoveReview,
    board: &Board,
    layout: &Layout,
) {
    let best = position.best.first();
    let change = best.and_then(|best| best.line.first()).map(|mv| &mv.change);
    if let (Some(best), Some(change)) = (best, change) {
        arrow(svg, change, "best", layout);
        if let (Some(to), "points") = (change.to, board.ground) {
            let (x, y) = layout.at(to);
            *svg += &circle("choice c0", (x, y), 17);
            let value = percent(best.value, best.proven, false);
            *svg += &text("worth", (x, y + 5), 15, &value);
        }
    }
    let mark = played.mark.map_or("none", |mark| mark.word());
    arrow(svg, &played.change, mark, layout);
    if let (Some(to), "points") = (played.change.to, board.ground) {
        *svg += &circle(&format!("played {mark}"), layout.at(to), 17);
    }
}

/// An arrow for the move of a piece; nothing in games where pieces are only placed.
fn arrow(svg: &mut String, change: &Change, class: &str, layout: &Layout) {
    let (Some(from), Some(to)) = (change.from, change.to) else {
        return;
    };
    let ((x, y), (u, v)) = (layout.at(from), layout.at(to));
    // It begins at the rim, which keeps the letter of the piece legible.
    let (across, up) = (u as f64 - x as f64, v as f64 - y as f64);
    let far = across.hypot(up).max(1.0);
    let (x, y) = (x as f64 + 19.0 * across / far, y as f64 + 19.0 * up / far);
    let _ = write!(
        svg,
        "<path class=\"arrow {class}\" d=\"M{x:.1} {y:.1}L{u} {v}\"/>"
    );
    *svg += &circle(&format!("head {class}"), (u, v), 7);
}
