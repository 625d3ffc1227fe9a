//! The winning chances over the game as SVG: a stacked area chart, with an area for each player.

use std::fmt::Write as _;

use super::data::Review;
use super::text::html;
use crate::util::quote::title_case;

/// The width in SVG units; the page stretches it.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 100.0;

/// The graph, with dots for marked moves and a line at the foot for exact results.
pub(super) fn graph(review: &Review) -> String {
    let last = review.positions.len().saturating_sub(1);
    let x = |number: usize| WIDTH * number as f64 / last.max(1) as f64;
    // The sum of the chances below a player's area, by position.
    let mut below = vec![0.0; review.positions.len()];
    let mut fields = String::new();
    let mut dots = String::new();
    for (player, who) in review.players.iter().enumerate() {
        let share = |number: usize| {
            let position = review.positions.get(number);
            position.map_or(0.0, |p| p.values.get(player).copied().unwrap_or(0.0))
        };
        let mut upper = String::new();
        let mut lower = String::new();
        for (number, low) in below.iter().enumerate() {
            let high = (low + share(number)).min(1.0);
            let _ = write!(upper, "L{:.1} {:.2}", x(number), height(high));
            let back = below.len() - 1 - number;
            let _ = write!(lower, "L{:.1} {:.2}", x(back), height(below[back]));
        }
        if last == 0 {
            // A single position fills the width.
            let (high, low) = (height(below[0] + share(0)), height(below[0]));
            upper = format!("L0 {high:.2}L{WIDTH} {high:.2}");
            lower = format!("L{WIDTH} {low:.2}L0 {low:.2}");
        }
        let path = format!("M{}{lower}Z", upper.trim_start_matches('L'));
        let colour = html(who.colour);
        let _ = write!(fields, "<path class=\"field {colour}\" d=\"{path}\"/>");
        // The upper edge of the topmost area is constant, so its dots are on the lower edge.
        let edge = player + 1 < review.players.len();
        for mv in review.moves.iter().filter(|mv| mv.player == player) {
            if let (Some(mark), Some(low)) = (mv.mark, below.get(mv.number)) {
                let y = height(low + if edge { share(mv.number) } else { 0.0 });
                let (word, x) = (mark.word(), x(mv.number));
                let _ = write!(
                    dots,
                    "<path class=\"dot {word}\" d=\"M{x:.1} {y:.2}h.01\"/>"
                );
            }
        }
        for (number, low) in below.iter_mut().enumerate() {
            *low += share(number);
        }
    }
    let mut exact = String::new();
    for (number, position) in review.positions.iter().enumerate() {
        if position.exact && (last == 0 || number > 0) {
            let before = if last == 0 { WIDTH } else { x(number - 1) };
            let _ = write!(exact, "M{:.1} {HEIGHT}H{before:.1}", x(number));
        }
    }
    let names = review.players.iter().map(|p| title_case(p.colour));
    let names = html(&names.collect::<Vec<_>>().join(", "));
    format!(
        "<svg class=\"graph\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"Winning chance of {names} over {last} moves\">{fields}\
         <path class=\"scale\" d=\"M0 25H{WIDTH}M0 50H{WIDTH}M0 75H{WIDTH}\"/>\
         <path class=\"exact\" d=\"{exact}\"/>{dots}</svg>"
    )
}

fn height(share: f64) -> f64 {
    HEIGHT * (1.0 - share.clamp(0.0, 1.0))
}
