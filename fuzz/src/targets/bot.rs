//! The bot for Abstract Play: requests that may be forged, searches, deliveries to a server that may
//! fail, and restarts, also in the middle of a delivery.

mod model;
mod request;
mod server;

use arbitrary::{Arbitrary, Unstructured};
use serde_json::json;
use tanada::fuzzing::requests;

use super::{next, sentence};
use model::{GAMES, World};
use request::{Fault, Request};
use server::Plan;

/// What happens next.
#[derive(Arbitrary, Debug)]
enum Step {
    /// The server posts a game in which the bot is to move.
    Turn {
        game: u8,
        plies: u8,
        wrong: Option<WrongTurn>,
        fault: Option<Fault>,
    },
    /// The server posts a challenge.
    Challenge {
        board: u8,
        hours: u16,
        fault: Option<Fault>,
    },
    /// The server signs any bytes.
    Signed(Vec<u8>),
    /// A request of somebody else.
    Any(String),
    Search,
    Deliver(Plan),
    /// The bot is killed while the server has its move.
    Killed(Plan),
    Restart,
}

/// What is wrong with a turn.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum WrongTurn {
    Move,
    Players,
    Name,
    Verb,
    Clock,
    Board,
}

/// Bytes that say what happens.
pub(super) fn session(bytes: &[u8]) {
    let choices = &mut Unstructured::new(bytes);
    let mut world = World::new();
    for _ in 0..40 {
        let Some(step) = next(choices) else { break };
        happens(&mut world, step);
        world.check();
    }
    world.finish();
}

fn happens(world: &mut World, step: Step) {
    match step {
        Step::Turn {
            game,
            plies,
            wrong,
            fault,
        } => turn(world, usize::from(game), usize::from(plies), wrong, fault),
        Step::Challenge {
            board,
            hours,
            fault,
        } => {
            let board = [7, 11, 15, 9][usize::from(board) % 4];
            let hours = hours % 2000;
            let body = json!({"verb": "challenge", "metaGame": "tanbo", "variants": [format!("size-{board}")],
                "clockStart": hours, "clockInc": 1, "clockMax": 100, "challengers": ["ann"]});
            let is_welcome = board <= 11 && board != 9 && (1..=1440).contains(&hours);
            let request = world.request(body.to_string().into_bytes(), fault);
            world.challenged(&request, is_welcome);
        }
        Step::Signed(body) => {
            // A message of the server's form would be one of the steps above.
            if requests::abstract_play_message(&body).is_err() {
                let request = world.request(body, None);
                world.refused(&request);
            }
        }
        Step::Any(text) => match world.bot().answer(&text) {
            Ok(answer) => assert_eq!(answer["statusCode"], 401),
            Err(reason) => sentence(&reason),
        },
        Step::Search => world.search(),
        Step::Deliver(plan) => drop(world.deliver(plan, false)),
        Step::Killed(plan) => {
            let was_sending = world.deliver(plan, true);
            world.restart(was_sending);
        }
        Step::Restart => world.restart(None),
    }
}

fn turn(
    world: &mut World,
    game: usize,
    plies: usize,
    wrong: Option<WrongTurn>,
    fault: Option<Fault>,
) {
    let game = game % GAMES.len();
    let plies = plies % (GAMES[game].words.len() + 1);
    let mut body = GAMES[game].message(plies);
    match wrong {
        Some(WrongTurn::Move) => {
            let rounds = body["moves"].as_array_mut().expect("rounds");
            rounds.push(json!(["z9"]));
        }
        Some(WrongTurn::Players) => body["numPlayers"] = json!(3),
        Some(WrongTurn::Name) => body["gameid"] = json!("../x"),
        Some(WrongTurn::Verb) => body["verb"] = json!("resign"),
        Some(WrongTurn::Clock) => body["clockCurr"] = json!("soon"),
        Some(WrongTurn::Board) => body["variants"] = json!(["size-9"]),
        None => {}
    }
    let request: Request = world.request(body.to_string().into_bytes(), fault);
    if wrong.is_some() {
        world.refused(&request);
    } else {
        world.turned(&request, game, plies);
    }
}
