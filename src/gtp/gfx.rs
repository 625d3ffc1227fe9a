//! GoGui's graphics: one line for each kind of mark, which is a word followed by points.

use crate::board::vertex;
use crate::board::{BoardSize, Point};

/// Colours for shares from 0 to 1, in equal steps. GoGui draws `COLOR` at half strength below the
/// labels, which stay readable; its `INFLUENCE` would cover them.
type Scale = [&'static str; 5];

/// From little to much.
pub(super) const AMOUNT: Scale = ["#f0fae0", "#c8f0a8", "#98e070", "#60cc40", "#20b020"];

/// From a bad chance to a good one.
pub(super) const CHANCE: Scale = ["#f04030", "#f89060", "#f8e880", "#98e070", "#20b020"];

/// A chance in whole per cent.
pub(super) fn percent(chance: f32) -> String {
    format!("{:.0}", 100.0 * chance)
}

/// A number of visits in at most four characters: 836, 9.4k, 31k, 1.3M.
pub(super) fn short(visits: u32) -> String {
    match visits {
        0..1_000 => visits.to_string(),
        1_000..9_950 => format!("{:.1}k", f64::from(visits) / 1e3),
        9_950..999_500 => format!("{:.0}k", f64::from(visits) / 1e3),
        999_500..9_950_000 => format!("{:.1}M", f64::from(visits) / 1e6),
        _ => format!("{:.0}M", f64::from(visits) / 1e6),
    }
}

pub(super) struct Gfx {
    size: BoardSize,
    lines: Vec<String>,
}

impl Gfx {
    pub(super) fn new(size: BoardSize) -> Self {
        Self {
            size,
            lines: Vec::new(),
        }
    }

    /// Marks points: `MARK A1 B2`. No line without points.
    pub(super) fn points(&mut self, word: &str, points: impl IntoIterator<Item = Point>) {
        let names = vertex::names(points, self.size);
        if !names.is_empty() {
            self.lines.push(format!("{word} {names}"));
        }
    }

    /// Writes a value on each point: `LABEL A1 3 B2 5`. No line without points.
    pub(super) fn values(
        &mut self,
        word: &str,
        values: impl IntoIterator<Item = (Point, impl std::fmt::Display)>,
    ) {
        let pair = |(p, value)| format!(" {} {value}", vertex::name(p, self.size));
        let pairs: String = values.into_iter().map(pair).collect();
        if !pairs.is_empty() {
            self.lines.push(format!("{word}{pairs}"));
        }
    }

    /// Colours points by their shares, 0 to 1, with a line for each colour: `COLOR #20b020 A1 B2`.
    pub(super) fn shares(&mut self, scale: Scale, shares: impl IntoIterator<Item = (Point, f32)>) {
        let step = |share: f32| ((share * scale.len() as f32) as usize).min(scale.len() - 1);
        let steps: Vec<(Point, usize)> = shares
            .into_iter()
            .map(|(point, share)| (point, step(share)))
            .collect();
        for (number, colour) in scale.iter().enumerate() {
            let here = steps.iter().filter(|&&(_, step)| step == number);
            self.points(&format!("COLOR {colour}"), here.map(|&(point, _)| point));
        }
    }

    /// Shows a variation as numbered stones: `VAR B A1 W B2`.
    pub(super) fn variation(&mut self, stones: impl IntoIterator<Item = (char, Point)>) {
        let stone = |(letter, p)| format!(" {letter} {}", vertex::name(p, self.size));
        let stones: String = stones.into_iter().map(stone).collect();
        if !stones.is_empty() {
            self.lines.push(format!("VAR{stones}"));
        }
    }

    /// Shows a sentence below the board.
    pub(super) fn text(&mut self, text: &str) {
        self.lines.push(format!("TEXT {text}"));
    }

    pub(super) fn finish(self) -> String {
        self.lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_points_are_left_out() {
        let size = BoardSize::new(5).unwrap();
        let corner = size.point(0, 0).unwrap();
        let mut gfx = Gfx::new(size);
        gfx.points("MARK", []);
        gfx.values("LABEL", Vec::<(Point, u32)>::new());
        gfx.points("CIRCLE", [corner, size.point(4, 4).unwrap()]);
        gfx.values("LABEL", [(corner, 5)]);
        gfx.variation([]);
        gfx.variation([('B', corner)]);
        gfx.shares(CHANCE, []);
        gfx.text("so");
        assert_eq!(gfx.finish(), "CIRCLE A1 E5\nLABEL A1 5\nVAR B A1\nTEXT so");
    }

    #[test]
    fn shares_become_colours_in_equal_steps() {
        let size = BoardSize::new(5).unwrap();
        let point = |column| size.point(column, 0).unwrap();
        let mut gfx = Gfx::new(size);
        let shares = [(0, 1.0), (1, 0.0), (2, 0.19), (3, 0.5), (4, 0.81)];
        gfx.shares(AMOUNT, shares.map(|(column, share)| (point(column), share)));
        assert_eq!(
            gfx.finish(),
            "COLOR #f0fae0 B1 C1\nCOLOR #98e070 D1\nCOLOR #20b020 A1 E1"
        );
    }

    #[test]
    fn visits_are_short() {
        for (visits, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0k"),
            (9_444, "9.4k"),
            (9_949, "9.9k"),
            (9_950, "10k"),
            (31_021, "31k"),
            (999_499, "999k"),
            (999_500, "1.0M"),
            (9_949_999, "9.9M"),
            (9_950_000, "10M"),
            (u32::MAX, "4295M"),
        ] {
            assert_eq!(short(visits), text);
        }
    }
}
