//! A reference model of the bot: games in memory, without files, queues or times.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::{Value, json};
use tanada::Engine;
use tanada::fuzzing::requests::{self, BotSteps};
use tempfile::TempDir;

use super::super::{folder, small_params};
use super::request::{Fault, Request, public_key};
use super::server::{Plan, Reply, Server};

/// Running games and accepted challenges that the bot takes.
const MOST_GAMES: usize = 5;

/// A game that the server knows to its end.
pub(super) struct Known {
    id: &'static str,
    size: usize,
    hours: i32,
    pub(super) words: Vec<String>,
}

/// The game without time left, in which a failed attempt is the last.
const LATE: usize = 3;

pub(super) static GAMES: LazyLock<[Known; LATE + 1]> = LazyLock::new(|| {
    [
        Known::new("g-0", 7, 48),
        Known::new("g-1", 7, 1),
        Known::new("g-2", 11, 100),
        Known::new("g-3", 7, -1),
    ]
});

impl Known {
    fn new(id: &'static str, size: usize, hours: i32) -> Self {
        let mut game = Self {
            id,
            size,
            hours,
            words: Vec::new(),
        };
        let mut engine = game.engine();
        let mut choice = id.bytes().map(usize::from).sum::<usize>();
        while let legal @ [_, ..] = &*engine.legal() {
            choice = (choice * 1_103_515_245 + 12345) % (1 << 31);
            let mv = legal[choice / 65536 % legal.len()];
            engine.play(mv).expect("a legal move");
            game.words.push(game.word(mv));
        }
        game
    }

    fn variants(&self) -> [String; 1] {
        [format!("size-{}", self.size)]
    }

    fn engine(&self) -> Engine {
        let record = requests::abstract_play_game("tanbo", &self.variants(), &[]);
        Engine::new(record.expect("a board").start, small_params())
    }

    fn word(&self, mv: tanada::MoveCode) -> String {
        requests::abstract_play_word("tanbo", &self.variants(), mv).expect("a board")
    }

    /// The message of the server after so many moves.
    pub(super) fn message(&self, plies: usize) -> Value {
        let rounds: Vec<_> = self.words[..plies].chunks(2).collect();
        json!({"verb": "move", "metaGame": "tanbo", "variants": self.variants(), "gameid": self.id,
            "clockCurr": self.hours, "numPlayers": 2, "moves": rounds})
    }

    /// Whether a move after so many moves ends the game; it must be legal.
    fn ends(&self, plies: usize, word: &str) -> bool {
        let mut engine = self.engine();
        for played in self.words[..plies].iter().map(String::as_str).chain([word]) {
            let legal = engine.legal();
            let mv = legal.into_iter().find(|&mv| self.word(mv) == played);
            let mv = mv.unwrap_or_else(|| panic!("{played} is no legal move of {}", self.id));
            engine.play(mv).expect("a legal move");
        }
        engine.is_over()
    }
}

/// A turn whose move is not delivered.
struct Turn {
    plies: usize,
    /// The move, once the server got it.
    sent: Option<String>,
    /// Whether the server may have made it.
    may_be_made: bool,
    /// Whether an earlier run of the bot sent it.
    is_left: bool,
}

/// What the bot knows of a game.
#[derive(Default)]
struct Game {
    is_begun: bool,
    is_over: bool,
    answered: Option<usize>,
    turn: Option<Turn>,
}

/// The bot, its server, and what the bot must know.
pub(super) struct World {
    folder: TempDir,
    server: Server,
    bot: Option<BotSteps>,
    games: [Game; LATE + 1],
    /// The nonces of accepted challenges whose games have not begun.
    challenges: Vec<String>,
    /// The nonces since the start of the bot.
    nonces: HashSet<String>,
    last_nonce: Option<String>,
    requests: usize,
    delivered: usize,
    failures: usize,
}

impl World {
    pub(super) fn new() -> Self {
        let folder = folder();
        let server = Server::new();
        let address = server.address;
        let config = format!(
            "client_id = \"bot\"\ntoken_url = \"http://{address}/token\"\nscope = \"move\"\n\
             query_url = \"http://{address}/query\"\npublic_key = \"{}\"\nstate = \"state\"\n\
             [policy]\nseconds_per_move = 0.001\nmax_games = {MOST_GAMES}\nboards = [7, 11]\nmemory = 1\n",
            public_key()
        );
        std::fs::write(folder.path().join("bot.toml"), config).expect("a file");
        let mut world = Self {
            folder,
            server,
            bot: None,
            games: Default::default(),
            challenges: Vec::new(),
            nonces: HashSet::new(),
            last_nonce: None,
            requests: 0,
            delivered: 0,
            failures: 0,
        };
        world.start();
        world
    }

