//! GoGui's graphics: one line for each kind of mark, a word and what it stands on.

use crate::grid::{BoardSize, Point};
use crate::vertex;

/// Lines of graphics for a board.
pub(super) struct Gfx {
    size: BoardSize,
    lines: Vec<String>,
}

impl Gfx {
    /// No line yet.
    pub(super) fn new(size: BoardSize) -> Self {
        Self {
            size,
            lines: Vec::new(),
        }
    }

    /// Marks points: `MARK A1 B2`. Nothing if there are none.
    pub(super) fn points(&mut self, word: &str, points: impl IntoIterator<Item = Point>) {
        let names = points.into_iter().map(|p| vertex::name(p, self.size));
        let names: Vec<String> = names.collect();
        if !names.is_empty() {
            self.lines.push(format!("{word} {}", names.join(" ")));
        }
    }

    /// Writes at points: `LABEL A1 3 B2 5`. Nothing if there are none.
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

    /// A sentence for the line below the board.
    pub(super) fn text(&mut self, text: &str) {
        self.lines.push(format!("TEXT {text}"));
    }

    /// The lines.
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
        gfx.values("INFLUENCE", [(corner, 0.5)]);
        gfx.text("so");
        assert_eq!(gfx.finish(), "CIRCLE A1 E5\nINFLUENCE A1 0.5\nTEXT so");
    }
}
