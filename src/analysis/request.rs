//! A line as a request: a query with positions to search, or an action.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Map, Value};

use super::fields::{Fields, Remark, quoted};
use super::game::{QueryGame, codes, player};
use super::names;
use super::options::{Options, PV_LENGTH};
use super::settings::{PV_LENGTHS, PV_LENGTHS_TEXT, Search};
use crate::engine::Engine;
use crate::game::Seat;
use crate::util::nearest::did_you_mean;
use crate::util::quote::shorten;
use crate::variant::{MoveCode, Variant};

/// What a line asks for.
pub(super) enum Request {
    /// Positions to search, with warnings.
    Query(Box<Query>, Vec<Remark>),
    /// An action with its id and warnings, and the object that is sent back.
    Action(String, Action, Map<String, Value>, Vec<Remark>),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Action {
    Version,
    Models,
    ClearCache,
    Terminate(Target),
}

/// The positions whose search should end; all of them by default.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) id: Option<String>,
    pub(super) turns: Option<BTreeSet<usize>>,
}

/// Positions of one game to search, and how to search them.
pub(super) struct Query {
    pub(super) id: String,
    pub(super) game: QueryGame,
    /// The turn numbers with their priorities.
    pub(super) turns: BTreeMap<usize, i64>,
    pub(super) search: Search,
    /// How many moves of a variation follow its first one.
    pub(super) pv_length: usize,
    pub(super) with_policy: bool,
    pub(super) with_pv_visits: bool,
    /// The time before the first report during the search, and between later ones.
    pub(super) reports: Option<(Duration, Duration)>,
    pub(super) restriction: RootRestriction,
}

/// The approximate size of a query's start position and settings, in bytes.
const QUERY_COST: usize = 4096;

impl Query {
    /// The approximate size of a waiting query, in bytes.
    pub(super) fn cost(&self) -> usize {
        let codes: usize = self.restriction.codes.values().map(BTreeSet::len).sum();
        QUERY_COST + self.id.capacity() + self.game.cost() + 16 * codes
    }
}

/// The moves that each player may not choose at the root, or the only ones that it may choose. A
/// player without an entry may choose any move.
#[derive(Debug, Default)]
pub(super) struct RootRestriction {
    pub(super) codes: BTreeMap<Seat, BTreeSet<MoveCode>>,
    pub(super) is_allowed: bool,
}

/// The longest id, in bytes: every answer and every report repeats it.
const MAX_ID: usize = 4096;

const MAX_PRIORITY: i64 = 0x3fff_ffff_ffff_ffff;

/// Reads a line.
///
/// # Errors
/// The first error in it, after its id if it has one.
pub(super) fn read(line: &[u8], options: &Options) -> Result<Request, (Option<String>, Remark)> {
    let general = |remark| (None, remark);
    let mut fields = Fields::parse(line).map_err(general)?;
    let echo = fields.has("action").then(|| fields.object());
    let Some(Value::String(id)) = fields.take("id") else {
        let hint = names::hint_at(&["id"], &fields);
        let text = format!("Request must have a string \"id\" field{hint}");
        return Err(general(Remark::general(text)));
    };
    if id.len() > MAX_ID {
        let id = shorten(&id, 40);
        let text = format!("the id `{id}` is too long: expected at most {MAX_ID} bytes");
        return Err(general(Remark::general(text)));
    }
    let request = match echo {
        Some(echo) => action(&mut fields).map(|kind| {
            let warnings = names::misspelt_in_action(&fields);
            Request::Action(id.clone(), kind, echo, warnings)
        }),
        None => query(id.clone(), &mut fields, options),
    };
    request.map_err(|remark| (Some(id), remark))
}

