//! Collects the relevant values of each game from the tokens.

use super::fault::{Located, shorten};
use super::lexer::{Lexer, Token};
use super::property::Property;
use crate::game::{PerSeat, Seat};
use crate::variant::append_line;

/// A value with its byte offset and the name of its property.
pub(super) struct Value {
    pub(super) at: usize,
    pub(super) name: &'static str,
    pub(super) text: String,
}

impl Value {
    /// A fault that begins with the property.
    pub(super) fn fault(&self, text: &str) -> (usize, String) {
        let value = shorten(&self.text);
        (self.at, format!("`{}[{value}]` {text}", self.name))
    }
}

/// A move with the annotations of its node.
pub(super) struct Move {
    pub(super) seat: Seat,
    pub(super) value: Value,
    pub(super) comment: Option<String>,
    pub(super) time_left: Option<String>,
}

/// The relevant values of a game, before they are interpreted.
#[derive(Default)]
pub(super) struct RawGame {
    /// The byte offset where the game begins.
    pub(super) at: usize,
    pub(super) size: Option<Value>,
    pub(super) to_move: Option<Value>,
    /// Stones added or removed before the first move, with the index of the node.
    pub(super) setup: Vec<(usize, Option<Seat>, Value)>,
    /// Stones added or removed later, with the number of moves before.
    pub(super) mid_game_setup: Vec<(usize, Option<Seat>, Value)>,
    pub(super) moves: Vec<Move>,
    /// The moves beside the main line, each with the number of the move before it.
    pub(super) variations: Vec<(usize, Move)>,
    pub(super) players: PerSeat<Option<String>>,
    /// Names and values of the properties of the whole game.
    pub(super) info: Vec<(&'static str, String)>,
    pub(super) comment: Option<String>,
    /// Nodes before the first move.
    nodes: usize,
}

/// The values of a node.
#[derive(Default)]
struct Node {
    to_move: Option<Value>,
    setup: Vec<(Option<Seat>, Value)>,
    moves: Vec<(Seat, Value)>,
    time_left: Vec<(Seat, String)>,
    comment: Option<String>,
}

/// Reads the games of a text, one after the other.
pub(super) struct Reader<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// For each open bracket, the number of the move before it.
    branches: Vec<usize>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            lexer: Lexer::new(text),
            branches: Vec::new(),
        }
    }

    /// Collects the relevant values from the main line of the next game, up to the bracket that ends
    /// it; `None` if there is no further game.
    pub(super) fn main_line(&mut self) -> Located<Option<RawGame>> {
        if !self.lexer.skip_to_game() {
            return Ok(None);
        }
        let mut raw = RawGame::default();
        let mut node = Node::default();
        // The current property, and whether it has a value yet.
        let mut open: Option<(usize, String, bool)> = None;
        loop {
            let (at, token) = self.token()?;
            if self.branches.is_empty() {
                raw.at = at;
            }
            if let Token::Value(text) = token {
                match &mut open {
                    Some((_, name, has_value)) => {
                        let first = !std::mem::replace(has_value, true);
                        if let Some((property, name)) = Property::find(name) {
                            raw.take(property, Value { at, name, text }, first, &mut node)?;
                        }
                    }
                    _ => return Err((at, no_property(&format!("[{}]", shorten(&text))))),
                }
                continue;
            }
            if let Some((at, name, false)) = open.take() {
                return Err((at, no_property(&shorten(&name))));
            }
            match token {
                Token::Node => raw.finish(std::mem::take(&mut node)),
                Token::Name(name) => open = Some((at, name, false)),
                Token::Open => self.branches.push(raw.moves.len() + node.moves.len()),
                Token::Close => {
                    raw.finish(node);
                    return Ok(Some(raw));
                }
                Token::Value(_) => {}
            }
        }
    }

    /// As [`Reader::main_line`], but reads to the end of the game.
    pub(super) fn game(&mut self) -> Located<Option<RawGame>> {
        let raw = self.main_line()?;
        self.skip_variations()?;
        Ok(raw)
    }

    /// Skips to the end of the game whose main line was read.
    fn skip_variations(&mut self) -> Located<()> {
        // The bracket that ended the main line.
        self.branches.pop();
        while !self.branches.is_empty() {
            match self.token()?.1 {
                Token::Open => self.branches.push(0),
                Token::Close => drop(self.branches.pop()),
                Token::Node | Token::Name(_) | Token::Value(_) => {}
            }
        }
        Ok(())
    }

    /// As [`Reader::game`], with the variations. What they hold besides moves, comments and times is
    /// skipped, faults included.
    pub(super) fn game_with_variations(&mut self) -> Located<Option<RawGame>> {
        let Some(mut raw) = self.main_line()? else {
            return Ok(None);
        };
        let mut place = self.branches.pop().unwrap_or(0);
        let mut node = Node::default();
        let mut open = None;
        while !self.branches.is_empty() {
            let (at, token) = self.token()?;
            match token {
                Token::Name(name) => open = Property::find(&name),
                Token::Value(text) => match open {
                    Some((Property::Move(seat), name)) => {
                        node.moves.push((seat, Value { at, name, text }));
                    }
                    Some((property @ (Property::Comment | Property::TimeLeft(_)), name)) => {
                        raw.note(property, Value { at, name, text }, &mut node);
                    }
                    _ => {}
                },
                Token::Node => place = raw.branch(place, std::mem::take(&mut node)),
                Token::Open => {
                    place = raw.branch(place, std::mem::take(&mut node));
                    self.branches.push(place);
                }
                Token::Close => {
                    raw.branch(place, std::mem::take(&mut node));
                    place = self.branches.pop().unwrap_or(0);
                }
            }
        }
        Ok(Some(raw))
    }

    fn token(&mut self) -> Located<(usize, Token)> {
        let Some((at, token)) = self.lexer.next() else {
            let fault = "the record ends inside the game: expected `)`";
            return Err((self.text.len(), fault.to_string()));
        };
        token.map(|token| (at, token)).map_err(|fault| (at, fault))
    }

    /// The fault of a text without a game.
    pub(super) fn no_game(&self) -> (usize, String) {
        let rest = self.text.trim_start();
        let at = self.text.len() - rest.len();
        let rest = shorten(rest);
        (
            at,
            format!("`{rest}` does not begin a game record: expected `(;`"),
        )
    }
}

