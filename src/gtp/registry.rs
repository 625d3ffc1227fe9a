//! The table of all commands, and what follows from it: how a line is executed, `help`,
//! `list_commands`, `known_command`, GoGui's menu, and the test of `protocol.md`.
//!
//! To add a command:
//! 1. Write a handler `fn(&mut Session, &Call) -> Reply` in the file of its kind: `play`, `analyze`,
//!    `search_info` and so on.
//! 2. Add a row to the table: name, arguments, handler, and one sentence for `help`.
//! 3. Describe it in `protocol.md`, under the heading that the failing test asks for.
//!
//! A command for people to look at a position also gets a line in `gogui_analyze::MENU`.
//!
//! Handlers know the session but not this table, so [`Session::execute`] is defined here.

use super::analyze::Dialect::{Kata, Leela};
use super::analyze::{self, analyze, genmove_analyze};
use super::call::{Answer, Call, Control, Reply, done};
use super::gogui_analyze::MENU;
use super::parse::{GtpError, format_reply, parse_line};
use super::session::Session;
use super::{
    client, genmove, gogui, gogui_analyze, play, records, regress, search_info, settings, state,
    time,
};
use crate::clock::TIME_CONTROL_NAMES;
use crate::engine::Engine;

/// The games that have a command, by what they offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All games.
    Any,
    /// Games of stones on points, which front ends for Go can show.
    Stones,
    /// Games with records in SGF.
    Sgf,
    /// Games without stones.
    NoStones,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// The name, as clients send it.
    pub name: &'static str,
    /// The arguments: words in capitals stand for values, brackets enclose what may be left out,
    /// `...` means that the rest may be repeated.
    pub(crate) arguments: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
    /// The games that have it.
    pub scope: Scope,
    run: fn(&mut Session, &Call<'_>) -> Reply,
}

impl Command {
    pub(crate) fn serves(&self, engine: &Engine) -> bool {
        match self.scope {
            Scope::Any => true,
            Scope::Stones => engine.stones().is_some(),
            Scope::Sgf => engine.variant().records().is_sgf(),
            Scope::NoStones => engine.stones().is_none(),
        }
    }

    /// The name with the arguments.
    pub fn usage(&self) -> String {
        format!("{} {}", self.name, self.arguments)
            .trim_end()
            .to_string()
    }

    /// Runs the handler. GTP 2 fixes the error texts of its own commands; a `syntax error` of any
    /// other command shows the right form.
    fn execute(&self, session: &mut Session, call: &Call<'_>) -> Reply {
        (self.run)(session, call).map_err(|error| match error {
            GtpError::SyntaxError if STANDARD.split(' ').all(|name| name != self.name) => {
                GtpError::Other(format!("{error}: expected `{}`", self.usage()))
            }
            error => error,
        })
    }
}

/// What a line led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The text to send, with its empty line. There is no text for a line without a command or
    /// for an abandoned search.
    pub text: Option<String>,
    /// The session is over: `quit` was received.
    pub quit: bool,
    /// A search was abandoned, or not started, because of `Signal::Abandon`.
    pub abandoned: bool,
}

impl Session {
    /// Executes one line: a command, a comment, or any bytes.
    #[doc(hidden)]
    pub fn execute(&mut self, line: &[u8], control: &Control<'_>) -> Response {
        let Some(line) = parse_line(line) else {
            return Response::default();
        };
        let call = Call {
            id: line.id,
            arguments: &line.arguments,
            control,
        };
        let command = find(&line.name, self).ok_or(GtpError::UnknownCommand);
        let reply = command.and_then(|command| command.execute(self, &call));
        let form = |reply| Some(format_reply(line.id, reply));
        let (text, quit) = match reply {
            Ok(Answer::Text(text)) => (form(Ok(&text)), false),
            Ok(Answer::Rest(text)) => (Some(text), false),
            Ok(Answer::Quit) => (form(Ok("")), true),
            Ok(Answer::Abandoned) => (None, false),
            Err(error) => (form(Err(&error.to_string())), false),
        };
        Response {
            abandoned: text.is_none(),
            text,
            quit,
        }
    }
}

fn served(session: &Session) -> impl Iterator<Item = &'static Command> {
    COMMANDS
        .iter()
        .filter(|command| command.serves(session.engine()))
}

/// The command with this name, which is case-sensitive.
fn find(name: &str, session: &Session) -> Option<&'static Command> {
    served(session).find(|command| command.name == name)
}

fn known_command(session: &mut Session, call: &Call<'_>) -> Reply {
    let found = call.optional(0).and_then(|name| find(name, session));
    Ok(found.is_some().to_string().into())
}

fn list_commands(session: &mut Session, _: &Call<'_>) -> Reply {
    let names: Vec<&str> = served(session).map(|command| command.name).collect();
    Ok(names.join("\n").into())
}

