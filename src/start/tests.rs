use std::fs;

use super::*;
use crate::tanbo::colour;

fn named(configuration: &Configuration) -> Option<&'static str> {
    let game = configuration.variant();
    let (side, players) = (configuration.side(), configuration.start().players().len());
    game.setups().iter().copied().find(|name| {
        let built_in = game.start(Some(side), Some(name), Some(players));
        built_in.is_ok_and(|start| *start == **configuration.start())
    })
}

fn file(text: impl AsRef<[u8]>) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("start");
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_string();
    (folder, path)
}

const FIVE: &str = "to move: white\nX...O\n.....\n.....\n.....\nO...X\n";

fn error(size: Option<usize>, setup: Option<&str>, players: Option<usize>) -> String {
    let configuration = Configuration::new(size, setup, players);
    configuration.unwrap_err().to_string()
}

/// The error of a size that the game does not have.
fn misfit(configuration: &Configuration, side: usize) {
    let error = configuration.resized(side).unwrap_err().to_string();
    assert!(error.contains(&format!("`{side}`")), "{error}");
}

#[test]
fn the_default_is_the_tournament_board() {
    let default = Configuration::new(None, None, None).unwrap();
    assert_eq!(default.side(), 19);
    assert_eq!(named(&default), Some("classic"));
    let seven = Configuration::new(Some(7), None, Some(2)).unwrap();
    assert_eq!(named(&seven), Some("dense"));
    let four = Configuration::new(None, None, Some(4)).unwrap();
    assert_eq!(four.start().players().len(), 4);
}

#[test]
fn names_exist_for_their_sizes_and_players() {
    assert!(error(Some(8), Some("classic"), None).contains("`classic` has no board of size `8`"));
    assert!(error(Some(21), None, Some(4)).contains("for `4` players"));
    assert!(error(Some(8), None, Some(3)).contains("for `3` players"));
    assert!(error(None, None, Some(0)).contains("for `0` players"));
    assert!(error(Some(22), None, None).contains("`22`"));
    assert_eq!(
        error(None, Some("clasic"), None),
        "unknown setup `clasic`; did you mean `classic`?"
    );
    assert_eq!(
        error(None, Some("frob"), None),
        "`frob` cannot be read: there is no such file; \
         expected classic, dense, corners or the name of a file"
    );
    let misspelt = Configuration::game(Some("tambo")).map(|game| game.name());
    assert_eq!(
        misspelt.unwrap_err().to_string(),
        "unknown game `tambo`; did you mean `tanbo`?"
    );
}

#[test]
fn another_size_keeps_the_name_where_it_exists() {
    let default = Configuration::new(None, None, None).unwrap();
    let dense = Configuration::new(Some(7), Some("dense"), None).unwrap();
    for (from, side, name) in [
        (&default, 9, "classic"),
        (&default, 15, "dense"),
        (&default, 8, "corners"),
        (&dense, 19, "dense"),
        (&dense, 9, "classic"),
        (&dense, 10, "corners"),
    ] {
        let other = from.resized(side).unwrap();
        assert_eq!((other.side(), named(&other)), (side, Some(name)));
        assert_eq!(&other.resized(from.side()).unwrap(), from);
    }
    for side in [3, 22, usize::MAX] {
        misfit(&default, side);
    }
    for players in [3, 4] {
        let many = Configuration::new(None, None, Some(players)).unwrap();
        assert_eq!(many.resized(19), Ok(many.clone()));
        for side in [9, 13] {
            let other = many.resized(side).unwrap();
            assert_eq!(other.start().players().len(), players);
            assert_eq!((other.side(), named(&other)), (side, Some("classic")));
            assert_eq!(other.resized(19), Ok(many.clone()));
        }
        for side in [3, 4, 21, 22] {
            misfit(&many, side);
        }
    }
}

#[test]
fn a_file_brings_its_size_and_its_players() {
    let (_folder, path) = file(FIVE);
    let five = Configuration::new(None, Some(&path), None).unwrap();
    assert_eq!(five.side(), 5);
    assert_eq!(five.start().to_move(), colour::WHITE);
    let same = Configuration::new(Some(5), Some(&path), Some(2));
    assert_eq!(same.unwrap().start(), five.start());
    assert!(error(Some(9), Some(&path), None).contains("5x5"));
    assert!(error(None, Some(&path), Some(4)).contains("4 players"));
    let error = five.resized(9).unwrap_err().to_string();
    assert!(
        error.contains("`9`") && error.contains("expected 5"),
        "{error}"
    );
    assert_eq!(five.resized(5), Ok(five.clone()));
    let corners = five.with_setup("corners").unwrap();
    assert_eq!(corners.side(), 5);
    assert_eq!(corners.with_setup(&path), Ok(five));
    assert!(corners.with_setup("classic").is_err());
}

#[test]
fn sgf_is_told_by_its_bracket() {
    let (_folder, path) = file("\u{feff}\n (;SZ[5]AB[aa][ee]AW[ea][ae]PL[W])");
    let five = Configuration::new(None, Some(&path), None).unwrap();
    assert_eq!(five.start().text().replace(' ', ""), FIVE.replace(' ', ""));
    let wide: Vec<u8> = "mail (;SZ[5]AB[aa][ee]AW[ea][ae]PL[W])"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let (_folder, path) = file(wide);
    assert_eq!(Configuration::new(None, Some(&path), None).unwrap(), five);
    let (_folder, path) = file("(;SZ[7]PL[W];B[aa])");
    let seven = Configuration::new(None, Some(&path), None).unwrap();
    assert_eq!(named(&seven), None);
    assert_eq!(seven.start().to_move(), colour::WHITE);
}

#[test]
fn files_that_hold_no_start_are_explained() {
    for (text, part) in [
        (&b""[..], "no rows"),
        (b"....\n....\n....\n..z.\n", "line 4: unknown character `z`"),
        (b"(;SZ[3])", "`SZ[3]`"),
        (b"XX..\nXX..\n....\n...O\n", "loop"),
        (b"....\n\xff\xfe\n", "not UTF-8"),
        (&[b' '; (1 << 20) + 1], "longer than 1 MiB"),
    ] {
        let (_folder, path) = file(text);
        let error = error(None, Some(&path), None);
        assert!(error.contains(part) && error.contains(&path), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    assert!(error(None, Some(path), None).contains("directory"));
    for path in ["", "a\0b", &"x".repeat(100_000)] {
        let error = error(None, Some(path), None);
        assert!(error.len() < 400, "{error}");
    }
    #[cfg(unix)]
    {
        let error = read_bytes("/dev/zero").unwrap_err();
        assert_eq!(error.reason, "it is not a regular file");
    }
}