/// What a line means, for the fuzz targets: the objects of its error or its warnings, and the
/// positions to search with their turn numbers.
pub(crate) fn outline(line: &[u8], options: &Options) -> (Vec<Value>, Vec<(usize, Engine)>) {
    let warnings = |id: &str, remarks: &[Remark]| {
        let object = |remark: &Remark| remark.object("warning", Some(id));
        remarks.iter().map(object).collect()
    };
    match read(line, options) {
        Err((id, error)) => (vec![error.object("error", id.as_deref())], Vec::new()),
        Ok(Request::Action(id, _, _, remarks)) => (warnings(&id, &remarks), Vec::new()),
        Ok(Request::Query(query, remarks)) => {
            let engine = |&turn| (turn, query.game.engine(turn, query.search.params.clone()));
            let engines = query.turns.keys().map(engine).collect();
            (warnings(&query.id, &remarks), engines)
        }
    }
}

const ACTIONS: [&str; 5] = [
    "query_version",
    "query_models",
    "clear_cache",
    "terminate",
    "terminate_all",
];

fn action(fields: &mut Fields) -> Result<Action, Remark> {
    let name = fields.text("action")?.unwrap_or_default();
    match name.as_str() {
        "query_version" => Ok(Action::Version),
        "query_models" => Ok(Action::Models),
        "clear_cache" => Ok(Action::ClearCache),
        "terminate" => {
            let Some(Value::String(id)) = fields.take("terminateId") else {
                let hint = names::hint_at(&["terminateId"], fields);
                let text =
                    "Requests for a terminate action must have a string \"terminateId\" field";
                return Err(Remark::new("terminateId", format!("{text}{hint}")));
            };
            target(fields, Some(id))
        }
        "terminate_all" => target(fields, None),
        other => {
            let hint = did_you_mean(other, ACTIONS);
            let text = format!(
                "'action' field must be '{}', not `{}`{}",
                ACTIONS.join("' or '"),
                shorten(other, 60),
                hint.unwrap_or_default()
            );
            Err(Remark::new("action", text))
        }
    }
}

fn target(fields: &mut Fields, id: Option<String>) -> Result<Action, Remark> {
    let expected = "If provided, must be an array of integers indicating turns to terminate";
    let turns = fields.integers("turnNumbers", expected)?;
    // Numbers that no turn can have are skipped.
    let known = |list: Vec<i64>| list.into_iter().filter_map(|n| usize::try_from(n).ok());
    let turns = turns.map(|list| known(list).collect());
    Ok(Action::Terminate(Target { id, turns }))
}

fn query(id: String, fields: &mut Fields, options: &Options) -> Result<Request, Remark> {
    let game = QueryGame::read(fields)?;
    let mut warnings = Vec::new();
    let turns = turns(fields, game.turns.len(), &mut warnings)?;
    rules(fields, game.start.variant(), &mut warnings)?;
    let search = Search::read(fields, options, &game, &mut warnings)?;
    let pv_length = fields.integer("analysisPVLen", PV_LENGTHS, PV_LENGTHS_TEXT)?;
    let with_policy = fields.boolean("includePolicy")?;
    if with_policy && !search.params.evaluates_moves() {
        let text = "Ignored: moves have a prior or an initial value only with `leaf` `network` or `linear`";
        warnings.push(Remark::new("includePolicy", text));
    }
    let with_pv_visits = fields.boolean("includePVVisits")?;
    let reports = reports(fields)?;
    let engine = game.engine(0, search.params.clone());
    let restriction = restriction(fields, &engine, &mut warnings)?;
    let query = Query {
        with_pv_visits,
        reports,
        restriction,
        pv_length: pv_length.or(search.pv_length).unwrap_or(PV_LENGTH),
        id,
        game,
        turns,
        search,
        with_policy,
    };
    names::ignored(fields, &mut warnings)?;
    Ok(Request::Query(Box::new(query), warnings))
}

