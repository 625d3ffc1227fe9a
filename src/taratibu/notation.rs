//! The notation of steps and turns: `4765`, `4163-6345-4527`.

use std::fmt;

use super::position::Step;
use super::square::Square;
use crate::util::quote::shorten;

/// Reads a step: four digits.
///
/// # Errors
/// The text has another form, or a square is off the board.
fn parse_step(text: &str) -> Result<Step, String> {
    let digits: Vec<char> = text.chars().take(5).collect();
    let [a, b, c, d] = digits[..] else {
        return Err(not_a_step(text));
    };
    if !digits.iter().all(char::is_ascii_digit) {
        return Err(not_a_step(text));
    }
    let square = |file: char, rank: char| {
        Square::from_digits(file, rank).ok_or_else(|| {
            format!(
                "invalid square `{file}{rank}` in `{text}`: expected a file and a rank from 1 to 7"
            )
        })
    };
    Ok(Step {
        from: square(a, b)?,
        to: square(c, d)?,
    })
}

fn not_a_step(text: &str) -> String {
    let text = shorten(text, 20);
    format!("invalid step `{text}`: expected four digits, from and to, such as 4765")
}

/// Reads a turn, or a part of one: 1 to 10 steps joined by `-`.
///
/// # Errors
/// There is no step or there are too many, or one of them is not a step.
pub fn parse_turn(text: &str) -> Result<Vec<Step>, String> {
    if text.is_empty() {
        let text = "the turn has no steps: expected steps joined by `-`, such as 4163-6345-4527";
        return Err(text.to_string());
    }
    let most = usize::from(super::LAST_TURN);
    let mut steps = Vec::new();
    for part in text.split('-') {
        if steps.len() == most {
            let text = shorten(text, 60);
            return Err(format!(
                "`{text}` has more steps than a turn: expected at most 10"
            ));
        }
        steps.push(parse_step(part)?);
    }
    Ok(steps)
}

/// Writes a turn.
pub fn write_turn(steps: &[Step]) -> String {
    let steps: Vec<String> = steps.iter().map(Step::to_string).collect();
    steps.join("-")
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for from in Square::all() {
            let steps: Vec<Step> = Square::all()
                .step_by(5)
                .map(|to| Step { from, to })
                .collect();
            assert_eq!(parse_turn(&write_turn(&steps)), Ok(steps));
        }
        let steps = parse_turn("4765-6564").unwrap();
        assert_eq!(steps.len(), 2);
        assert_eq!(steps[0].from.to_string(), "47");
        assert_eq!(steps[1].to.to_string(), "64");
    }

    #[test]
    fn wrong_turns_are_quoted() {
        let long = ["1112"; 11].join("-");
        for (text, part) in [
            ("", "no steps"),
            ("476", "invalid step `476`"),
            ("47655", "`47655`"),
            ("4765-", "invalid step ``"),
            ("4765 6564", "invalid step `4765 6564`"),
            ("4765-65x4", "invalid step `65x4`"),
            ("4765-6584", "invalid square `84` in `6584`"),
            ("4065", "`40` in `4065`"),
            ("\u{664}765", "invalid step"),
            (&long, "more steps"),
        ] {
            let error = parse_turn(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
