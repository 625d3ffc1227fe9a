//! The table of parameters: one row each. `--set`, `tanada-param`, presets, `tanada params` and the
//! tuners follow from it.

use super::value::{Field, Kind, ParamError, Value, choice, shorten};
use crate::util::nearest::hint;

/// What a parameter is about. Who may set it follows from that.
///
/// | role | presets, self-play | tuners |
/// |---|---|---|
/// | [`Search`](Role::Search) | yes | numbers |
/// | [`Resources`](Role::Resources) | no | no |
/// | [`Strength`](Role::Strength) | no | no |
/// | [`Session`](Role::Session) | no | no |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// How well the search uses its time.
    Search,
    /// How much of the machine and how much time it uses.
    Resources,
    /// How it chooses among the moves that it searched. Levels for people set it.
    Strength,
    /// How games are run.
    Session,
}

/// What a new value changes in a running game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The search is rebuilt; its tree is lost.
    NewSearch,
    /// The random stream is restarted, even if the value stays the same; the tree is lost.
    NewRandomStream,
    /// Nothing until the next move; the tree stays.
    NextMove,
}

/// A parameter: its name, range, default and meaning.
///
/// ```
/// let parameter: &tanada::Parameter = &tanada::PARAMETERS[0];
/// println!("{} is {}: {}", parameter.name, parameter.default(), parameter.meaning);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name, lower case with underscores.
    pub name: &'static str,
    /// What it is about.
    pub(crate) role: Role,
    /// What a new value changes in a running game.
    pub(crate) effect: Effect,
    /// Type, range and step.
    pub(crate) kind: Kind,
    /// What it means, with its unit.
    pub meaning: &'static str,
    get: fn(&Params) -> Value,
    set: fn(&mut Params, Value),
}

choice! {
    /// How leaves of the tree are evaluated.
    ///
    /// ```
    /// let params = tanada::Params { leaf: tanada::Leaf::Playout, ..tanada::Params::default() };
    /// assert!(!params.evaluates_moves());
    /// ```
    Leaf {
        /// By the game's network.
        Network = "network",
        /// By the game's linear evaluation of every child.
        Linear = "linear",
        /// By a random playout.
        Playout = "playout",
        /// There is no tree: the game's greedy player moves.
        Greedy = "greedy",
    }
}

impl Leaf {
    /// The leaf if a file was given: a network or linear weights in it decide between these two,
    /// whatever the parameter says.
    pub(crate) fn with_file(self, has_network: bool, has_linear: bool) -> Self {
        match self {
            Self::Network | Self::Linear if has_network => Self::Network,
            Self::Network | Self::Linear if has_linear => Self::Linear,
            leaf => leaf,
        }
    }
}

choice! {
    /// The exploration term where the evaluator gives no priors.
    ///
    /// ```
    /// let uct = tanada::Params::preset("uct")?;
    /// assert_eq!(uct.exploration, tanada::Exploration::Ucb1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Exploration {
        /// `c * sqrt((N + 1) / children) / (1 + n)`.
        Puct = "puct",
        /// `c * sqrt(ln(N + 1) / max(n, 1))` (Auer, Cesa-Bianchi and Fischer, 2002).
        Ucb1 = "ucb1",
    }
}