/// The turn numbers with their priorities.
fn turns(
    fields: &mut Fields,
    count: usize,
    warnings: &mut Vec<Remark>,
) -> Result<BTreeMap<usize, i64>, Remark> {
    let expected = "Must specify an array of integers indicating turns to analyze";
    let listed = fields.integers("analyzeTurns", expected)?;
    let expected = "Must specify an array of integers indicating priorities";
    let priorities = fields.integers("priorities", expected)?;
    let range = -MAX_PRIORITY..=MAX_PRIORITY;
    let expected = "Must be a number between -2^62 and 2^62";
    let priority = fields.integer("priority", range.clone(), expected)?;
    if let Some(list) = &priorities {
        let wrong = |text: String| Err(Remark::new("priorities", text));
        if priority.is_some() {
            let text = "Cannot specify both priority and priorities";
            return Err(Remark::new("priority", text));
        }
        let Some(turns) = &listed else {
            let hint = names::hint_at(&["analyzeTurns"], fields);
            let text = "Can only specify when also specifying analyzeTurns";
            return wrong(format!("{text}{hint}"));
        };
        if turns.len() != list.len() {
            let (found, turns) = (list.len(), turns.len());
            let text =
                format!("Must be of matching length to analyzeTurns, {turns}, not `{found}`");
            return wrong(text);
        }
        if let Some(number) = list.iter().find(|&number| !range.contains(number)) {
            let text = format!("Invalid priority `{number}`: expected -2^62 to 2^62");
            return wrong(text);
        }
    }
    let last = count.saturating_sub(1);
    let listed = listed.unwrap_or_else(|| vec![i64::try_from(last).unwrap_or(i64::MAX)]);
    if listed.is_empty() {
        let text = format!("Must specify at least one turn, 0 to {last}, not `[]`");
        return Err(Remark::new("analyzeTurns", text));
    }
    let mut turns = BTreeMap::new();
    let mut twice = None;
    for (place, &number) in listed.iter().enumerate() {
        let turn = usize::try_from(number).ok().filter(|turn| *turn < count);
        let Some(turn) = turn else {
            let text = format!("Invalid turn number `{number}`: expected 0 to {last}");
            return Err(Remark::new("analyzeTurns", text));
        };
        let own = priorities.as_ref().and_then(|list| list.get(place));
        let own = own.copied().or(priority).unwrap_or(0);
        if turns.insert(turn, own).is_some() {
            twice = Some(turn);
        }
    }
    if let Some(turn) = twice {
        let text = format!("Duplicate turn `{turn}`; it is analyzed once");
        warnings.push(Remark::new("analyzeTurns", text));
    }
    Ok(turns)
}

/// Reads the rules and the komi, which have no effect.
fn rules(
    fields: &mut Fields,
    game: &dyn Variant,
    warnings: &mut Vec<Remark>,
) -> Result<(), Remark> {
    let name = game.name();
    match fields.take("rules") {
        None => {}
        Some(Value::String(rules)) if rules.eq_ignore_ascii_case(name) => {}
        Some(rules @ (Value::String(_) | Value::Object(_))) => {
            let rules = quoted(&rules);
            let text = format!("Rules `{rules}` not supported, using `{name}` instead");
            warnings.push(Remark::new("rules", text));
        }
        Some(other) => {
            let other = quoted(&other);
            let text = format!(
                "Must specify rules string, such as \"{name}\", or a JSON object, not `{other}`"
            );
            return Err(Remark::new("rules", text));
        }
    }
    fields.number("komi", f64::MIN..=f64::MAX, "Must be a number")?;
    Ok(())
}

fn reports(fields: &mut Fields) -> Result<Option<(Duration, Duration)>, Remark> {
    let mut seconds = |name| {
        let expected = "Must be number of seconds from 0.001 to 1000000.0";
        let found = fields.number(name, 0.001..=1e6, expected)?;
        Ok(found.map(Duration::from_secs_f64))
    };
    let every = seconds("reportDuringSearchEvery")?;
    let first = seconds("firstReportDuringSearchAfter")?;
    Ok(first
        .or(every)
        .map(|first| (first, every.unwrap_or(Duration::MAX))))
}

