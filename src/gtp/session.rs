//! A session: the state behind the protocol, over lines in and text out.

use std::sync::Arc;
use std::time::Instant;

use super::command::{Answer, Call, find};
use super::parse::{GtpError, format_reply, parse_line};
use crate::clock::{Clock, TimeControl};
use crate::engine::Engine;
use crate::game::{PerSeat, Seat};
use crate::params::Params;
use crate::play::{Code, SharedStart};
use crate::search::Limits;
use crate::start::Configuration;

/// What a running search is told when it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Go on to the limit.
    GoOn,
    /// Answer at once with the best move so far.
    AnswerNow,
    /// Nobody waits for the answer any more: give none.
    Abandon,
}

/// When a command came, and what ends its search early.
pub struct Control<'a> {
    /// The moment from which time limits count.
    pub received: Instant,
    /// Asked again and again while a search runs, by all its workers.
    pub signal: &'a (dyn Fn() -> Signal + Sync),
    /// Whether another line has come since, which ends an analysis; asked likewise.
    pub has_news: &'a (dyn Fn() -> bool + Sync),
    /// Takes text that is sent before the answer is complete.
    pub send: &'a dyn Fn(&str),
    /// Takes what is drawn beside the answer while the engine thinks.
    pub draw: &'a dyn Fn(&str),
}

impl<'a> Control<'a> {
    /// Control of a command after which another one waits already; what is sent before the
    /// answer is complete is lost.
    pub fn new(received: Instant, signal: &'a (dyn Fn() -> Signal + Sync)) -> Self {
        Self {
            received,
            signal,
            has_news: &|| true,
            send: &|_| {},
            draw: &|_| {},
        }
    }
}

/// What a line led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The text to send, empty line included; none for lines without a command,
    /// and for a search that was abandoned.
    pub text: Option<String>,
    /// The session is over: `quit` was received.
    pub quit: bool,
    /// A search was abandoned, or not begun, as [`Signal::Abandon`] said.
    pub abandoned: bool,
}

/// An entry of the history, which `undo` takes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// Something was played, or somebody left.
    Played,
    /// A pass in a finished game, which changed nothing.
    Pass,
}

/// What the argument of a move stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Moves that one side makes in a row.
    Turn(Vec<Code>),
    /// `pass`.
    Pass,
}

/// A session over the protocol. It reads and writes no stream; the only things
/// from outside that it reads are the files that commands name, and the time.
///
/// ```
/// use std::time::Instant;
/// use tanada::gtp::{Control, Session, Signal};
/// use tanada::{params::Params, start::Configuration};
///
/// let nine = Configuration::new(Some(9), None, None)?;
/// let mut session = Session::new(nine, Params::default());
/// let control = Control::new(Instant::now(), &|| Signal::GoOn);
/// let response = session.execute(b"7 play b B3", &control);
/// assert_eq!(response.text.as_deref(), Some("=7 \n\n"));
/// # Ok::<(), tanada::start::StartError>(())
/// ```
pub struct Session {
    configuration: Configuration,
    engine: Engine,
    history: Vec<Entry>,
    clocks: PerSeat<Clock>,
    explicit_time: bool,
    /// Moves running at which each colour's winning chance was below `resign`.
    weak_moves: PerSeat<u32>,
    /// What the last search of this game found, as a line.
    last_search: Option<String>,
    /// The front end draws what it is sent while the engine thinks.
    is_gogui: bool,
    /// The position to think on about while nobody asks, as [`Session::place`] gives it.
    pondered: Option<(usize, u64)>,
}

impl Session {
    /// A session at the configured start, without clocks.
    pub fn new(configuration: Configuration, params: Params) -> Self {
        Self::with_weights(configuration, params, None)
    }

    /// The same with other weights of the evaluation than the embedded ones.
    pub fn with_weights(
        configuration: Configuration,
        params: Params,
        weights: Option<Arc<str>>,
    ) -> Self {
        let start = configuration.start().clone();
        Self {
            engine: Engine::with_weights(start, params, weights),
            configuration,
            history: Vec::new(),
            clocks: clocks(TimeControl::Unlimited),
            explicit_time: false,
            weak_moves: PerSeat::default(),
            last_search: None,
            is_gogui: false,
            pondered: None,
        }
    }

    /// Whether the time for each move was asked for: only then it holds beside a
    /// limit of iterations. Setting `time_per_move` by command asks for it as well.
    #[must_use]
    pub fn with_explicit_time(mut self, explicit: bool) -> Self {
        self.explicit_time = explicit;
        self
    }

