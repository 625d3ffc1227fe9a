//! From the words of a text to the values that matter, game by game.

use super::fault::{Fault, Found, shorten};
use super::lexer::{Lexer, Stray, Token};
use super::property::{About, Property};
use crate::game::{PerSeat, Seat};

/// A value with where it stands.
pub(super) struct Value {
    pub(super) at: usize,
    pub(super) name: &'static str,
    pub(super) text: String,
}

/// A move with what its node says of it.
pub(super) struct Move {
    pub(super) seat: Seat,
    pub(super) value: Value,
    pub(super) comment: Option<String>,
    pub(super) time_left: Option<String>,
}

/// The values that matter in one game, before the size of the board is known.
#[derive(Default)]
pub(super) struct Raw {
    /// Where the game begins.
    pub(super) at: usize,
    pub(super) size: Option<Value>,
    pub(super) to_move: Option<Value>,
    /// Stones set up, or taken off, before the first move, with the number of the node.
    pub(super) setup: Vec<(usize, Option<Seat>, Value)>,
    /// The same later, with the number of moves before.
    pub(super) late: Vec<(usize, Option<Seat>, Value)>,
    pub(super) moves: Vec<Move>,
    pub(super) players: PerSeat<Option<String>>,
    pub(super) about: Vec<(About, String)>,
    pub(super) comment: Option<String>,
    /// Whether there was a node.
    begun: bool,
    /// Nodes before the first move.
    nodes: usize,
}

/// What one node says.
#[derive(Default)]
struct Node {
    to_move: Option<Value>,
    setup: Vec<(Option<Seat>, Value)>,
    moves: Vec<(Seat, Value)>,
    time_left: Vec<(Seat, String)>,
    comment: Option<String>,
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
    /// the bracket that ends it; none if no further game begins.
    pub(super) fn main_line(&mut self) -> Found<Option<Raw>> {
        if !self.lexer.skip_to_game() {
            return Ok(None);
        }
        let mut raw = Raw::default();
        let mut node = Node::default();
        // The property whose values are being read, and whether it has one yet.
        let mut open: Option<(usize, String, bool)> = None;
        loop {
            let (at, word) = self.word()?;
            if self.depth == 0 {
                raw.at = at;
            }
            if let Token::Value(text) = word {
                match &mut open {
                    Some((_, name, has_value)) if raw.begun => {
                        let first = !std::mem::replace(has_value, true);
                        if let Some((property, name)) = Property::find(name) {
                            raw.take(property, Value { at, name, text }, first, &mut node)?;
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
                Token::Node => {
                    raw.finish(std::mem::take(&mut node));
                    raw.begun = true;
                }
                Token::Name(name) => open = Some((at, name, false)),
                Token::Open => self.depth += 1,
                Token::Close if raw.begun => {
                    self.depth -= 1;
                    raw.finish(node);
                    return Ok(Some(raw));
                }
                Token::Close => return Err((at, Fault::Character(')'))),
                Token::Value(_) => {}
            }
        }
    }

    /// The same, and goes on to the end of that game.
    pub(super) fn game(&mut self) -> Found<Option<Raw>> {
        let raw = self.main_line()?;
        self.skip_variations()?;
        Ok(raw)
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
        let rest = self.text.trim_start();
        let at = self.text.len() - rest.len();
        (at, Fault::Begin(shorten(rest)))
    }
}

impl Raw {
    /// Takes a value, the `first` of its property or a further one.
    fn take(
        &mut self,
        property: Property,
        value: Value,
        first: bool,
        node: &mut Node,
    ) -> Found<()> {
        let single = match property {
            Property::Move(_) if !first => {
                return Err((value.at, Fault::Repeated(value.name)));
            }
            Property::Move(seat) => {
                node.moves.push((seat, value));
                return Ok(());
            }
            Property::Stones(seat) => {
                node.setup.push((seat, value));
                return Ok(());
            }
            Property::Size => &mut self.size,
            Property::ToMove => &mut node.to_move,
            _ => {
                self.note(property, value.text, node);
                return Ok(());
            }
        };
        // Some programs write values that say nothing.
        if value.text.trim().is_empty() {
            return Ok(());
        }
        match single {
            Some(before) if before.name == value.name && before.text == value.text => {}
            Some(_) => return Err((value.at, Fault::Repeated(value.name))),
            None => *single = Some(value),
        }
        Ok(())
    }

    /// Notes what means nothing to the rules; of several values the first that says something.
    fn note(&mut self, property: Property, text: String, node: &mut Node) {
        if text.is_empty() {
            return;
        }
        match property {
            Property::Comment => append(&mut node.comment, text),
            Property::TimeLeft(seat) if node.time_left.iter().all(|(of, _)| *of != seat) => {
                node.time_left.push((seat, text));
            }
            Property::Player(seat) => {
                self.players[seat].get_or_insert(text.replace('\n', " "));
            }
            Property::About(about) if self.about.iter().all(|(known, _)| *known != about) => {
                self.about.push((about, text.replace('\n', " ")));
            }
            _ => {}
        }
    }

    /// Takes over what a node says as a whole.
    fn finish(&mut self, node: Node) {
        let before = self.moves.len();
        if before == 0 {
            let number = self.nodes;
            self.nodes += 1;
            let setup = node.setup.into_iter();
            self.setup
                .extend(setup.map(|(seat, value)| (number, seat, value)));
            // In a node with a move it says whose turn comes after that move: GoGui writes it into
            // every one. From then on the rules say whose turn it is.
            if node.moves.is_empty() {
                self.to_move = node.to_move.or(self.to_move.take());
            }
        } else {
            let late = node.setup.into_iter();
            let late = late.map(|(seat, value)| (before, seat, value));
            self.late.extend(late);
        }
        for (seat, value) in node.moves {
            let time_left = node.time_left.iter().find(|(other, _)| *other == seat);
            self.moves.push(Move {
                seat,
                value,
                comment: None,
                time_left: time_left.map(|(_, text)| text.clone()),
            });
        }
        if let Some(comment) = node.comment {
            let last = self.moves.last_mut();
            append(
                last.map_or(&mut self.comment, |last| &mut last.comment),
                comment,
            );
        }
    }
}

/// Adds a comment to what was said before.
pub(super) fn append(comment: &mut Option<String>, more: String) {
    match comment {
        Some(text) => {
            text.push('\n');
            text.push_str(&more);
        }
        None => *comment = Some(more),
    }
}