/// Reads `allowMoves` or `avoidMoves`; `engine` is at the start of the game.
fn restriction(
    fields: &mut Fields,
    engine: &Engine,
    warnings: &mut Vec<Remark>,
) -> Result<RootRestriction, Remark> {
    const FORM: &str = "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'";
    let allowed = fields.list("allowMoves", FORM)?;
    let avoided = fields.list("avoidMoves", FORM)?;
    let (name, list) = match (allowed, avoided) {
        (Some(_), Some(_)) => {
            let text = "Cannot specify both allowMoves and avoidMoves";
            return Err(Remark::new("allowMoves", text));
        }
        (Some(list), _) if list.len() > 1 => {
            let text = "Currently allowMoves only allows one entry";
            return Err(Remark::new("allowMoves", text));
        }
        (Some(list), None) => ("allowMoves", list),
        (None, Some(list)) => ("avoidMoves", list),
        (None, None) => return Ok(RootRestriction::default()),
    };
    let mut deepest = 1;
    let mut unknown = BTreeSet::new();
    let mut restriction = RootRestriction {
        is_allowed: name == "allowMoves",
        ..RootRestriction::default()
    };
    for entry in list {
        let shown = quoted(&entry);
        let Value::Object(map) = entry else {
            return Err(Remark::new(name, format!("{FORM}, not `{shown}`")));
        };
        let mut inner = Fields::of(map);
        let depth = entry_of(&mut inner, engine, &mut restriction.codes);
        let depth = depth.map_err(|remark| Remark::new(name, remark.message))?;
        let Some(depth) = depth else {
            let hint = names::hint(inner.names(), &names::RESTRICTION);
            return Err(Remark::new(name, format!("{FORM}, not `{shown}`{hint}")));
        };
        deepest = deepest.max(depth);
        // The same misspelt name in many entries is reported once.
        if unknown.len() < names::MOST {
            unknown.extend(inner.names().take(names::MOST).map(str::to_string));
        }
    }
    if deepest > 1 {
        let text = format!("Only the next move is restricted; untilDepth `{deepest}` counts as 1");
        warnings.push(Remark::new(name, text));
    }
    if !unknown.is_empty() {
        let listed = names::listed(unknown.iter().map(String::as_str), &names::RESTRICTION);
        let text = format!("Unexpected or unused subfields, do you have a typo? {listed}");
        warnings.push(Remark::new(name, text));
    }
    Ok(restriction)
}

/// Adds an entry of the list, which has a player, moves and a depth. Returns the depth, or `None` if
/// one of the three is missing.
fn entry_of(
    fields: &mut Fields,
    engine: &Engine,
    codes_of: &mut BTreeMap<Seat, BTreeSet<MoveCode>>,
) -> Result<Option<i64>, Remark> {
    let player = fields.text("player")?;
    let words = fields.list("moves", "Must be an array of GTP board vertices")?;
    let expected = "Must be a positive integer";
    let depth = fields.integer("untilDepth", 1..=1_000_000_000, expected)?;
    let (Some(player), Some(words), Some(depth)) = (player, words, depth) else {
        return Ok(None);
    };
    let seat = self::player("player", &player, engine.variant())?;
    let restricted = codes_of.entry(seat).or_default();
    for word in words {
        let wrong = |why: &str| Remark::general(format!("Could not parse board location: {why}"));
        let Value::String(word) = &word else {
            let word = quoted(&word);
            return Err(wrong(&format!("invalid value `{word}`: expected a string")));
        };
        // No game here has a pass.
        if word.eq_ignore_ascii_case("pass") {
            continue;
        }
        let several = format!("invalid move `{}`: expected one move", shorten(word, 60));
        match codes(engine, word).map_err(|why| wrong(&why))?.as_slice() {
            [code] => {
                restricted.insert(*code);
            }
            _ => return Err(wrong(&several)),
        }
    }
    Ok(Some(depth))
}