    /// The game and the searcher.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The configured start.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Executes one line: a command, a comment, anything.
    pub fn execute(&mut self, line: &[u8], control: &Control<'_>) -> Response {
        let Some(line) = parse_line(line) else {
            return Response::default();
        };
        let call = Call {
            line: &line,
            control,
        };
        let answer = match find(&line.name, &self.engine) {
            Some(command) => (command.run)(self, &call),
            None => Err(GtpError::UnknownCommand),
        };
        let (reply, quit) = match answer {
            Ok(Answer::Text(text)) => (Ok(text), false),
            Ok(Answer::Quit) => (Ok(String::new()), true),
            // The beginning has been sent.
            Ok(Answer::Rest(text)) => {
                return Response {
                    text: Some(text),
                    ..Response::default()
                };
            }
            Ok(Answer::Abandoned) => {
                return Response {
                    abandoned: true,
                    ..Response::default()
                };
            }
            Err(error) => (Err(error.to_string()), false),
        };
        Response {
            text: Some(format_reply(line.id, &reply)),
            quit,
            abandoned: false,
        }
    }

    /// A new game from the configured start, with full clocks.
    pub(super) fn new_game(&mut self) {
        self.begin(self.configuration.start().clone());
        for clock in &mut self.clocks.0 {
            clock.reset();
        }
    }

    /// A new game from a start that need not be the configured one. The clocks run
    /// on.
    pub(super) fn begin(&mut self, start: SharedStart) {
        self.engine.restart(start);
        self.history.clear();
        self.weak_moves = PerSeat::default();
        self.last_search = None;
    }

    /// Another configuration and a new game from it.
    pub(super) fn configure(&mut self, configuration: Configuration) {
        self.configuration = configuration;
        self.new_game();
    }

    /// Other clocks for everyone, full ones.
    pub(super) fn set_clocks(&mut self, control: TimeControl) {
        self.clocks = clocks(control);
    }

    /// The clock of a colour.
    pub(super) fn clock(&mut self, seat: Seat) -> &mut Clock {
        &mut self.clocks[seat]
    }

    /// Takes over settings of which `changed` was set.
    pub(super) fn set_params(&mut self, params: Params, changed: &str) {
        let seed = params.seed;
        self.engine.set_params(params);
        match changed {
            // The same seed starts the stream anew, too.
            "seed" => self.engine.reseed(seed),
            "time_per_move" => self.explicit_time = true,
            _ => {}
        }
    }

    /// Whether the time for each move was asked for.
    pub(super) fn has_explicit_time(&self) -> bool {
        self.explicit_time
    }

    /// The game, and what thinks about it.
    pub(super) fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Whether graphics are drawn while the engine thinks.
    pub(super) fn is_gogui(&self) -> bool {
        self.is_gogui
    }

    /// Draws graphics from now on.
    pub(super) fn set_gogui(&mut self) {
        self.is_gogui = true;
    }

    /// Where the game is: the number of entries and the position's hash.
    fn place(&self) -> (usize, u64) {
        (self.history.len(), self.engine.hash())
    }

    /// From now on the time until something else is played may be used to think on, or not.
    pub(super) fn allow_pondering(&mut self, allowed: bool) {
        self.pondered = allowed.then(|| self.place());
    }

    /// Thinks on about the position that a `genmove` left, if the parameter `ponder` says so,
    /// until `stop` returns true.
    pub(super) fn ponder(&mut self, stop: &(dyn Fn() -> bool + Sync)) {
        let is_wanted = self.engine.params().ponder > 0
            && self.pondered.is_some_and(|place| place == self.place())
            && !self.engine.is_over();
        if is_wanted && !stop() {
            self.engine.search(&Limits::default(), stop);
        }
    }

    /// Keeps what a search found, for [`Session::last_search`].
    pub(super) fn note_search(&mut self, line: String) {
        self.last_search = Some(line);
    }

    /// What the last search of this game found.
    pub(super) fn last_search(&self) -> Option<&str> {
        self.last_search.as_deref()
    }

    /// Notes the winning chance at a move of `seat`; how many moves running it was
    /// below the limit now.
    pub(super) fn note_chance(&mut self, seat: Seat, chance: f64) -> u32 {
        let weak = &mut self.weak_moves[seat];
        let below = chance < self.engine.params().resign;
        *weak = if below { weak.saturating_add(1) } else { 0 };
        *weak
    }

