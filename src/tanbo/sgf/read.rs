//! From the words of a text to the values that matter, game by game.

use super::fault::{Fault, Found, shorten};
use super::lexer::{Lexer, Stray, Token};
use super::property::Property;
use crate::game::Seat;

/// A value with where it stands.
pub(super) struct Value {
    pub(super) at: usize,
    pub(super) name: &'static str,
    pub(super) text: String,
}

/// The values that matter in one game, before the size of the board is known.
#[derive(Default)]
pub(super) struct Raw {
    pub(super) size: Option<Value>,
    pub(super) to_move: Option<Value>,
    pub(super) stones: Vec<(Seat, Value)>,
    pub(super) moves: Vec<(Seat, Value)>,
    /// Nodes so far.
    nodes: usize,
    /// The node of the last move.
    last_move: usize,
}

/// Goes through the games of a text, one after the other.
pub(super) struct Reader<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// Brackets that are open.
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            lexer: Lexer::new(text),
            depth: 0,
        }
    }

    /// Collects the values that matter from the main line of the next game, up to
    /// the bracket that ends it; none at the end of the text.
    pub(super) fn main_line(&mut self) -> Found<Option<Raw>> {
        self.skip_variations()?;
        match self.lexer.next() {
            None => return Ok(None),
            Some((_, Ok(Token::Open))) => self.depth = 1,
            Some((at, _)) => {
                let rest = self.text.get(at..).unwrap_or_default();
                return Err((at, Fault::Begin(shorten(rest))));
            }
        }
        let mut raw = Raw::default();
        // The property whose values are being read, and whether it has one yet.
        let mut open: Option<(usize, String, bool)> = None;
        loop {
            let (at, word) = self.word()?;
            if let Token::Value(text) = word {
                match &mut open {
                    Some((_, name, has_value)) if raw.nodes > 0 => {
                        *has_value = true;
                        if let Some((property, name)) = Property::find(name) {
                            raw.take(property, Value { at, name, text })?;
                        }
                    }
                    _ => return Err((at, Fault::Property(format!("[{}]", shorten(&text))))),
                }
                continue;
            }
            if let Some((at, name, false)) = open.take() {
                return Err((at, Fault::Property(shorten(&name))));
            }
            match word {
                Token::Node => raw.nodes += 1,
                Token::Name(name) => open = Some((at, name, false)),
                Token::Open => self.depth += 1,
                Token::Close if raw.nodes > 0 => {
                    self.depth -= 1;
                    return Ok(Some(raw));
                }
                Token::Close => return Err((at, Fault::Character(')'))),
                Token::Value(_) => {}
            }
        }
    }

    /// Goes to the end of the game whose main line was read.
    fn skip_variations(&mut self) -> Found<()> {
        while self.depth > 0 {
            match self.word()?.1 {
                Token::Open => self.depth += 1,
                Token::Close => self.depth -= 1,
                Token::Node | Token::Name(_) | Token::Value(_) => {}
            }
        }
        Ok(())
    }

    /// The next word of a game.
    fn word(&mut self) -> Found<(usize, Token)> {
        match self.lexer.next() {
            None => Err((self.text.len(), Fault::End)),
            Some((at, Ok(word))) => Ok((at, word)),
            Some((at, Err(Stray::Character(c)))) => Err((at, Fault::Character(c))),
            Some((at, Err(Stray::OpenValue(value)))) => {
                Err((at, Fault::OpenValue(shorten(&value))))
            }
        }
    }

    /// What is wrong with a text without a game.
    pub(super) fn no_game(&self) -> (usize, Fault) {
        (self.text.len(), Fault::Begin(shorten(self.text)))
    }
}

impl Raw {
    fn take(&mut self, property: Property, value: Value) -> Found<()> {
        let first = self.nodes <= 1;
        let single = match property {
            Property::Move(seat) => {
                if self.last_move == self.nodes {
                    return Err((value.at, Fault::TwoMoves));
                }
                self.last_move = self.nodes;
                self.moves.push((seat, value));
                return Ok(());
            }
            Property::Stones(_) | Property::Empty if !first => {
                return Err((value.at, Fault::LateSetup(value.name)));
            }
            Property::Stones(seat) => {
                self.stones.push((seat, value));
                return Ok(());
            }
            // Nothing lies on the board before the first node.
            Property::Empty => return Ok(()),
            // Whose turn it is follows from the moves from there on.
            Property::Size | Property::ToMove if !first => return Ok(()),
            Property::Size => &mut self.size,
            Property::ToMove => &mut self.to_move,
        };
        if single.is_some() {
            return Err((value.at, Fault::Repeated(value.name)));
        }
        *single = Some(value);
        Ok(())
    }
}
