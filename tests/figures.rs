//! The printed figures with what their captions claim, and diagrams that must
//! be refused.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tanada::board::Point;
use tanada::board::vertex;
use tanada::engine::Engine;
use tanada::game::Seat;
use tanada::params::Params;
use tanada::tanbo::diagram::{self, DiagramError};
use tanada::tanbo::setup::{IllegalSetup, NamedSetup, SetupFault, Start};
use tanada::tanbo::{Position, Setup, colour};

use super::{data, files, size, text};

/// One stone of a root, and all of them.
type Stones = BTreeSet<Point>;

fn read(file: &str) -> Setup {
    diagram::parse(&text(&format!("figures/{file}"))).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// The entries of a list that may be absent.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn seat(value: &Value) -> Seat {
    colour::parse(value.as_str().unwrap()).unwrap()
}

fn point(value: &Value, setup: &Setup) -> Point {
    vertex::parse(value.as_str().unwrap(), setup.size).unwrap()
}

fn points(value: &Value, setup: &Setup) -> Stones {
    list(value).iter().map(|v| point(v, setup)).collect()
}

/// The stones that hang together with the one on `first`.
fn root_at(setup: &Setup, first: Point) -> Stones {
    let seat = setup.stones[&first];
    let mut root = Stones::from([first]);
    let mut open = vec![first];
    while let Some(p) = open.pop() {
        for q in setup.size.neighbours(p) {
            if setup.stones.get(&q) == Some(&seat) && root.insert(q) {
                open.push(q);
            }
        }
    }
    root
}

/// The roots that hold the named stones, one stone named of each.
fn roots_at(setup: &Setup, value: &Value) -> BTreeSet<Stones> {
    let named = points(value, setup);
    let roots: BTreeSet<Stones> = named.iter().map(|&p| root_at(setup, p)).collect();
    assert_eq!(roots.len(), named.len());
    roots
}

fn all_roots(setup: &Setup) -> BTreeSet<Stones> {
    setup.stones.keys().map(|&p| root_at(setup, p)).collect()
}

fn tally(seats: impl Iterator<Item = Seat>) -> BTreeMap<Seat, u64> {
    let mut tally = BTreeMap::new();
    for seat in seats {
        *tally.entry(seat).or_default() += 1;
    }
    tally
}

fn counts(value: &Value) -> BTreeMap<Seat, u64> {
    let counts = value.as_object().unwrap().iter();
    counts
        .map(|(word, n)| (colour::parse(word).unwrap(), n.as_u64().unwrap()))
        .collect()
}

/// The kinds of reason, in the words of the data files.
fn kinds(refusal: &IllegalSetup) -> BTreeSet<&'static str> {
    let kind = |reason: &SetupFault| match reason {
        SetupFault::NotATree(..) => "loop",
        SetupFault::Bounded(..) => "bounded",
        SetupFault::TooFewPlayers(_) => "players",
        SetupFault::NobodyToMove(_) => "to move",
        SetupFault::Players { .. } => "announced",
    };
    refusal.0.iter().map(kind).collect()
}

/// What is claimed of the stones alone.
fn check_stones(setup: &Setup, claim: &Value) {
    assert_eq!(setup.to_move, seat(&claim["to_move"]));
    let stones = tally(setup.stones.values().copied());
    assert_eq!(stones, counts(&claim["stones"]));
    let roots = all_roots(setup);
    let owners = roots
        .iter()
        .map(|root| setup.stones[&root.iter().copied().next().unwrap()]);
    assert_eq!(tally(owners), counts(&claim["roots"]));
    if claim["seeds"] == true {
        let tournament = NamedSetup::Classic.setup(size(19), 2).unwrap().stones;
        for root in &roots {
            let mut seeds = root.iter().filter(|&p| tournament.contains_key(p));
            assert!(seeds.any(|p| tournament[p] == setup.stones[p]));
        }
    }
    if let Some(named) = claim.get("setup") {
        let name: NamedSetup = named["name"].as_str().unwrap().parse().unwrap();
        let players = named["players"].as_u64().unwrap() as usize;
        let side = size(named["size"].as_i64().unwrap() as i32);
        assert_eq!(name.setup(side, players).as_ref(), Ok(setup));
    }
    if let Some(file) = claim["mirror_of"].as_str() {
        let other = read(file);
        let last = other.size.side() - 1;
        let mirrored = other.stones.iter().map(|(p, &seat)| {
            let column = last - p.column(other.size);
            (other.size.point(column, p.row(other.size)).unwrap(), seat)
        });
        assert_eq!(setup.stones, mirrored.collect());
    }
    for near in list(&claim["own_neighbours"]) {
        let p = point(&near["point"], setup);
        assert!(!setup.stones.contains_key(&p));
        let owner = seat(&near["colour"]);
        let mut own: Stones = setup.size.neighbours(p).collect();
        own.retain(|q| setup.stones.get(q) == Some(&owner));
        assert_eq!(own, points(&near["points"], setup), "{near}");
    }
}

