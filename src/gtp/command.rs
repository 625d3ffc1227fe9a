//! The one table of commands: `list_commands`, `known_command`, `help` and the
//! test of `protocol.md` follow from it.

use super::parse::{ArgumentError, CommandLine, GtpError};
use super::session::{Control, Session};
use super::{
    about, analyze, client, found, genmove, gogui, look, play, records, regress, settings, time,
};
use crate::engine::Engine;
use crate::game::Seat;
use crate::variant::Variant;

/// The games that a command serves, by what they offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every game.
    Any,
    /// Games of stones on points, which front ends for Go can show and rule.
    Stones,
    /// Games whose records are SGF.
    Sgf,
    /// Games without stones.
    NoStones,
}

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// The name, as clients send it.
    pub name: &'static str,
    /// The arguments: words in capitals stand for values, brackets hold what may be
    /// left out, `...` says that the rest may come again.
    pub arguments: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
    /// The games that it serves.
    pub scope: Scope,
    run: fn(&mut Session, &Call<'_>) -> Result<Answer, GtpError>,
}

impl Command {
    /// Whether it serves the game that is played.
    pub fn serves(&self, engine: &Engine) -> bool {
        match self.scope {
            Scope::Any => true,
            Scope::Stones => engine.stones().is_some(),
            Scope::Sgf => engine.variant().records().is_sgf(),
            Scope::NoStones => engine.stones().is_none(),
        }
    }

    /// Whether GTP 2 has the command, and so fixes the texts of its errors.
    pub fn is_standard(&self) -> bool {
        STANDARD.contains(&self.name)
    }

    /// Runs it. The `syntax error` of a command that GTP 2 does not have says what would be right.
    pub(super) fn execute(
        &self,
        session: &mut Session,
        call: &Call<'_>,
    ) -> Result<Answer, GtpError> {
        (self.run)(session, call).map_err(|error| match error {
            GtpError::SyntaxError if !self.is_standard() => {
                GtpError::Other(format!("{error}, expected `{}`", self.usage()))
            }
            error => error,
        })
    }

    /// The name with the arguments.
    pub fn usage(&self) -> String {
        format!("{} {}", self.name, self.arguments)
            .trim_end()
            .to_string()
    }
}

/// The commands of [GTP 2](https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html)
/// that there are here.
const STANDARD: [&str; 19] = [
    "boardsize",
    "clear_board",
    "final_score",
    "final_status_list",
    "genmove",
    "known_command",
    "komi",
    "list_commands",
    "loadsgf",
    "name",
    "play",
    "protocol_version",
    "quit",
    "reg_genmove",
    "showboard",
    "time_left",
    "time_settings",
    "undo",
    "version",
];

/// What a command has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This text.
    Text(String),
    /// What is left of an answer whose beginning has been sent, the empty line included.
    Rest(String),
    /// Nothing, and the session ends.
    Quit,
    /// The client is gone: no answer, and nothing has changed.
    Abandoned,
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Answer::Text(text)
    }
}

impl From<&str> for Answer {
    fn from(text: &str) -> Self {
        Answer::Text(text.to_string())
    }
}

/// The reply to most commands that change something.
pub(super) fn done() -> Result<Answer, GtpError> {
    Ok(Answer::Text(String::new()))
}

/// A command as it was sent, with what may end its search.
pub struct Call<'a> {
    /// The words.
    pub line: &'a CommandLine,
    /// When it came, and when to stop.
    pub control: &'a Control<'a>,
}

impl<'a> Call<'a> {
    /// The words after the name.
    pub fn arguments(&self) -> &'a [String] {
        &self.line.arguments
    }

    /// The argument at `index`, from 0, if it was given.
    pub fn optional(&self, index: usize) -> Option<&'a str> {
        self.line.arguments.get(index).map(String::as_str)
    }

    /// The argument at `index`, from 0.
    ///
    /// # Errors
    /// `syntax error` if there is none.
    pub fn argument(&self, index: usize) -> Result<&'a str, GtpError> {
        self.optional(index).ok_or(GtpError::SyntaxError)
    }

    /// The seat whose colour the argument at `index` names.
    ///
    /// # Errors
    /// `syntax error` if there is none, or it names none.
    pub fn colour(&self, index: usize, variant: &dyn Variant) -> Result<Seat, GtpError> {
        Ok(colour(self.argument(index)?, variant)?)
    }
}