fn help(session: &mut Session, call: &Call<'_>) -> Reply {
    let wanted: Vec<&Command> = match call.optional(0) {
        Some(name) => vec![find(name, session).ok_or(GtpError::UnknownCommand)?],
        None => served(session).collect(),
    };
    let line = |command: &&Command| format!("{}: {}", command.usage(), command.doc);
    let lines: Vec<String> = wanted.iter().map(line).collect();
    Ok(lines.join("\n").into())
}

fn menu(session: &mut Session, _: &Call<'_>) -> Reply {
    let exists = |line: &&str| {
        let command = line.rsplit('/').next().unwrap_or_default();
        let name = command.split(' ').next().unwrap_or_default();
        find(name, session).is_some()
    };
    let lines: Vec<&str> = MENU.into_iter().filter(exists).collect();
    Ok(lines.join("\n").into())
}

/// The commands of [GTP 2](https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html)
/// that Tanada has.
const STANDARD: &str = "\
    boardsize clear_board final_score final_status_list genmove known_command komi list_commands \
    loadsgf name play protocol_version quit reg_genmove showboard time_left time_settings undo \
    version";

macro_rules! table {
    ($(@$scope:ident $($name:literal $arguments:literal $run:expr => $doc:literal;)+)+) => {
        /// All commands.
        pub const COMMANDS: &[Command] = &[$($(Command {
            name: $name,
            arguments: $arguments,
            doc: $doc,
            scope: Scope::$scope,
            run: $run,
        },)+)+];
    };
}