/// That a figure is no start position, for the claimed reasons only.
fn check_refusal(setup: &Setup, claim: &Value) {
    let refusal = setup.clone().check(None).unwrap_err();
    let expected = list(&claim["refused"]).iter().filter_map(Value::as_str);
    assert_eq!(kinds(&refusal), expected.collect());
    let looped = refusal.0.iter().filter_map(|reason| match reason {
        SetupFault::NotATree(at, _) => Some(vertex::parse(at, setup.size).unwrap()),
        _ => None,
    });
    let looped: Vec<Stones> = looped.map(|p| root_at(setup, p)).collect();
    let expected = roots_at(setup, &claim["loops"]);
    assert_eq!(looped.len(), expected.len());
    assert_eq!(BTreeSet::from_iter(looped), expected);
}

/// What is claimed of a position that can be played.
fn check_position<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
    setup: &Setup,
    claim: &Value,
) {
    assert_eq!(position.winner(), None);
    let found = position.roots();
    assert_eq!(tally(found.iter().map(|r| r.seat)), counts(&claim["roots"]));
    let stones: BTreeSet<Stones> = found.iter().map(|r| r.stones.iter().collect()).collect();
    assert_eq!(stones, all_roots(setup));
    for value in list(&claim["legal"]) {
        assert!(position.is_legal(point(value, setup)), "{value} is legal");
    }
    for value in list(&claim["illegal"]) {
        assert!(
            !position.is_legal(point(value, setup)),
            "{value} is illegal"
        );
    }
    if let Some(only) = claim.get("only_legal") {
        let legal: Stones = position.legal(setup.to_move).iter().collect();
        assert_eq!(legal, points(only, setup));
    }
    for space in list(&claim["root_spaces"]) {
        let stone = point(&space["root"], setup);
        let root = found.iter().find(|r| r.stones.contains(stone)).unwrap();
        let found: Stones = root.space.iter().collect();
        assert_eq!(found, points(&space["points"], setup));
    }
}

/// One move of a figure, and back.
fn check_play<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
    start: &Start,
    play: &Value,
) {
    let setup = start.setup();
    let at = point(&play["point"], setup);
    assert_eq!(position.to_move(), seat(&play["colour"]));
    let mut placed = setup.clone();
    placed.stones.insert(at, setup.to_move);
    let bounded = roots_at(&placed, &play["bounded"]);
    let bounds_itself = bounded.contains(&root_at(&placed, at));
    assert_eq!(position.bounds_its_own_root(at), bounds_itself);

    let mut after = position.clone();
    let undo = after.try_play(at).unwrap();
    let mut removed: Stones = placed.stones.keys().copied().collect();
    removed.retain(|&p| after.stone_at(p).is_none());
    if play.get("removed").is_some() {
        assert_eq!(removed, points(&play["removed"], setup));
    }
    if play.get("removed_roots").is_some() {
        let roots = roots_at(&placed, &play["removed_roots"]);
        assert_eq!(removed, roots.into_iter().flatten().collect());
    }
    for root in list(&play["free_again"]) {
        let stone = point(&root["root"], setup);
        assert!(bounded.contains(&root_at(&placed, stone)));
        let roots = after.roots();
        let space = roots
            .iter()
            .find(|r| r.stones.contains(stone))
            .unwrap()
            .space;
        assert!(!space.is_empty());
        if let Some(count) = root["count"].as_u64() {
            assert_eq!(u64::from(space.len()), count);
        }
    }
    assert_eq!(after.winner(), play.get("winner").map(seat));

    let mut engine = Engine::new(start.clone(), Params::default());
    engine.play(at).unwrap();
    assert_eq!(engine.winner(), after.winner());
    assert_eq!(engine.to_move(), after.to_move());
    if let Some(file) = play["after"].as_str() {
        assert_eq!(crate::stones(&engine), read(file));
    }
    assert!(engine.undo());
    assert_eq!(crate::stones(&engine), *setup);
    after.undo(undo);
    assert_eq!(after, *position);
}