macro_rules! parameters {
    ($(@$role:ident($effect:ident) $($name:ident: $type:ty = $default:expr, $kind:expr, $meaning:literal;)+)+) => {
        /// All settings of a player. They are passed by reference: two players with different
        /// settings can meet in one process.
        ///
        /// ```
        /// let mut params = tanada::Params::preset("linear")?;
        /// params.assign("uct_exploration=0.1")?;
        /// assert_eq!(params.uct_exploration, 0.1);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        pub struct Params {
            $($(#[doc = $meaning] pub $name: $type,)+)+
        }

        impl Default for Params {
            /// The settings of the preset `network`.
            fn default() -> Self {
                Self { $($($name: $default,)+)+ }
            }
        }

        /// All parameters.
        ///
        /// ```
        /// assert!(tanada::PARAMETERS.iter().any(|parameter| parameter.name == "cpuct"));
        /// ```
        pub const PARAMETERS: &[Parameter] = &[$($(Parameter {
            name: stringify!($name),
            role: Role::$role,
            effect: Effect::$effect,
            kind: $kind,
            meaning: $meaning,
            get: |params| params.$name.to_value(),
            set: |params, value| if let Some(field) = <$type>::from_value(value) {
                params.$name = field;
            },
        },)+)+];
    };
}

parameters! {
    @Search(NewSearch)
    leaf: Leaf = Leaf::Network, Kind::Choice(Leaf::WORDS),
        "How leaves are evaluated: `network`, by the game's network; `linear`, by the linear evaluation of every child; `playout`, by a random playout; `greedy` plays the move with the best static evaluation, without searching.";
    exploration: Exploration = Exploration::Puct, Kind::Choice(Exploration::WORDS),
        "Form of the exploration term, except with `leaf=network`: `puct` is c*sqrt((N+1)/children)/(1+n), `ucb1` is c*sqrt(ln(N+1)/max(n,1)), for N visits of the node and n of the child; c is uct_exploration.";
    uct_exploration: f64 = 0.065, Kind::Real(0.0, 10.0, 0.02),
        "Factor c of the exploration term: c*sqrt((N+1)/children)/(1+n) for `puct`, c*sqrt(ln(N+1)/max(n,1)) for `ucb1`. Values are winning chances from 0 to 1. With `leaf=network` cpuct takes its place.";
    initial_value_visits: f64 = 2.4, Kind::Real(0.0, 100.0, 0.25),
        "Number of visits that a child's evaluation counts as in the child's mean value (`linear`; for `network` see fpu_visits).";
    cpuct: f64 = 0.3, Kind::Real(0.0, 10.0, 0.02),
        "Factor c of the exploration term c*P*sqrt(N+1)/(1+n), for N visits of the node, n of the child and its prior P (`network`).";
    fpu_reduction: f64 = 0.1, Kind::Real(0.0, 1.0, 0.02),
        "How far below its parent an unvisited child is valued, in winning chance, multiplied by the square root of the visited children's total prior (`network`).";
    fpu_visits: f64 = 0.2, Kind::Real(0.0, 100.0, 0.1),
        "Number of visits that the first-play value of a child counts as in its mean value once it is visited (`network`).";
    evaluation_noise: f64 = 0.01, Kind::Real(0.0, 0.5, 0.005),
        "Half the width of the uniform noise on every evaluation, of a child (`linear`) or of a leaf (`network`), in winning chance. It makes games differ.";
    fpu_value: f64 = 0.5, Kind::Real(0.0, 10.0, 0.05),
        "Value of a child without visits, evaluation or RAVE visits, in winning chance (`playout`); 10 visits every child once first.";
    rave_equivalence: f64 = 0.0, Kind::Real(0.0, 100000.0, 100.0),
        "Number of visits k at which a child's RAVE value weighs as much as its mean: the weight of RAVE is sqrt(k/(3*n+k)); 0 switches RAVE off (`playout`).";
    playout_redraws: u64 = 3, Kind::Integer(0, 16, 1),
        "How many times a playout draws again when the drawn move bounds the root that it extends (`playout`).";
    paranoia: f64 = 0.0, Kind::Real(0.0, 1.0, 0.1),
        "With more than two players, how far the others are expected to play against the player who searches, instead of for themselves: 0 is max^n, 1 is paranoid, and values between mix the two.";
    multiplayer_factor: f64 = 0.3, Kind::Real(0.0, 10.0, 0.05),
        "Factor applied to evaluation_noise, and with `linear` to uct_exploration, with more than two players, where single moves change winning chances less.";
    lcb_deviations: f64 = 1.0, Kind::Real(0.0, 100.0, 0.25),
        "Standard errors that are subtracted from a move's mean value when the final move is chosen, among moves with at least a fifth of the most visits; 0 chooses the most visited move (`network`).";
    graph_search: bool = true, Kind::Bool,
        "Whether all move orders that lead to one position share its statistics (Monte-Carlo graph search), instead of searching it once for each of them. For two players (`network`).";
    value_bias_factor: f64 = 0.8, Kind::Real(0.0, 2.0, 0.1),
        "Factor applied to the mean error of similar evaluations before it is added to an evaluation. Similar ones have the same local pattern at the last move. For two players, with graph_search; 0 switches it off (`network`).";
    value_bias_prior_visits: f64 = 20.0, Kind::Real(0.0, 1000.0, 2.0),
        "Number of error-free visits that the mean of value_bias_factor starts with (`network`).";
    virtual_loss: u64 = 1, Kind::Integer(0, 16, 1),
        "Lost visits that each thread adds to a node while it searches below it.";
    forced_playouts: f64 = 0.0, Kind::Real(0.0, 100.0, 0.5),
        "Factor k of forced playouts: a visited move at the root is searched again as long as it has fewer than sqrt(k*P*N) visits, for its prior P and N visits of the root. For games to learn from; 0 forces none (`network`).";
    root_noise: f64 = 0.0, Kind::Real(0.0, 1.0, 0.05),
        "Share of Dirichlet noise in the priors at the root, for games to learn from; 0 is none (`network`).";
    solve_points: u64 = 40, Kind::Integer(0, 100, 1),
        "Largest number of points left to play at which a search asks the game's exact solver, if there is one, two players are left and the time is likely to suffice. Each group beyond one per player counts as four more points; 0 never asks.";
    @Resources(NextMove)
    time_per_move: Option<f64> = None, Kind::Limit(&Kind::Real(1e-6, 1000000.0, 0.1)),
        "Maximum time for a move while no clock is set, in seconds. If neither this nor iterations is set, a move takes 1 second.";
    iterations: Option<u64> = None, Kind::Limit(&Kind::Integer(1, u64::MAX, 1000)),
        "Maximum iterations for a move. If only this is set, time is not limited.";
    @Resources(NewSearch)
    threads: u64 = 0, Kind::Integer(0, 256, 1),
        "Search threads; 0 is one for each core.";
    memory: u64 = 1024, Kind::Integer(1, 1048576, 64),
        "Maximum memory for the search tree, in MiB. When it is full, the search continues but the tree no longer grows.";
    @Strength(NewSearch)
    choice_temperature: f64 = 0.0, Kind::Real(0.0, 10.0, 0.05),
        "How freely the move is chosen, in winning chance: a move is played with a probability proportional to P*exp(V/T), for its prior P, its value V (less with few visits) and this temperature T. The same position is judged the same again. 0 plays the best move.";
    choice_max_loss: f64 = 1.0, Kind::Real(0.0, 1.0, 0.05),
        "How much worse than the best move, in winning chance, choice_temperature and overlooked may make a move. Below 1, a known win is played, and no known loss unless all moves lose. 1 sets no bound.";
    overlooked: f64 = 0.0, Kind::Real(0.0, 1.0, 0.05),
        "Probability that a move is overlooked if it is neither near the last four moves nor obvious; half of it if it is both. An overlooked move stays overlooked until play comes nearer or it becomes more obvious.";
    @Session(NextMove)
    ponder: bool = false, Kind::Bool,
        "Whether to keep thinking during the opponent's time, after its own `genmove`. With more than two players, only if paranoia is 0.";
    resign: f64 = 0.0, Kind::Real(0.0, 1.0, 0.01),
        "Winning chance below which the engine resigns, if it stays below for three of its moves in a row; 0 never resigns.";
    setup_echo: bool = false, Kind::Bool,
        "Whether moves onto own stones of the start position are accepted before the first move, without effect. Some clients send those stones as moves.";
    @Session(NewRandomStream)
    seed: u64 = 0, Kind::Integer(0, u64::MAX, 1),
        "Seed of the random stream. Setting it restarts the stream.";
}

fn names() -> Vec<&'static str> {
    PARAMETERS.iter().map(|parameter| parameter.name).collect()
}