    pub(super) fn bot(&self) -> &BotSteps {
        self.bot.as_ref().expect("a bot")
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn start(&mut self) {
        let config = self.folder.path().join("bot.toml");
        self.bot = Some(BotSteps::new(&config, "hush").expect("a bot"));
        self.nonces.clear();
        (self.delivered, self.failures) = (0, 0);
    }

    /// A request of the server, unless something is wrong with it.
    pub(super) fn request(&mut self, body: Vec<u8>, fault: Option<Fault>) -> Request {
        self.requests += 1;
        let new = format!("nonce-{}", self.requests);
        let nonce = match fault {
            Some(Fault::Repeated) => self.last_nonce.clone().unwrap_or(new),
            _ => new,
        };
        Request::new(nonce, &body, fault)
    }

    /// Answers a request; returns its status if the bot had to read its body.
    fn status(&mut self, request: &Request) -> Option<u64> {
        let answer = self.bot().answer(&request.text).expect("a request");
        let status = answer["statusCode"].as_u64().expect("a status");
        let text: Value =
            serde_json::from_str(answer["body"].as_str().expect("a body")).expect("JSON");
        if status >= 400 {
            super::sentence(text["message"].as_str().expect("a sentence"));
        } else {
            assert_eq!(text, json!({}));
        }
        if !request.is_signed() || !self.nonces.insert(request.nonce.clone()) {
            assert_eq!(status, 401, "{:?}: {text}", request.fault);
            return None;
        }
        self.last_nonce = Some(request.nonce.clone());
        Some(status)
    }

    pub(super) fn refused(&mut self, request: &Request) {
        let status = self.status(request);
        assert!(
            matches!(status, None | Some(400)),
            "{status:?}: {}",
            request.text
        );
    }

    pub(super) fn challenged(&mut self, request: &Request, is_welcome: bool) {
        let is_repeated = self.challenges.contains(&request.nonce);
        let is_welcome = is_welcome && self.running() < MOST_GAMES;
        let Some(status) = self.status(request) else {
            return;
        };
        let expected = match (is_repeated, is_welcome) {
            (true, _) => 401,
            (false, true) => 200,
            (false, false) => 400,
        };
        assert_eq!(status, expected, "{}", request.text);
        if status == 200 {
            self.challenges.push(request.nonce.clone());
        }
    }

    pub(super) fn turned(&mut self, request: &Request, game: usize, plies: usize) {
        let Some(status) = self.status(request) else {
            return;
        };
        assert_eq!(status, 202, "{}", request.text);
        let is_over = plies == GAMES[game].words.len();
        let game = &mut self.games[game];
        let waiting = game.turn.as_ref().map(|turn| turn.plies);
        if waiting
            .max(game.answered)
            .is_some_and(|newest| plies <= newest)
        {
            return;
        }
        if !game.is_begun && !self.challenges.is_empty() {
            self.challenges.remove(0);
        }
        (game.is_begun, game.is_over) = (true, is_over);
        if is_over {
            game.answered = Some(plies);
        }
        game.turn = (!is_over).then_some(Turn {
            plies,
            sent: None,
            may_be_made: false,
            is_left: false,
        });
    }

    pub(super) fn search(&mut self) {
        let before = self.bot().health();
        let has_searched = self.bot().search();
        assert_eq!(has_searched, before["waiting"] != 0);
    }

    /// Sends a move to a server that answers as planned. With `is_copied`, keeps the state of the bot
    /// as it is when the move arrives, and returns the game.
    pub(super) fn deliver(&mut self, plan: Plan, is_copied: bool) -> Option<usize> {
        let copied = is_copied.then(|| (self.state(), self.folder.path().join("copy")));
        let before = self.bot().health();
        let bot = self.bot.as_ref().expect("a bot");
        let arrivals = self.server.during(plan, copied, || {
            assert_eq!(bot.deliver(), before["sending"] != 0);
        });
        let after = self.bot().health();
        let Some(last) = arrivals.last() else {
            // Without a token, only a turn whose time is over is given up.
            if after["failures"] != before["failures"] {
                self.give_up(LATE);
            }
            // With one, only a turn that was replaced is not sent.
            let is_dropped = after["sending"] != before["sending"];
            assert!(
                is_dropped || before["sending"] == 0 || !plan.gives_tokens(),
                "{plan:?}"
            );
            return None;
        };
        if plan.gives_tokens() {
            let is_second = arrivals[0].reply == Reply::Unauthorized;
            assert_eq!(arrivals.len(), 1 + usize::from(is_second), "{arrivals:?}");
        }
        for (number, arrival) in arrivals.iter().enumerate() {
            let is_last = number + 1 == arrivals.len();
            assert!(
                number < 2 && (is_last || arrival.reply == Reply::Unauthorized),
                "{arrivals:?}"
            );
        }
        let place = GAMES.iter().position(|known| known.id == last.game);
        let place = place.expect("a game of the server");
        let turn = self.games[place].turn.as_mut().expect("a turn that waits");
        let ends = GAMES[place].ends(turn.plies, &last.word);
        // Whatever happened in between, the server gets no second move for a turn.
        let sent = turn.sent.get_or_insert_with(|| last.word.clone());
        assert!(
            arrivals.iter().all(|arrival| arrival.word == *sent),
            "{arrivals:?}, before {sent}"
        );
        if is_copied {
            return Some(place);
        }
        match last.reply {
            Reply::Taken => self.delivered(place, ends),
            Reply::Refused | Reply::Conflict if turn.may_be_made => self.delivered(place, ends),
            Reply::Refused | Reply::Conflict => self.give_up(place),
            Reply::Cut | Reply::Unreadable if turn.is_left => self.give_up(place),
            reply => {
                turn.may_be_made |= !matches!(reply, Reply::Unauthorized | Reply::Forbidden);
                if place == LATE {
                    self.give_up(place);
                }
            }
        }
        None
    }

    fn delivered(&mut self, place: usize, ends: bool) {
        let game = &mut self.games[place];
        let turn = game.turn.take().expect("a turn");
        game.answered = Some(turn.plies);
        game.is_over |= ends;
        self.delivered += 1;
    }

    fn give_up(&mut self, place: usize) {
        self.games[place].turn = None;
        self.failures += 1;
    }

    /// Ends the bot and starts it again; if it `was_sending` the move of a game, with the state that it
    /// had then.
    pub(super) fn restart(&mut self, was_sending: Option<usize>) {
        drop(self.bot.take());
        if was_sending.is_some() {
            std::fs::remove_dir_all(self.state()).expect("the state");
            std::fs::rename(self.folder.path().join("copy"), self.state()).expect("a copy");
        }
        self.start();
        for place in 0..self.games.len() {
            let Some(turn) = &mut self.games[place].turn else {
                continue;
            };
            if was_sending == Some(place) {
                if turn.is_left {
                    self.give_up(place);
                    continue;
                }
                turn.may_be_made = true;
            }
            turn.is_left = turn.may_be_made;
        }
    }

    fn running(&self) -> usize {
        let games = self.games.iter();
        games.filter(|game| game.is_begun && !game.is_over).count() + self.challenges.len()
    }

    /// Compares what the bot tells of itself.
    pub(super) fn check(&self) {
        let health = self.bot().health();
        assert_eq!(health["games"], self.running());
        assert_eq!(health["delivered"], self.delivered);
        assert_eq!(health["failures"], self.failures);
        let waiting = self.games.iter().filter(|game| game.turn.is_some()).count();
        let queued = health["waiting"].as_u64().zip(health["sending"].as_u64());
        let (searches, deliveries) = queued.expect("numbers");
        // Turns that were replaced may still be queued.
        assert!(searches + deliveries >= waiting as u64, "{health}");
        assert!(waiting > 0 || health["oldest_seconds"] == 0.0, "{health}");
    }

    /// Starts the bot again, with a server that takes every move: each turn is delivered.
    pub(super) fn finish(&mut self) {
        self.restart(None);
        self.check();
        while self.bot().health()["waiting"] != 0 {
            self.search();
        }
        while self.bot().health()["sending"] != 0 {
            self.deliver(Plan::FRIENDLY, false);
            self.check();
        }
        assert!(self.games.iter().all(|game| game.turn.is_none()));
        self.server.check();
    }
}