#[test]
#[allow(clippy::print_stdout, reason = "shown only when a claim fails")]
fn every_figure_is_what_its_caption_says() {
    let claims: Value = serde_json::from_str(&text("figures/claims.json")).unwrap();
    let claims = list(&claims["figures"]);
    assert_eq!(claims.len(), 20);
    for claim in claims {
        println!("{}", claim["file"]);
        let setup = read(claim["file"].as_str().unwrap());
        assert_eq!(diagram::parse(&diagram::write(&setup)).as_ref(), Ok(&setup));
        check_stones(&setup, claim);
        if claim.get("refused").is_some() {
            check_refusal(&setup, claim);
            if let Some(winner) = claim.get("winner") {
                assert_eq!(setup.players(), [seat(winner)]);
            }
            continue;
        }
        let start = setup.clone().check(None).unwrap();
        with_position!(&start, |position| {
            check_position(&position, &setup, claim);
            for play in list(&claim["plays"]) {
                check_play(&position, &start, play);
            }
        });
    }
}

#[test]
fn a_figure_with_a_removal_plays_on_to_the_next_ones() {
    let mut engine = Engine::new(
        read("encyclopedia_2.txt").check(Some(2)).unwrap(),
        Params::default(),
    );
    let files = [
        "encyclopedia_3.txt",
        "encyclopedia_4.txt",
        "encyclopedia_5.txt",
    ];
    for (line, file) in [&["H9", "B3", "A5", "E3"][..], &["D3"], &["D5"]]
        .iter()
        .zip(files)
    {
        for text in *line {
            engine.play_word(engine.to_move(), text).unwrap();
        }
        assert_eq!(crate::stones(&engine), read(file));
    }
    engine.play_word(engine.to_move(), "J9").unwrap();
    assert_eq!(engine.winner(), Some(colour::BLACK));
}

/// The kind of error, in a word of the data files.
fn kind(error: &DiagramError) -> &'static str {
    match error {
        DiagramError::Empty => "empty",
        DiagramError::Size(_) => "size",
        DiagramError::Ragged { .. } => "row",
        DiagramError::Character { .. } => "character",
        DiagramError::ToMove { .. } => "to move",
    }
}

/// Why a text is refused, in one entry for each kind of reason: the kind, then
/// what is said.
fn refusals(text: &str) -> Vec<String> {
    match diagram::parse(text) {
        Err(error) => {
            if let DiagramError::Ragged { line, .. }
            | DiagramError::Character { line, .. }
            | DiagramError::ToMove { line, .. } = &error
            {
                let quoted = format!("line {line}: ");
                assert!(error.to_string().starts_with(&quoted), "{error}");
            }
            vec![format!("{}: {error}", kind(&error))]
        }
        Ok(setup) => match setup.check(None) {
            Err(refusal) => {
                let kinds = kinds(&refusal).into_iter();
                kinds.map(|kind| format!("{kind}: {refusal}")).collect()
            }
            Ok(_) => Vec::new(),
        },
    }
}

#[test]
fn wrong_diagrams_are_refused_for_the_right_reasons() {
    let index: Value = serde_json::from_str(&text("bad/index.json")).unwrap();
    let index = index["files"].as_object().unwrap();
    let named: BTreeSet<&String> = index.keys().collect();
    let existing = files("bad");
    assert_eq!(named, existing.iter().collect());
    let mut failures = Vec::new();
    for (file, expected) in index {
        let bytes = data(&format!("bad/{file}"));
        let refusals = refusals(&String::from_utf8_lossy(&bytes));
        let expected = list(expected);
        let said = refusals.join("; ").to_lowercase();
        let mut words = expected.iter().filter_map(Value::as_str);
        let complete = words.all(|entry| entry.split('|').any(|word| said.contains(word)));
        if refusals.len() != expected.len() || !complete {
            failures.push(format!("{file}: {expected:?} but: {refusals:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn an_announced_number_of_players_must_agree() {
    let setup = read("figure_a.txt");
    for announced in [0, 1, 3, 4, 5] {
        let refusal = setup.clone().check(Some(announced)).unwrap_err();
        let expected = SetupFault::Players {
            announced,
            found: 2,
        };
        assert_eq!(refusal.0, [expected]);
    }
    let one = read("figure_d.txt").check(Some(2)).unwrap_err();
    assert_eq!(kinds(&one), ["announced", "players"].into());
}
