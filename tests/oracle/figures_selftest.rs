//! Every claim about the printed figures, checked with the oracle alone.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Board, Colour, Point, Refusal, Root, parse_vertex};

/// The text of a file in the figures folder.
fn text(file: &str) -> String {
    let path = format!("{}/tests/data/figures/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn board(file: &str) -> Board {
    Board::parse(&text(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

fn colour(value: &Value) -> Colour {
    Colour::from_word(value.as_str().unwrap()).unwrap()
}

fn point(value: &Value) -> Point {
    parse_vertex(value.as_str().unwrap()).unwrap()
}

fn points(value: &Value) -> BTreeSet<Point> {
    value.as_array().unwrap().iter().map(point).collect()
}

/// The entries of a list that may be absent.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The roots that hold the named stones, as point sets.
fn roots_at(board: &Board, stones: &Value) -> BTreeSet<BTreeSet<Point>> {
    let stones = points(stones);
    let roots: BTreeSet<_> = stones.iter().map(|&p| board.root_at(p).points).collect();
    assert_eq!(roots.len(), stones.len(), "one stone of each root");
    roots
}

fn sets(roots: Vec<Root>) -> BTreeSet<BTreeSet<Point>> {
    roots.into_iter().map(|r| r.points).collect()
}

fn counts(value: &Value) -> BTreeMap<Colour, u64> {
    let counts = value.as_object().unwrap().iter();
    counts
        .map(|(k, v)| (Colour::from_word(k).unwrap(), v.as_u64().unwrap()))
        .collect()
}

fn tally(colours: impl Iterator<Item = Colour>) -> BTreeMap<Colour, u64> {
    let mut tally = BTreeMap::new();
    for colour in colours {
        *tally.entry(colour).or_default() += 1;
    }
    tally
}

fn check_play(start: &Board, play: &Value) {
    let mut board = start.clone();
    let (at, mover) = (point(&play["point"]), colour(&play["colour"]));
    assert_eq!(board.to_move, mover);
    let mut placed = board.clone();
    placed.stones.insert(at, mover);
    let bounded = sets(placed.bounded_roots());
    assert_eq!(bounded, roots_at(&placed, &play["bounded"]));
    let removed: BTreeSet<Point> = board.play(at).into_iter().collect();
    if play.get("removed").is_some() {
        assert_eq!(removed, points(&play["removed"]));
    }
    if let Some(roots) = play.get("removed_roots") {
        let all: BTreeSet<Point> = roots_at(&placed, roots).into_iter().flatten().collect();
        assert_eq!(removed, all);
    }
    for root in list(&play["free_again"]) {
        let stone = point(&root["root"]);
        assert!(placed.bounded(&placed.root_at(stone)));
        let space = board.root_space(&board.root_at(stone));
        assert!(!space.is_empty());
        if let Some(count) = root["count"].as_u64() {
            assert_eq!(space.len() as u64, count);
        }
    }
    if let Some(after) = play["after"].as_str() {
        let after = self::board(after);
        assert_eq!(board.stones, after.stones);
        assert_eq!(board.to_move, after.to_move);
    }
    assert_eq!(board.winner(), play.get("winner").map(colour));
    assert!(board.bounded_roots().is_empty());
}

fn check_points(board: &Board, claim: &Value) {
    for value in list(&claim["legal"]) {
        assert!(board.legal(point(value)), "{value} is legal");
    }
    for value in list(&claim["illegal"]) {
        assert!(!board.legal(point(value)), "{value} is illegal");
    }
    if claim.get("only_legal").is_some() {
        let legal: BTreeSet<Point> = board.legal_points().into_iter().collect();
        assert_eq!(legal, points(&claim["only_legal"]));
    }
    for near in list(&claim["own_neighbours"]) {
        let at = point(&near["point"]);
        assert!(board.is_empty_point(at));
        let own = board.own_neighbours(at, colour(&near["colour"]));
        let own: BTreeSet<Point> = own.into_iter().collect();
        assert_eq!(own, points(&near["points"]), "next to {}", near["point"]);
    }
    for space in list(&claim["root_spaces"]) {
        let root = board.root_at(point(&space["root"]));
        assert_eq!(board.root_space(&root), points(&space["points"]));
    }
}

fn check_start(board: &Board, claim: &Value) {
    let kinds: BTreeSet<&str> = board.refusals().iter().map(Refusal::keyword).collect();
    let expected: BTreeSet<&str> = list(&claim["refused"])
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(kinds, expected);
    let mut looped = board.roots();
    looped.retain(|r| board.has_loop(r));
    match claim.get("loops") {
        Some(loops) => assert_eq!(sets(looped), roots_at(board, loops)),
        None => assert!(looped.is_empty()),
    }
    let tournament = Board::setup("classic", 19, 2).unwrap().stones;
    for root in board.roots() {
        if claim["seeds"] == true {
            let mut seeds = root.points.iter().filter_map(|p| tournament.get(p));
            assert!(seeds.any(|&c| c == root.colour));
        }
    }
    if let Some(file) = claim["mirror_of"].as_str() {
        let other = self::board(file);
        let mirrored = other.stones.iter();
        let mirrored: BTreeMap<Point, Colour> = mirrored
            .map(|(&(x, y), &c)| ((other.size - 1 - x, y), c))
            .collect();
        assert_eq!(board.stones, mirrored);
    }
}

#[test]
#[allow(clippy::print_stdout, reason = "shown only when a claim fails")]
fn every_figure_is_what_its_claims_say() {
    let claims: Value = serde_json::from_str(&text("claims.json")).unwrap();
    let figures = claims["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 20);
    let known: BTreeSet<&str> = claims["keys"]
        .as_object()
        .unwrap()
        .keys()
        .flat_map(|k| k.split(", "))
        .collect();
    for claim in figures {
        println!("{}", claim["file"]);
        for key in claim.as_object().unwrap().keys() {
            assert!(known.contains(key.as_str()), "unknown key {key}");
        }
        let board = board(claim["file"].as_str().unwrap());
        assert_eq!(board.to_move, colour(&claim["to_move"]));
        let stones = tally(board.stones.values().copied());
        assert_eq!(stones, counts(&claim["stones"]));
        let roots = tally(board.roots().iter().map(|r| r.colour));
        assert_eq!(roots, counts(&claim["roots"]));
        assert_eq!(board.winner(), claim.get("winner").map(colour));
        if let Some(setup) = claim.get("setup") {
            let name = setup["name"].as_str().unwrap();
            let size = setup["size"].as_i64().unwrap() as i32;
            let players = setup["players"].as_u64().unwrap() as usize;
            assert_eq!(Some(&board), Board::setup(name, size, players).as_ref());
        }
        check_start(&board, claim);
        check_points(&board, claim);
        for play in list(&claim["plays"]) {
            check_play(&board, play);
        }
        assert_eq!(Board::parse(&board.to_text()), Ok(board));
    }
}

#[test]
fn the_second_encyclopedia_diagram_grows_into_the_third() {
    let mut board = board("encyclopedia_2.txt");
    for at in ["H9", "B3", "A5", "E3"] {
        assert_eq!(board.play(parse_vertex(at).unwrap()), []);
    }
    assert_eq!(board, self::board("encyclopedia_3.txt"));
}
