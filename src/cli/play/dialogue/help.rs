//! The help texts.

use std::io::Write;

use super::state::{Dialogue, Out, Talk};

const BEGIN: &str = "\x20 COLOUR      play this colour
  pie         Tanada makes the next move, then you choose a colour
  setup       make up a start position, then Tanada chooses a colour
  level NAME  change Tanada's strength; without a name, list all levels
  rules       show the rules of the game
  board       show the board
  quit        leave
";

/// Help during the game, to which [`ALWAYS`], [`LEAVE`] and the form of a move are added.
const PLAY: &str = "\x20 hint        suggest a move; Tanada thinks on your clock
  why         show how Tanada rated its last move, and your best replies
  legal       list your legal moves
";
const LEAVE: &str = "\x20 resign      resign the game
  new         start another game
  quit        leave; the next `tanada play` offers to continue (also Ctrl-C, Ctrl-D)
";

/// Help during the game and after it.
const ALWAYS: &str = "\x20 undo        take back your last move and everything after it
  save FILE   write the record of the game to a file
  level NAME  change Tanada's strength; without a name, list all levels
  time        show the time used, and the clocks
  rules       show the rules of the game
  board       show the board
";

/// The line after which help has a line for pieces, in games where pieces differ.
const RULES: &str = "  rules       show the rules of the game\n";
const PIECES: &str = "  pieces      show how each piece moves\n";

pub(super) fn before_play(dialogue: &Dialogue, out: &mut Out) -> Talk {
    show(dialogue, BEGIN, out)
}

pub(super) fn during_play(dialogue: &Dialogue, out: &mut Out) -> Talk {
    if dialogue.is_over() {
        writeln!(out, "The game is over. What still works:")?;
        show(dialogue, ALWAYS, out)?;
        return writeln!(out, "  new         start another game\n  quit        leave");
    }
    show(dialogue, &format!("{PLAY}{ALWAYS}{LEAVE}"), out)?;
    let expected = dialogue.engine.notation().expected_move();
    writeln!(out, "  a move      {expected}")
}

fn show(dialogue: &Dialogue, text: &str, out: &mut Out) -> Talk {
    match dialogue.engine.variant().pieces() {
        Some(_) => write!(out, "{}", text.replace(RULES, &format!("{RULES}{PIECES}"))),
        None => write!(out, "{text}"),
    }
}
