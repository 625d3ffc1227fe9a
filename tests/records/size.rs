//! Long files: the work grows with the length of a file, not with its square. Each of these took
//! minutes when it did.

use std::time::{Duration, Instant};

use tanada::games;

/// Far more than each needs, far less than the square of its length takes.
const PATIENCE: Duration = Duration::from_secs(60);

fn within_reason<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = work();
    assert!(begin.elapsed() < PATIENCE, "{what}: {:?}", begin.elapsed());
    result
}

#[test]
fn many_faulty_games_are_read_at_once() {
    let count = 500_000;
    let tanbo = games::find("tanbo").unwrap();
    for (game, fault) in [
        ("(;SZ[3])", "column 3999997: invalid board size `SZ[3]`"),
        ("(;SZ[7])", "column 3999993: the game has no stones"),
    ] {
        let text = game.repeat(count);
        let records = within_reason(game, || {
            tanbo
                .records()
                .read_first(text.as_bytes(), usize::MAX, &|_| None)
        });
        assert_eq!(records.len(), count);
        let last = records.last().unwrap().as_ref().unwrap_err();
        assert!(
            last.starts_with("line 1, ") && last.contains(fault),
            "{last}"
        );
    }
    // Stones that are set up where the rules have none.
    let game = "(;SZ[5]AB[aa]AW[ee];B[ab];AE[aa])\r\n";
    let text = game.repeat(50_000);
    let records = within_reason(game, || tanbo.read_each(text.as_bytes()));
    let last = records.last().unwrap().as_ref().unwrap_err();
    assert!(last.starts_with("line 50000, column 29: `AE`"), "{last}");
}

#[test]
fn only_as_many_games_are_read_as_are_wanted() {
    let tanbo = games::find("tanbo").unwrap();
    let text = format!("(;SZ[9];B[bg])(;SZ[3]){}", "(;SZ[5]".repeat(1000));
    let read = |most| {
        tanbo.records().read_first(text.as_bytes(), most, &|side| {
            tanbo.start(side, None, None).ok()
        })
    };
    assert_eq!(read(0).len(), 1);
    assert!(read(1)[0].is_ok());
    assert!(read(2)[1].as_ref().unwrap_err().contains("`SZ[3]`"));
    assert_eq!(read(9).len(), 3, "brackets that do not match end the file");
    let taratibu = games::find("taratibu").unwrap();
    let text = "# Taratibu\n1 white 5262\n".repeat(9);
    let read = |most| {
        taratibu
            .records()
            .read_first(text.as_bytes(), most, &|side| {
                taratibu.start(side, None, None).ok()
            })
    };
    assert_eq!((read(1).len(), read(4).len(), read(99).len()), (1, 4, 9));
}

#[test]
fn long_comments_and_many_stones_are_read_at_once() {
    let taratibu = games::find("taratibu").unwrap();
    let text = format!(
        "# Taratibu\n1 white 5262\n{}",
        "# and so on\n".repeat(400_000)
    );
    let records = within_reason("comments", || taratibu.read_each(text.as_bytes()));
    let comment = records[0].as_ref().unwrap().moves[0]
        .comment
        .clone()
        .unwrap();
    assert_eq!(comment.lines().count(), 400_000);
    let tanbo = games::find("tanbo").unwrap();
    for text in [
        format!(
            "(;SZ[9]C[x]{};B[bg]{})",
            "C[y]".repeat(200_000),
            "C[z]".repeat(200_000)
        ),
        format!("(;SZ[9]{};B[bg])", "PB[x]RE[0]TM[1]".repeat(70_000)),
        format!(
            "(;SZ[21]AB{}AE[ab:uu]AW[uu];B[ab])",
            "[aa:uu]".repeat(150_000)
        ),
        format!("(;SZ[9]{};B[bg])", ";".repeat(1_000_000)),
    ] {
        let records = within_reason(&text[..12], || tanbo.read_each(text.as_bytes()));
        assert_eq!(records.len(), 1);
        assert!(
            records[0].is_ok() || text.contains("AE"),
            "{:?}",
            records[0]
        );
    }
}