table! {
    @Any
    "protocol_version" "" |_, _| Ok("2".into()) => "The protocol version, 2.";
    "name" "" |_, _| Ok("Tanada".into()) => "The engine's name.";
    "version" "" |_, _| Ok(env!("CARGO_PKG_VERSION").into()) => "The engine's version.";
    "known_command" "NAME" known_command => "Whether a command exists: `true` or `false`.";
    "list_commands" "" list_commands => "The names of all commands, one per line.";
    "help" "[NAME]" help => "Describes a command, or all commands.";
    "quit" "" |_, _| Ok(Answer::Quit) => "Ends the session.";
    "boardsize" "SIZE" play::boardsize => "Sets the board size and starts a new game.";
    "clear_board" "" play::clear_board => "Starts a new game from the configured start.";
    "komi" "NUMBER" play::komi => "Accepted and ignored.";
    "play" "COLOR MOVE" play::play => "Plays a move of the side to move, or all moves of its turn.";
    "genmove" "COLOR" genmove::genmove => "Searches for a move, or for the rest of a turn, plays it and returns it.";
    "lz-analyze" "[COLOR] [INTERVAL] [KEY VALUE ...]" |session, call| analyze(session, call, Leela) => "Analyses the position until the next line arrives, in Leela Zero's format.";
    "kata-analyze" "[COLOR] [INTERVAL] [KEY VALUE ...]" |session, call| analyze(session, call, Kata) => "Analyses the position until the next line arrives, in KataGo's format.";
    "lz-genmove_analyze" "COLOR [INTERVAL] [KEY VALUE ...]" |session, call| genmove_analyze(session, call, Leela) => "Plays like `genmove` and shows its analysis, in Leela Zero's format.";
    "kata-genmove_analyze" "COLOR [INTERVAL] [KEY VALUE ...]" |session, call| genmove_analyze(session, call, Kata) => "Plays like `genmove` and shows its analysis, in KataGo's format.";
    "kata-search_cancellable" "COLOR" genmove::search_cancellable => "Searches like `genmove` without playing; answers `cancelled` if another line arrives first.";
    "stop" "" analyze::stop => "Stops pondering until the next `genmove`.";
    "undo" "" play::undo => "Takes back the last move.";
    "gg-undo" "[NUMBER]" play::undo_several => "Takes back several moves.";
    "showboard" "" play::showboard => "The board with coordinates.";
    "final_score" "" play::final_score => "The winner of a finished game, such as `B+`; `0` for a draw.";
    "time_settings" "MAIN PERIOD STONES" time::time_settings => "Sets the clocks: main time, then overtime periods for a number of stones.";
    "time_left" "COLOR TIME STONES" time::time_left => "Sets the time left on a clock.";
    "kata-time_settings" "KIND [NUMBER ...]" time::kata_time_settings => "Sets the clocks, with Fischer and byo-yomi among the kinds.";
    "kata-list_time_settings" "" |_, _| Ok(TIME_CONTROL_NAMES.join(" ").into()) => "The kinds of `kata-time_settings`.";
    "gogui-interrupt" "" |_, _| done() => "Tells GoGui that the comment `# interrupt` ends a search.";
    "gogui-play_sequence" "[COLOR MOVE ...]" play::play_sequence => "Plays several moves, all or none.";
    "gogui-rules_game_id" "" gogui::game_id => "The name of the game.";
    "gogui-rules_board_size" "" gogui::board_size => "The number of points in a row.";
    "gogui-rules_side_to_move" "" gogui::side_to_move => "The side to move, or the winner of a finished game.";
    "gogui-rules_final_result" "" gogui::final_result => "Who won, in words.";
    "reg_genmove" "COLOR" regress::reg_genmove => "Searches for a move without playing it; the same position always gets the same answer.";
    "cputime" "" client::cputime => "The processor time used by the engine, in seconds.";
    "clear_cache" "" client::clear_cache => "Drops the search tree.";
    "gogui-version" "VERSION" client::gogui_version => "Turns on graphics during searches, which GoGui reads from standard error.";
    "gogui-title" "" client::title => "A title for a window.";
    "gogui-analyze_commands" "" menu => "The entries of GoGui's menu of analyze commands.";
    "gomill-cpu_time" "" client::cputime => "Same as `cputime`.";
    "gomill-explain_last_move" "" search_info::explain_last_move => "Explains the result of the last search to a person.";
    "gomill-describe_engine" "" client::describe_engine => "Version and parameters, for a person.";
    "kata-get-param" "NAME" settings::kata_get_param => "The value of a parameter.";
    "kata-set-param" "NAME VALUE" settings::kata_set_param => "Changes a parameter.";
    "kata-list-params" "" settings::kata_list_params => "The names of the parameters.";
    "tanada-evaluation" "" search_info::evaluation_list => "Every legal move with its evaluation before any search, best first.";
    "tanada-last_moves" "" search_info::last_moves => "The moves that the last search considered, best first.";
    "tanada-setup" "NAME|FILE" settings::setup => "Sets the start position and starts a new game.";
    "tanada-last_search" "" genmove::last_search => "The result of the last `genmove`: value, visits, iterations, seconds, variation.";
    "tanada-position" "POSITION" settings::position => "Starts a new game from a position in text, with `/` between its lines.";
    "tanada-state" "" state::state => "The game and its position as one JSON object.";
    "tanada-load_record" "FILE [NUMBER]" records::load => "Loads a game record, up to the position before a move.";
    "tanada-print_record" "[FILE]" records::print => "Returns the game as a record, or writes it to a file.";
    "tanada-param" "[NAME [VALUE]]" settings::param => "Shows or changes parameters.";
    @Sgf
    "loadsgf" "FILE [NUMBER]" records::load => "Loads a game record, up to the position before a move.";
    "printsgf" "[FILE]" records::print => "Returns the game as an SGF record, or writes it to a file.";
    @Stones
    "gogui-setup" "[COLOR VERTEX ...]" gogui::setup => "Starts a new game from these stones.";
    "gogui-setup_player" "COLOR" gogui::setup_player => "Starts a new game from the current position with this side to move.";
    "set_position" "[COLOR VERTEX ...]" gogui::setup => "Same as `gogui-setup`.";
    "final_status_list" "STATUS" client::final_status_list => "The stones with a status: all stones are `alive`, no stone is `dead` or `seki`.";
    "gogui-rules_board" "" gogui::board => "The rows of the board, from the top.";
    "gogui-rules_legal_moves" "" play::legal_moves => "The points where the side to move may play; empty in a finished game.";
    "gogui-rules_captured_count" "" gogui::captured_count => "The stones captured by Black and by White.";
    "gogui-rules_board_gfx" "" gogui_analyze::board_gfx => "Marks the points that the last move emptied.";
    "tanada-legal_points" "COLOR" gogui_analyze::legal_points => "The points where a side may play, or could if it were its turn.";
    "tanada-legal_gfx" "" gogui_analyze::legal_gfx => "The legal points of all sides, as graphics.";
    "tanada-root_spaces" "" gogui_analyze::root_spaces => "The space of every root, as graphics.";
    "tanada-root" "VERTEX" gogui_analyze::root => "The root at a point with its space, as graphics.";
    "tanada-bounded" "COLOR" gogui_analyze::bounded => "The moves of a side that would bound a root, as graphics.";
    "tanada-playable_space" "" gogui_analyze::playable_space => "The playable space of each side, as graphics.";
    "tanada-evaluation_gfx" "" search_info::evaluation_gfx => "The evaluation of every legal move, as graphics.";
    "tanada-visits_gfx" "" search_info::visits_gfx => "The visits of the last search, as graphics.";
    "tanada-values_gfx" "" search_info::values_gfx => "The values of the last search, as graphics.";
    "tanada-variation" "" search_info::variation => "The principal variation of the last search, from the current position on.";
    "tanada-leave" "COLOR" play::leave => "Removes a player and all its stones from the game.";
    @NoStones
    "tanada-legal_steps" "" play::legal_moves => "The legal steps of the side to move; empty in a finished game.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (i, command) in COMMANDS.iter().enumerate() {
            assert!(COMMANDS[..i].iter().all(|other| other.name != command.name));
            assert!(command.doc.ends_with('.'));
        }
    }
}