/// The parameter with this name.
///
/// # Errors
/// An unknown name.
pub(crate) fn find(name: &str) -> Result<&'static Parameter, ParamError> {
    PARAMETERS.iter().find(|p| p.name == name).ok_or_else(|| {
        let hint = hint(name, &names());
        ParamError::Unknown(shorten(name), hint)
    })
}

impl Parameter {
    /// The value in `params`.
    pub fn get(&self, params: &Params) -> Value {
        (self.get)(params)
    }

    /// The default.
    pub fn default(&self) -> Value {
        self.get(&Params::default())
    }

    /// Puts a value of the parameter's own kind into `params`.
    pub(crate) fn put(&self, params: &mut Params, value: Value) {
        (self.set)(params, value);
    }

    /// The parameter and the value that `NAME=VALUE` names.
    pub(crate) fn assignment(text: &str) -> Result<(&'static Self, Value), ParamError> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| ParamError::Assignment(shorten(text)))?;
        let parameter = find(name.trim())?;
        Ok((parameter, parameter.parse(value.trim())?))
    }

    /// Whether a tuner may change it: a number that decides how well the search uses its time.
    pub fn is_tunable(&self) -> bool {
        self.role == Role::Search && matches!(self.kind, Kind::Integer(..) | Kind::Real(..))
    }

    /// Whether it limits the search of a move.
    pub fn is_limit(&self) -> bool {
        self.role == Role::Resources && self.effect == Effect::NextMove
    }

    /// Whether it is the seed of the random stream.
    pub fn is_seed(&self) -> bool {
        self.effect == Effect::NewRandomStream
    }

    /// The value that a text stands for.
    ///
    /// # Errors
    /// Text of another type, or a value out of range; nothing is clamped.
    pub fn parse(&self, text: &str) -> Result<Value, ParamError> {
        self.kind.parse(text).ok_or_else(|| ParamError::Value {
            name: self.name,
            text: shorten(text),
            expected: self.kind.expected(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_sort_the_parameters() {
        let names = |of: fn(&Parameter) -> bool| {
            let found = PARAMETERS.iter().filter(|p| of(p));
            found.map(|p| p.name).collect::<Vec<_>>()
        };
        assert_eq!(names(Parameter::is_limit), ["time_per_move", "iterations"]);
        assert_eq!(names(Parameter::is_seed), ["seed"]);
        let resources = ["time_per_move", "iterations", "threads", "memory"];
        assert_eq!(names(|p| p.role == Role::Resources), resources);
        let session = ["ponder", "resign", "setup_echo", "seed"];
        assert_eq!(names(|p| p.role == Role::Session), session);
    }

    #[test]
    fn names_are_unique() {
        let mut names = names();
        names.sort_unstable();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    }
}
