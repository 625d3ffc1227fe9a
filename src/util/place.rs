//! Places in a text, for messages about files.

/// The line and the column of a byte, both from 1. Columns count characters.
pub(crate) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let at = text.floor_char_boundary(at);
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |feed| feed + 1);
    let line = 1 + before.matches('\n').count();
    (line, 1 + before[start..].chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_begin_with_1() {
        let text = "a\nßc\n";
        let places = [0, 1, 2, 3, 4, 5, 6, 99].map(|at| line_and_column(text, at));
        let expected = [
            (1, 1),
            (1, 2),
            (2, 1),
            (2, 1),
            (2, 2),
            (2, 3),
            (3, 1),
            (3, 1),
        ];
        assert_eq!(places, expected);
        assert_eq!(line_and_column("", 0), (1, 1));
    }
}
