//! Faults of a record, and where they are.

/// A result whose fault has a byte offset.
pub(super) type Located<T> = Result<T, (usize, String)>;

/// The fault of a character out of place.
pub(super) fn misplaced(c: char) -> String {
    format!("`{c}` is out of place: expected a property like `B[cc]`, `;`, `(` or `)`")
}

/// Finds lines and columns of byte offsets. A search continues from the previous offset if that is
/// smaller, so the faults of many games together cost one pass over the text.
///
/// Lines end with CR, LF, or both in either order.
#[derive(Clone, Debug)]
pub(crate) struct LineIndex<'a> {
    text: &'a str,
    /// The offset that `line` and `column` belong to.
    at: usize,
    line: usize,
    column: usize,
    /// The second character that the last line end may still have.
    other: Option<char>,
    /// Characters read.
    #[cfg(test)]
    steps: usize,
}

impl<'a> LineIndex<'a> {
    /// An index of this text, which may begin with a byte order mark.
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text: text.strip_prefix('\u{feff}').unwrap_or(text),
            at: 0,
            line: 1,
            column: 1,
            other: None,
            #[cfg(test)]
            steps: 0,
        }
    }

    /// Line and column, both from 1, of an offset counted after the mark.
    pub(super) fn of(&mut self, at: usize) -> (usize, usize) {
        if at < self.at {
            (self.at, self.line, self.column, self.other) = (0, 1, 1, None);
        }
        let way = self.text.get(self.at..at.min(self.text.len()));
        for c in way.unwrap_or_default().chars() {
            #[cfg(test)]
            {
                self.steps += 1;
            }
            let other = match c {
                '\r' => '\n',
                '\n' => '\r',
                _ => {
                    self.column += 1;
                    self.other = None;
                    continue;
                }
            };
            if self.other == Some(c) {
                self.other = None;
                continue;
            }
            self.other = Some(other);
            (self.line, self.column) = (self.line + 1, 1);
        }
        self.at = at;
        (self.line, self.column)
    }

    /// A fault with its line and column.
    pub(crate) fn error(&mut self, (at, fault): (usize, String)) -> String {
        let (line, column) = self.of(at);
        format!("line {line}, column {column}: {fault}")
    }
}

/// A value, shortened for a message.
pub(super) fn shorten(text: &str) -> String {
    crate::util::quote::shorten(text, 40)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Line and column, counted from the start of the text.
    fn counted(at: usize, text: &str) -> (usize, usize) {
        let (mut line, mut column) = (1, 1);
        let mut chars = text[..at].chars().peekable();
        while let Some(c) = chars.next() {
            let other = match c {
                '\r' => '\n',
                '\n' => '\r',
                _ => {
                    column += 1;
                    continue;
                }
            };
            chars.next_if_eq(&other);
            (line, column) = (line + 1, 1);
        }
        (line, column)
    }

    proptest! {
        #[test]
        fn places_are_those_counted_from_the_start(
            text in "[a\r\né(]{0,60}",
            order in prop::collection::vec(any::<prop::sample::Index>(), 1..20),
        ) {
            let places: Vec<usize> =
                text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let mut found = LineIndex::new(&text);
            for index in order {
                let at = *index.get(&places);
                // No token begins between the two characters of a line end.
                let halves = ["\r\n", "\n\r"];
                prop_assume!(!halves.iter().any(|end| text[..at].ends_with(&end[..1])
                    && text[at..].starts_with(&end[1..])));
                prop_assert_eq!(found.of(at), counted(at, &text));
            }
        }
    }

    #[test]
    fn places_in_order_cost_one_pass() {
        let text = "(;SZ[3])\n".repeat(1000);
        let mut places = LineIndex::new(&text);
        for at in (0..text.len()).step_by(3) {
            places.of(at);
        }
        // The last place is that of the last line end.
        places.of(text.len() - 1);
        places.of(text.len() - 1);
        assert_eq!(places.steps, text.len() - 1);
    }
}