/// The fault of a name without a value, a value without a name, or either before the first node.
fn no_property(text: &str) -> String {
    format!(
        "`{text}` is out of place: expected properties like `B[cc]` in nodes that begin with `;`"
    )
}

impl RawGame {
    /// Takes a value; `first` tells whether it is the first of its property.
    fn take(
        &mut self,
        property: Property,
        value: Value,
        first: bool,
        node: &mut Node,
    ) -> Located<()> {
        let repeated = |value: Value| {
            let fault = format!("`{}` has more than one value: expected one", value.name);
            Err((value.at, fault))
        };
        let single = match property {
            Property::Move(_) if !first => return repeated(value),
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
                self.note(property, value, node);
                return Ok(());
            }
        };
        // Some programs write empty values.
        if value.text.trim().is_empty() {
            return Ok(());
        }
        match single {
            Some(before) if before.name == value.name && before.text == value.text => {}
            Some(_) => return repeated(value),
            None => *single = Some(value),
        }
        Ok(())
    }

    /// Takes a value that does not concern the rules; of several, the first that is not empty.
    fn note(&mut self, property: Property, value: Value, node: &mut Node) {
        let Value { name, text, .. } = value;
        if text.is_empty() {
            return;
        }
        match property {
            Property::Comment => append_line(&mut node.comment, &text),
            Property::TimeLeft(seat) if node.time_left.iter().all(|(of, _)| *of != seat) => {
                node.time_left.push((seat, text));
            }
            Property::Player(seat) => {
                self.players[seat].get_or_insert(text.replace('\n', " "));
            }
            Property::GameInfo if self.info.iter().all(|(known, _)| *known != name) => {
                self.info.push((name, text.replace('\n', " ")));
            }
            _ => {}
        }
    }

    /// Takes the values of a complete node.
    fn finish(&mut self, node: Node) {
        let before = self.moves.len();
        if before == 0 {
            let number = self.nodes;
            self.nodes += 1;
            let setup = node.setup.into_iter();
            self.setup
                .extend(setup.map(|(seat, value)| (number, seat, value)));
            // Beside a move, `PL` names the side to move after it (GoGui writes that into every
            // node). From then on the rules tell the side to move.
            if node.moves.is_empty() {
                self.to_move = node.to_move.or(self.to_move.take());
            }
        } else {
            let late = node.setup.into_iter();
            let late = late.map(|(seat, value)| (before, seat, value));
            self.mid_game_setup.extend(late);
        }
        self.moves.extend(moves(node.moves, &node.time_left));
        if let Some(comment) = node.comment {
            let last = self.moves.last_mut();
            let own = last.map_or(&mut self.comment, |last| &mut last.comment);
            append_line(own, &comment);
        }
    }

    /// Takes the values of a complete node of a variation that continues from `place`; returns the
    /// place after it.
    fn branch(&mut self, mut place: usize, node: Node) -> usize {
        let main = self.moves.len();
        for played in moves(node.moves, &node.time_left) {
            self.variations.push((place, played));
            place = main + self.variations.len();
        }
        let own = place.checked_sub(main + 1);
        if let (Some(comment), Some((_, last))) = (
            node.comment,
            own.and_then(|own| self.variations.get_mut(own)),
        ) {
            append_line(&mut last.comment, &comment);
        }
        place
    }
}

/// The moves of a node with the times of their players.
fn moves(moves: Vec<(Seat, Value)>, times: &[(Seat, String)]) -> impl Iterator<Item = Move> {
    moves.into_iter().map(|(seat, value)| {
        let time_left = times.iter().find(|(other, _)| *other == seat);
        Move {
            seat,
            value,
            comment: None,
            time_left: time_left.map(|(_, text)| text.clone()),
        }
    })
}
