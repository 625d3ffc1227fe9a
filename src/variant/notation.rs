//! The texts of a position and its moves.

use super::move_code::MoveCode;

/// How a position and its moves are written and read.
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(7), None, None)?;
/// # let params = tanada::Params { threads: 1, seed: 1, ..tanada::Params::default() };
/// # let engine = tanada::Engine::new(configuration.start().clone(), params);
/// let notation: &dyn tanada::Notation = engine.notation();
/// println!("{}", notation.show());
/// assert_eq!(notation.read_moves("C2").map(|moves| moves.len()), Ok(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Notation {
    /// The board as `showboard` prints it.
    fn show(&self) -> String;
    /// The position in the form that `--setup` reads.
    fn position_text(&self) -> String;
    /// The moves that a word stands for: one move, or, where a turn has several, some or all of
    /// them. The moves need not be legal.
    ///
    /// # Errors
    /// What is wrong with the word, in one sentence that quotes it.
    fn read_moves(&self, word: &str) -> Result<Vec<MoveCode>, String>;
    /// The word for moves that one side makes in a row.
    fn write_moves(&self, moves: &[MoveCode]) -> String;
    /// What a legal move looks like; completes "expected".
    fn expected_move(&self) -> String;
}