/// The seat whose colour a word names.
pub(super) fn colour(text: &str, variant: &dyn Variant) -> Result<Seat, ArgumentError> {
    variant.seat(text).ok_or_else(|| ArgumentError::Colour {
        text: text.to_string(),
        expected: variant.colours().join(", "),
    })
}

/// A word as an error quotes it: not longer than 60 characters.
pub(super) fn shorten(text: &str) -> String {
    crate::util::quote::shorten(text, 60)
}

/// The command with this name, which is case-sensitive, if it is there in the game that is played.
pub fn find(name: &str, engine: &Engine) -> Option<&'static Command> {
    COMMANDS
        .iter()
        .find(|command| command.name == name && command.serves(engine))
}

macro_rules! table {
    ($(@$scope:ident $($name:literal $arguments:literal $run:path: $doc:literal;)+)+) => {
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
    "protocol_version" "" about::protocol_version: "The version of the protocol, 2.";
    "name" "" about::name: "The engine's name.";
    "version" "" about::version: "The engine's version.";
    "known_command" "NAME" about::known_command: "Whether a command exists: `true` or `false`.";
    "list_commands" "" about::list_commands: "The names of all commands, one a line.";
    "help" "[NAME]" about::help: "What a command does, or all of them.";
    "quit" "" about::quit: "Ends the session.";
    "boardsize" "SIZE" play::boardsize: "Sets the size of the board and begins a new game.";
    "clear_board" "" play::clear_board: "Begins a new game from the configured start.";
    "komi" "NUMBER" play::komi: "Accepted and without effect.";
    "play" "COLOR MOVE" play::play: "Plays a move of the side to move, or the moves of its turn.";
    "genmove" "COLOR" genmove::genmove: "Thinks, plays and answers the move, or the moves left of the turn.";
    "lz-analyze" "[COLOR] [INTERVAL] [KEY VALUE ...]" analyze::lz_analyze: "Tells what the search finds until the next line comes, in Leela Zero's form.";
    "kata-analyze" "[COLOR] [INTERVAL] [KEY VALUE ...]" analyze::kata_analyze: "Tells what the search finds until the next line comes, in KataGo's form.";
    "lz-genmove_analyze" "COLOR [INTERVAL] [KEY VALUE ...]" analyze::lz_genmove_analyze: "Plays like `genmove`, and tells meanwhile what the search finds, in Leela Zero's form.";
    "kata-genmove_analyze" "COLOR [INTERVAL] [KEY VALUE ...]" analyze::kata_genmove_analyze: "Plays like `genmove`, and tells meanwhile what the search finds, in KataGo's form.";
    "kata-search_cancellable" "COLOR" genmove::search_cancellable: "Thinks like `genmove` without playing; `cancelled` if a line comes meanwhile.";
    "stop" "" analyze::stop: "Ends pondering until the next `genmove`.";
    "undo" "" play::undo: "Takes the last move back.";
    "gg-undo" "[NUMBER]" play::undo_several: "Takes several moves back.";
    "showboard" "" play::showboard: "The board with coordinates.";
    "final_score" "" play::final_score: "The winner of a finished game, such as `B+`; `0` for a draw.";
    "time_settings" "MAIN PERIOD STONES" time::time_settings: "Sets the clocks: main time, and overtime for a number of stones.";
    "time_left" "COLOR TIME STONES" time::time_left: "Says what is left on a clock.";
    "kata-time_settings" "KIND [NUMBER ...]" time::kata_time_settings: "Sets the clocks, Fischer and byo-yomi included.";
    "kata-list_time_settings" "" time::kata_list_time_settings: "The kinds of `kata-time_settings`.";
    "gogui-interrupt" "" gogui::interrupt: "Says that the comment `# interrupt` ends a search.";
    "gogui-play_sequence" "[COLOR MOVE ...]" play::play_sequence: "Plays several moves, all or none.";
    "gogui-rules_game_id" "" gogui::game_id: "The name of the game.";
    "gogui-rules_board_size" "" gogui::board_size: "Points a row.";
    "gogui-rules_side_to_move" "" gogui::side_to_move: "Who is to move; in a finished game the winner.";
    "gogui-rules_final_result" "" gogui::final_result: "Who won, in words.";
    "reg_genmove" "COLOR" regress::reg_genmove: "Thinks and answers the move, always the same, without playing it.";
    "cputime" "" client::cputime: "The processor time that the engine has used, in seconds.";
    "clear_cache" "" client::clear_cache: "Drops the search tree.";
    "gogui-version" "VERSION" client::gogui_version: "Says that GoGui listens: it draws what is sent on standard error while the engine thinks.";
    "gogui-title" "" client::title: "A title for a window.";
    "gogui-analyze_commands" "" look::analyze_commands: "What people can look at, for GoGui's menu.";
    "gomill-cpu_time" "" client::cputime: "The same as `cputime`.";
    "gomill-explain_last_move" "" found::explain_last_move: "What the last search thought, for people.";
    "gomill-describe_engine" "" client::describe_engine: "Version and settings, for people.";
    "kata-get-param" "NAME" settings::kata_get_param: "The value of a setting.";
    "kata-set-param" "NAME VALUE" settings::kata_set_param: "Changes a setting.";
    "kata-list-params" "" settings::kata_list_params: "The names of the settings.";
    "tanada-evaluation" "" found::evaluation_list: "Every legal move with its evaluation before any search, the best first.";
    "tanada-last_moves" "" found::last_moves: "The moves that the last search looked at, the best first.";
    "tanada-setup" "NAME|FILE" settings::setup: "Configures the start and begins a new game.";
    "tanada-last_search" "" genmove::last_search: "What the last `genmove` found: value, visits, iterations, seconds, variation.";
    "tanada-position" "POSITION" settings::position: "Begins a new game from a position in text, `/` between its lines.";
    "tanada-load_record" "FILE [NUMBER]" records::load: "Loads a game record up to before a move.";
    "tanada-print_record" "[FILE]" records::print: "The game as a record, or writes it to a file.";
    "tanada-param" "[NAME [VALUE]]" settings::param: "Shows or changes settings.";
    @Sgf
    "loadsgf" "FILE [NUMBER]" records::load: "Loads a game record up to before a move.";
    "printsgf" "[FILE]" records::print: "The game as a record in SGF, or writes it to a file.";
    @Stones
    "gogui-setup" "[COLOR VERTEX ...]" gogui::setup: "Begins a new game from these stones.";
    "gogui-setup_player" "COLOR" gogui::setup_player: "Begins a new game from the position, with this side to move.";
    "set_position" "[COLOR VERTEX ...]" gogui::setup: "The same as `gogui-setup`.";
    "final_status_list" "STATUS" client::final_status_list: "The stones that are `alive`: all; none is `dead` or `seki`.";
    "gogui-rules_board" "" gogui::board: "The rows of the board from the top.";
    "gogui-rules_legal_moves" "" play::legal_moves: "Where the side to move may play; nothing in a finished game.";
    "gogui-rules_captured_count" "" gogui::captured_count: "Stones taken off, by Black and by White.";
    "gogui-rules_board_gfx" "" look::board_gfx: "Marks where the last move emptied points.";
    "tanada-legal_points" "COLOR" look::legal_points: "Where a side may play, or could if it were its turn.";
    "tanada-legal_gfx" "" look::legal_gfx: "The same of all sides, as graphics.";
    "tanada-root_spaces" "" look::root_spaces: "The space of every root, as graphics.";
    "tanada-root" "VERTEX" look::root: "The root at a point with its space, as graphics.";
    "tanada-bounded" "COLOR" look::bounded: "The moves of a side that would bound a root, as graphics.";
    "tanada-playable_space" "" look::playable_space: "Where each side can get, as graphics.";
    "tanada-evaluation_gfx" "" found::evaluation_gfx: "The evaluation of every legal move, as graphics.";
    "tanada-visits_gfx" "" found::visits_gfx: "The visits of the last search, as graphics.";
    "tanada-values_gfx" "" found::values_gfx: "The values of the last search, as graphics.";
    "tanada-variation" "" found::variation: "The best play that the last search found, from here.";
    "tanada-leave" "COLOR" play::leave: "Takes a player out of the game, with all that it has on the board.";
    @NoStones
    "tanada-legal_steps" "" play::legal_moves: "The legal steps of the side to move; nothing in a finished game.";
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