    /// Plays moves of a colour, all or none.
    pub(super) fn play(&mut self, seat: Seat, mv: &Move) -> Result<(), GtpError> {
        match mv {
            Move::Pass if self.engine.is_over() => self.history.push(Entry::Pass),
            Move::Pass => return Err(GtpError::IllegalMove),
            Move::Turn(codes) => {
                let played = self.engine.play_turn(seat, codes);
                played.map_err(|_| GtpError::IllegalMove)?;
                self.history.extend(codes.iter().map(|_| Entry::Played));
            }
        }
        Ok(())
    }

    /// Takes a player out of the game.
    pub(super) fn leave(&mut self, seat: Seat) -> Result<(), GtpError> {
        self.engine.leave(seat).map_err(|_| GtpError::IllegalMove)?;
        self.history.push(Entry::Played);
        Ok(())
    }

    /// Plays all moves, or none if one of them is illegal.
    pub(super) fn play_all(&mut self, moves: &[(Seat, Move)]) -> Result<(), GtpError> {
        let before = self.history.len();
        for (seat, mv) in moves {
            if let Err(error) = self.play(*seat, mv) {
                self.go_back_to(before);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Takes the last `number` moves back.
    pub(super) fn undo(&mut self, number: usize) -> Result<(), GtpError> {
        let left = self.history.len().checked_sub(number);
        self.go_back_to(left.ok_or(GtpError::CannotUndo)?);
        self.weak_moves = PerSeat::default();
        Ok(())
    }

    /// How many entries the history has.
    pub(super) fn played(&self) -> usize {
        self.history.len()
    }

    /// Takes back what came after that many entries.
    pub(super) fn go_back_to(&mut self, length: usize) {
        while self.history.len() > length {
            if self.history.pop() == Some(Entry::Played) {
                self.engine.undo();
            }
        }
    }
}

fn clocks(control: TimeControl) -> PerSeat<Clock> {
    PerSeat(std::array::from_fn(|_| Clock::new(control)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::tanbo::{Setup, colour, diagram};

    /// A session with one thread, a fixed seed and few iterations.
    pub(in crate::gtp) fn session(side: usize) -> Session {
        let params = Params {
            threads: 1,
            memory: 16,
            seed: 1,
            iterations: 50,
            ..Params::default()
        };
        Session::new(Configuration::new(Some(side), None, None).unwrap(), params)
    }

    /// What a line is answered with, without the empty line.
    pub(in crate::gtp) fn answer(session: &mut Session, line: &str) -> String {
        let sent = std::cell::RefCell::new(String::new());
        let control = Control {
            send: &|text| sent.borrow_mut().push_str(text),
            ..Control::new(Instant::now(), &|| Signal::GoOn)
        };
        let rest = session.execute(line.as_bytes(), &control).text.unwrap();
        let text = sent.into_inner() + &rest;
        let text = text.strip_suffix("\n\n").unwrap();
        assert!(!text.contains("\n\n"), "{text:?}");
        text.to_string()
    }

    /// Plays a game to its end with random moves; the winner.
    pub(in crate::gtp) fn play_out(session: &mut Session) -> Seat {
        let mut random = crate::random::Random::new(7);
        while session.engine().winner().is_none() {
            let engine = session.engine();
            let seat = engine.to_move();
            let legal = engine.legal();
            let vertex = engine.name(legal[random.below(legal.len() as u32) as usize]);
            let line = format!("play {} {vertex}", colour::word(seat));
            assert_eq!(answer(session, &line), "= ");
        }
        session.engine().winner().unwrap()
    }

    /// The stones of the position.
    pub(in crate::gtp) fn setup(session: &Session) -> Setup {
        let engine = session.engine();
        crate::tanbo::ruleset::setup(engine.stones().unwrap(), engine.to_move())
    }

    fn board(session: &Session) -> String {
        diagram::write(&setup(session))
    }

    #[test]
    fn pondering_is_on_request_and_only_after_a_move_of_its_own() {
        let mut session = session(9);
        let ponders = |session: &mut Session| {
            let asked = std::sync::atomic::AtomicU32::new(0);
            let count = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            session.ponder(&|| count() > 3);
            asked.into_inner() > 0
        };
        answer(&mut session, "genmove b");
        assert!(!ponders(&mut session), "off by default");
        answer(&mut session, "tanada-param ponder 1");
        for (line, expected) in [
            ("name", true),
            ("kata-analyze 1", true),
            ("play b A1", true),
            ("stop", false),
            ("genmove w", true),
            ("undo", false),
            ("genmove w", true),
            ("clear_board", false),
            ("play b B3", false),
        ] {
            answer(&mut session, line);
            assert_eq!(ponders(&mut session), expected, "{line}");
        }
        play_out(&mut session);
        answer(&mut session, "genmove b");
        assert!(!ponders(&mut session), "the game is over");
    }

    #[test]
    fn lines_without_commands_have_no_answer() {
        let mut session = session(9);
        let control = Control::new(Instant::now(), &|| Signal::GoOn);
        for line in [&b""[..], b"\n", b" \t\r\n", b"# interrupt", b"\x00"] {
            assert_eq!(session.execute(line, &control), Response::default());
        }
        let response = session.execute(b"3 quit", &control);
        assert_eq!(response.text.as_deref(), Some("=3 \n\n"));
        assert!(response.quit);
    }

    #[test]
    fn a_wrong_turn_is_an_illegal_move_and_changes_nothing() {
        let mut session = session(9);
        assert_eq!(answer(&mut session, "play b B3"), "= ");
        let before = board(&session);
        for line in [
            "play b B4",
            "play w B4",
            "play w B3",
            "play w pass",
            "play r B9",
        ] {
            assert_eq!(answer(&mut session, line), "? illegal move", "{line}");
        }
        for line in [
            "play",
            "play b",
            "play x B3",
            "play w Z9",
            "play w K1",
            "play w I1",
        ] {
            assert_eq!(answer(&mut session, line), "? syntax error", "{line}");
        }
        assert_eq!(board(&session), before);
    }

    #[test]
    fn a_finished_game_answers_by_who_won() {
        for side in [5, 6, 7] {
            let mut session = session(side);
            let winner = play_out(&mut session);
            let loser = if winner == colour::BLACK { "w" } else { "b" };
            let (word, letter) = (colour::word(winner), colour::letter(winner));
            let before = board(&session);
            assert_eq!(
                answer(&mut session, &format!("genmove {loser}")),
                "= resign"
            );
            assert_eq!(answer(&mut session, &format!("genmove {word}")), "= pass");
            assert_eq!(answer(&mut session, "play b pass"), "= ");
            assert_eq!(answer(&mut session, "play w PASS"), "= ");
            assert_eq!(answer(&mut session, "play w A1"), "? illegal move");
            assert_eq!(answer(&mut session, "final_score"), format!("= {letter}+"));
            assert_eq!(answer(&mut session, "gogui-rules_legal_moves"), "= ");
            assert_eq!(
                answer(&mut session, "gogui-rules_side_to_move"),
                format!("= {word}")
            );
            assert!(answer(&mut session, "gogui-rules_final_result").ends_with(" wins"));
            assert_eq!(answer(&mut session, "gg-undo 3"), "= ");
            assert_eq!(board(&session), before);
            assert_eq!(answer(&mut session, "undo"), "= ");
            assert_eq!(answer(&mut session, "final_score"), "? cannot score");
        }
    }

    #[test]
    fn sequences_are_played_whole_or_not_at_all() {
        let mut session = session(9);
        let before = board(&session);
        let line = "gogui-play_sequence b B3 w B7 b B5 w A1";
        assert_eq!(answer(&mut session, line), "? illegal move");
        assert_eq!(
            answer(&mut session, "gogui-play_sequence b B3 w"),
            "? syntax error"
        );
        assert_eq!(board(&session), before);
        assert_eq!(answer(&mut session, "undo"), "? cannot undo");
        assert_eq!(
            answer(&mut session, "gogui-play_sequence b B3 w B7 b B4"),
            "= "
        );
        assert_eq!(answer(&mut session, "gg-undo 4"), "? cannot undo");
        assert_eq!(answer(&mut session, "gg-undo 3"), "= ");
        assert_eq!(board(&session), before);
    }

    #[test]
    fn setting_up_replaces_the_game_or_changes_nothing() {
        let mut session = session(5);
        assert_eq!(answer(&mut session, "play b A2"), "= ");
        let before = board(&session);
        let refused = answer(&mut session, "gogui-setup w A1 w B1 w A2 w B2");
        for part in ["loop", "1 of at least two", "black is to move"] {
            assert!(
                refused.starts_with("? ") && refused.contains(part),
                "{refused}"
            );
        }
        for line in [
            "gogui-setup",
            "gogui-setup b A1 b A1 w C3",
            "gogui-setup x A1",
            "gogui-setup b A9",
        ] {
            assert!(answer(&mut session, line).starts_with("? "), "{line}");
        }
        assert_eq!(board(&session), before);
        assert_eq!(answer(&mut session, "undo"), "= ");
        assert_eq!(answer(&mut session, "gogui-setup b A1 w C3"), "= ");
        assert_eq!(answer(&mut session, "gogui-rules_side_to_move"), "= black");
        assert_eq!(answer(&mut session, "gogui-setup_player w"), "= ");
        assert_eq!(answer(&mut session, "gogui-rules_side_to_move"), "= white");
        assert!(answer(&mut session, "gogui-setup_player r").contains("red is to move"));
        assert_eq!(answer(&mut session, "gogui-rules_side_to_move"), "= white");
        assert_eq!(answer(&mut session, "undo"), "? cannot undo");
        assert_eq!(answer(&mut session, "clear_board"), "= ");
        assert_eq!(session.engine().start(), session.configuration().start());
    }

    #[test]
    fn captured_stones_are_counted_for_both_sides() {
        let mut session = session(5);
        assert_eq!(answer(&mut session, "gogui-rules_captured_count"), "= 0 0");
        let winner = play_out(&mut session);
        let engine = session.engine();
        let black = engine.moves().filter(|m| m.0 == colour::BLACK).count() + 2;
        let white = engine.moves().filter(|m| m.0 == colour::WHITE).count() + 2;
        let left = setup(&session).stones.len();
        let expected = if winner == colour::BLACK {
            format!("= {white} {}", black - left)
        } else {
            format!("= {} {black}", white - left)
        };
        assert_eq!(answer(&mut session, "gogui-rules_captured_count"), expected);
    }

    #[test]
    fn parameters_are_shown_and_set() {
        let mut session = session(5);
        let all = answer(&mut session, "tanada-param");
        assert!(
            all.starts_with("= [list/linear/playout/greedy] leaf linear\n"),
            "{all}"
        );
        assert!(all.contains("\n[string] iterations 50\n"), "{all}");
        assert_eq!(answer(&mut session, "tanada-param iterations"), "= 50");
        assert_eq!(answer(&mut session, "tanada-param preset"), "= linear");
        assert_eq!(answer(&mut session, "tanada-param preset uct"), "= ");
        assert_eq!(answer(&mut session, "tanada-param preset"), "= uct");
        assert_eq!(answer(&mut session, "tanada-param playout_redraws 1"), "= ");
        assert_eq!(answer(&mut session, "tanada-param preset"), "= custom");
        assert_eq!(answer(&mut session, "tanada-param iterations"), "= 50");
        for (line, part) in [
            ("tanada-param speed", "unknown parameter `speed`"),
            ("tanada-param speed 1", "unknown parameter `speed`"),
            ("tanada-param resign 2", "`2` is no value of `resign`"),
            ("tanada-param preset best", "unknown preset `best`"),
            ("tanada-param resign 0 1", "`1` is one word too many"),
        ] {
            let text = answer(&mut session, line);
            assert!(text.starts_with("? ") && text.contains(part), "{text}");
        }
    }

    #[test]
    fn boardsize_begins_a_new_game() {
        let mut session = session(9);
        answer(&mut session, "play b B3");
        assert_eq!(answer(&mut session, "boardsize 7"), "= ");
        assert_eq!(
            session.engine().start().text().matches(['X', 'O']).count(),
            16
        );
        for (line, text) in [
            ("boardsize 3", "? unacceptable size"),
            ("boardsize 22", "? unacceptable size"),
            ("boardsize -9", "? unacceptable size"),
            ("boardsize 99999999999999999999999", "? unacceptable size"),
            ("boardsize 9 13", "? unacceptable size"),
            ("boardsize", "? syntax error"),
            ("boardsize nine", "? syntax error"),
            ("boardsize 9.5", "? syntax error"),
        ] {
            assert_eq!(answer(&mut session, line), text, "{line}");
            assert_eq!(session.engine().start().side(), 7);
        }
        assert_eq!(answer(&mut session, "boardsize 9 9"), "= ");
        assert!(session.engine().events().is_empty());
    }
}
