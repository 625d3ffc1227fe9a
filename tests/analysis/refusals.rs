//! Errors and warnings, with their field and id.

use serde_json::{Value, json};

use super::{ask, nine, one, options, query};

fn is_refused(line: &str, field: Option<&str>, part: &str) {
    let answer = one(line);
    let text = answer["error"]
        .as_str()
        .unwrap_or_else(|| panic!("{line}: {answer}"));
    assert!(text.contains(part), "{line}: {text}");
    let mut expected = json!({"error": text});
    if let Some(field) = field {
        expected["field"] = json!(field);
        expected["id"] = json!("q");
    }
    assert_eq!(answer, expected);
}

#[test]
fn lines_that_are_no_queries() {
    for (line, part) in [
        (
            "{\"id\":",
            "could not parse input line as json request: `{\"id\":`",
        ),
        (
            "[1]",
            "Request line was valid json but was not an object, ignoring: `[1]`",
        ),
        ("{\"moves\":[]}", "Request must have a string \"id\" field"),
        ("{\"id\":3}", "Request must have a string \"id\" field"),
        ("{\"id\":\"q\",\"id\":\"r\"}", "duplicate field `id`"),
    ] {
        is_refused(line, None, part);
    }
}

#[test]
fn boards_and_starts_that_do_not_exist() {
    let stones = |list: &str| nine(&format!(r#""moves":[],"initialStones":{list}"#));
    for (line, field, part) in [
        (
            query(r#""moves":[]"#),
            "boardXSize",
            "Must provide an integer from 4 to 21",
        ),
        (
            query(r#""moves":[],"boardXSize":9"#),
            "boardYSize",
            "from 4 to 21",
        ),
        (
            query(r#""moves":[],"boardXSize":22,"boardYSize":22"#),
            "boardXSize",
            "21, not `22`",
        ),
        (
            query(r#""moves":[],"boardXSize":9,"boardYSize":"9""#),
            "boardYSize",
            "not `9`",
        ),
        (
            query(r#""moves":[],"boardXSize":9,"boardYSize":13"#),
            "boardYSize",
            "Must equal boardXSize, 9, not `13`",
        ),
        (
            nine(r#""moves":[],"game":"go""#),
            "game",
            "Unknown game `go`: expected tanbo or taratibu",
        ),
        (
            nine(r#""moves":[],"game":7"#),
            "game",
            "Must be a string, not `7`",
        ),
        (
            nine(r#""moves":[],"setup":"dense""#),
            "setup",
            "`dense` has no board of size `9`",
        ),
        (
            nine(r#""moves":[],"setup":"/etc/passwd""#),
            "setup",
            "unknown setup `/etc/passwd`",
        ),
        (
            nine(r#""moves":[],"setup":"a\nb""#),
            "setup",
            "unknown setup `a\u{fffd}b`",
        ),
        (
            nine(r#""moves":[],"game":"taratibu","setup":"a\nb""#).replace('9', "7"),
            "setup",
            "unknown setup `a\u{fffd}b`",
        ),
        (
            nine(r#""moves":[],"players":4,"setup":"corners""#),
            "setup",
            "`4` players",
        ),
        (
            nine(r#""moves":[],"players":5"#),
            "players",
            "from 2 to 4, not `5`",
        ),
        (
            query(r#""moves":[],"position":"XX/XX""#),
            "position",
            "size",
        ),
        (
            query(r#""moves":[],"position":"X..O/..../..../O..X","boardXSize":5"#),
            "boardXSize",
            "a 4x4 board: expected 4, not `5`",
        ),
        (
            query(r#""moves":[],"position":"X..O/..../..../O..X","setup":"corners""#),
            "position",
            "Cannot specify both setup and position",
        ),
        (
            stones(r#"{"B":"C3"}"#),
            "initialStones",
            "Must be an array of pairs",
        ),
        (
            stones(r#"[["B"]]"#),
            "initialStones",
            "[\"b\" or \"w\" or \"r\" or \"g\", GTP board vertex]",
        ),
        (stones(r#"[["B",3]]"#), "initialStones", "not `[\"B\",3]`"),
        (
            stones(r#"[["P","C3"]]"#),
            "initialStones",
            "Could not parse player: invalid color `P`",
        ),
        (
            stones(r#"[["B","I3"]]"#),
            "initialStones",
            "Could not parse board location: invalid point `I3`",
        ),
        (
            stones(r#"[["B","(9,0)"]]"#),
            "initialStones",
            "location: invalid point `(9,0)`",
        ),
        (
            stones(r#"[["B","C3"],["W","c3"]]"#),
            "initialStones",
            "Duplicate point `c3`",
        ),
        (
            stones(r#"[["B","C3"]]"#),
            "initialStones",
            "only one colour has stones",
        ),
        (
            nine(r#""moves":[],"initialStones":[["B","C3"],["W","E5"]],"initialPlayer":"R""#),
            "initialStones",
            "red is to move but has no stones",
        ),
        (
            nine(r#""moves":[],"initialPlayer":"x""#),
            "initialPlayer",
            "not `x`",
        ),
        (
            nine(r#""moves":[],"initialPlayer":"red""#),
            "initialPlayer",
            "Must be black",
        ),
        (
            query(r#""moves":[],"game":"taratibu","initialPlayer":"b""#),
            "initialPlayer",
            "Must be white",
        ),
        (
            query(r#""moves":[],"game":"taratibu","boardXSize":9"#),
            "boardXSize",
            "no board of size `9`",
        ),
        (
            query(r#""moves":[],"game":"taratibu","initialStones":[["W","C3"]]"#),
            "initialStones",
            "Taratibu has no stones",
        ),
    ] {
        is_refused(&line, Some(field), part);
    }
}

#[test]
fn moves_that_cannot_be_played() {
    for (list, part) in [
        (r#"{}"#, "Must be an array of pairs"),
        (r#"["C3"]"#, "not `C3`"),
        (r#"[["B","C2"],["W",null]]"#, "not `[\"W\",null]`"),
        (
            r#"[["X","C2"]]"#,
            "Could not parse player: invalid color `X`",
        ),
        (
            r#"[["B","Z9"]]"#,
            "Could not parse board location: invalid point `Z9`",
        ),
        (
            r#"[["B","E5"]]"#,
            "Illegal move 0: `B E5`: expected an empty point",
        ),
        (
            r#"[["B","C2"],["B","C3"]]"#,
            "Illegal move 1: `B C3`, but it is the turn of white",
        ),
        (
            r#"[["B","C2"],["W","B2"]]"#,
            "Illegal move 1: `W B2`: expected",
        ),
        (
            r#"[["B","pass"]]"#,
            "Illegal move 0: `B pass`, but Tanbo has no pass",
        ),
        (
            r#"[["R","resign"]]"#,
            "Illegal move 0: `R resign`, but this player is not in the game",
        ),
        (
            r#"[["B","resign"],["W","C8"]]"#,
            "Illegal move 1: `W C8` comes after the end",
        ),
    ] {
        is_refused(&nine(&format!("\"moves\":{list}")), Some("moves"), part);
    }
    is_refused(
        &nine(r#""maxVisits":1"#),
        Some("moves"),
        "Must specify an array of",
    );
    for (list, part) in [
        (
            r#"[["W","47"]]"#,
            "Could not parse board location: invalid step `47`",
        ),
        (
            r#"[["W","1117"]]"#,
            "Illegal move 0: `W 1117`: expected a step",
        ),
        (
            r#"[["B","4142"]]"#,
            "Illegal move 0: `B 4142`, but it is the turn of white",
        ),
    ] {
        let line = query(&format!("\"game\":\"taratibu\",\"moves\":{list}"));
        is_refused(&line, Some("moves"), part);
    }
}

#[test]
fn fields_of_the_wrong_type_or_range() {
    for (fields, field, part) in [
        (
            r#""maxVisits":0"#,
            "maxVisits",
            "Must be an integer from 1 to 2^50, not `0`",
        ),
        (r#""maxVisits":1.5"#, "maxVisits", "not `1.5`"),
        (r#""maxVisits":1125899906842625"#, "maxVisits", "2^50"),
        (r#""maxVisits":null"#, "maxVisits", "not `null`"),
        (
            r#""analyzeTurns":3"#,
            "analyzeTurns",
            "Must specify an array of integers",
        ),
        (
            r#""analyzeTurns":[0.5]"#,
            "analyzeTurns",
            "Must specify an array of integers",
        ),
        (
            r#""analyzeTurns":[1]"#,
            "analyzeTurns",
            "Invalid turn number `1`: expected 0 to 0",
        ),
        (
            r#""analyzeTurns":[-1]"#,
            "analyzeTurns",
            "Invalid turn number `-1`",
        ),
        (r#""analyzeTurns":[]"#, "analyzeTurns", "at least one turn"),
        (
            r#""priorities":[1]"#,
            "priorities",
            "Can only specify when also",
        ),
        (
            r#""priorities":[1,2],"analyzeTurns":[0]"#,
            "priorities",
            "matching length",
        ),
        (
            r#""priorities":["1"],"analyzeTurns":[0]"#,
            "priorities",
            "array of integers",
        ),
        (
            r#""priorities":[4611686018427387904],"analyzeTurns":[0]"#,
            "priorities",
            "Invalid priority",
        ),
        (
            r#""priorities":[1],"analyzeTurns":[0],"priority":2"#,
            "priority",
            "Cannot specify both",
        ),
        (
            r#""priority":4611686018427387904"#,
            "priority",
            "between -2^62 and 2^62",
        ),
        (r#""rules":7"#, "rules", "Must specify rules string"),
        (r#""komi":"6.5""#, "komi", "Must be a number, not `6.5`"),
        (
            r#""analysisPVLen":0"#,
            "analysisPVLen",
            "Must be an integer from 1 to 1000",
        ),
        (
            r#""includePolicy":1"#,
            "includePolicy",
            "Must be a boolean, not `1`",
        ),
        (
            r#""includePVVisits":"yes""#,
            "includePVVisits",
            "Must be a boolean",
        ),
        (
            r#""includeOwnership":0"#,
            "includeOwnership",
            "Must be a boolean",
        ),
        (
            r#""reportDuringSearchEvery":0"#,
            "reportDuringSearchEvery",
            "Must be number of seconds from 0.001 to 1000000.0, not `0`",
        ),
        (
            r#""firstReportDuringSearchAfter":-1"#,
            "firstReportDuringSearchAfter",
            "Must be number of seconds",
        ),
        (
            r#""overrideSettings":[]"#,
            "overrideSettings",
            "Must be an object",
        ),
        (
            r#""overrideSettings":{"leaf":"net"}"#,
            "overrideSettings",
            "Could not set settings: invalid value `net` for `leaf`",
        ),
        (
            r#""overrideSettings":{"threads":-1}"#,
            "overrideSettings",
            "invalid value `-1`",
        ),
        (
            r#""overrideSettings":{"preset":"x"}"#,
            "overrideSettings",
            "unknown preset `x`",
        ),
        (
            r#""overrideSettings":{"maxVisits":0}"#,
            "overrideSettings",
            "maxVisits: Must be",
        ),
        (
            r#""overrideSettings":{"maxTime":"x"}"#,
            "overrideSettings",
            "Could not set settings: maxTime: invalid value `x`: expected a number from 0.000001",
        ),
        (
            r#""overrideSettings":{"maxTime":0}"#,
            "overrideSettings",
            "maxTime: invalid value `0`: expected a number from 0.000001 to 1000000",
        ),
        (
            r#""overrideSettings":{"reportAnalysisWinratesAs":"RED"}"#,
            "overrideSettings",
            "invalid perspective `RED`",
        ),
        (
            r#""allowMoves":{}"#,
            "allowMoves",
            "Must be a list of dicts",
        ),
        (
            r#""allowMoves":[3]"#,
            "allowMoves",
            "Must be a list of dicts",
        ),
        (
            r#""avoidMoves":[{"player":"B","moves":[]}]"#,
            "avoidMoves",
            "'untilDepth'",
        ),
        (
            r#""avoidMoves":[{"player":"B","move":["C2"],"untilDepth":1}]"#,
            "avoidMoves",
            "; did you mean `moves` instead of `move`?",
        ),
        (
            r#""allowMoves":[],"avoidMoves":[]"#,
            "allowMoves",
            "Cannot specify both",
        ),
        (
            r#""avoidMoves":[{"player":"Q","moves":[],"untilDepth":1}]"#,
            "avoidMoves",
            "Could not parse player: invalid color `Q`",
        ),
        (
            r#""avoidMoves":[{"player":"B","moves":["Z9"],"untilDepth":1}]"#,
            "avoidMoves",
            "Could not parse board location: invalid point `Z9`",
        ),
        (
            r#""avoidMoves":[{"player":"B","moves":[9],"untilDepth":1}]"#,
            "avoidMoves",
            "location: invalid value `9`: expected a string",
        ),
        (
            r#""avoidMoves":[{"player":"B","moves":["C2"],"untilDepth":0}]"#,
            "avoidMoves",
            "Must be a positive integer",
        ),
        (
            r#""allowMoves":[{"player":"B","moves":["C2"],"untilDepth":1},{"player":"W","moves":[],"untilDepth":1}]"#,
            "allowMoves",
            "only allows one entry",
        ),
        (
            r#""action":"dance""#,
            "action",
            "or 'terminate_all', not `dance`",
        ),
        (r#""action":7"#, "action", "Must be a string"),
        (
            r#""action":"terminate""#,
            "terminateId",
            "must have a string \"terminateId\" field",
        ),
        (
            r#""action":"terminate","terminateId":5"#,
            "terminateId",
            "\"terminateId\"",
        ),
        (
            r#""action":"terminate_all","turnNumbers":[0.5]"#,
            "turnNumbers",
            "must be an array of integers",
        ),
    ] {
        is_refused(&nine(&format!("\"moves\":[],{fields}")), Some(field), part);
    }
}

#[test]
fn what_has_no_meaning_is_warned_about_and_answered() {
    for (fields, field, text) in [
        (r#""rules":"Tanbo""#, None, ""),
        (
            r#""rules":"chinese""#,
            Some("rules"),
            "Rules `chinese` not supported, using `tanbo`",
        ),
        (r#""rules":{"ko":"SIMPLE"}"#, Some("rules"), "not supported"),
        (r#""komi":-1e9"#, None, ""),
        (
            r#""rootPolicyTemperature":1.5"#,
            Some("rootPolicyTemperature"),
            "Not supported",
        ),
        (
            r#""includeOwnership":true"#,
            Some("includeOwnership"),
            "Not supported",
        ),
        (r#""includeOwnership":false"#, None, ""),
        (
            r#""whiteHandicapBonus":"N""#,
            Some("whiteHandicapBonus"),
            "Not supported",
        ),
        (
            r#""maxvisits":9"#,
            Some("maxvisits"),
            "Unexpected or unused field, do you have a typo? Did you mean `maxVisits`?",
        ),
        (
            r#""nonsense":9"#,
            Some("nonsense"),
            "Unexpected or unused field, do you have a typo?",
        ),
        (
            r#""analyzeTurns":[0,0]"#,
            Some("analyzeTurns"),
            "Duplicate turn `0`",
        ),
        (
            r#""overrideSettings":{"cpuctExploration":1.1,"wideRootNoise":0}"#,
            Some("overrideSettings"),
            "Not supported by Tanada, ignored: cpuctExploration,wideRootNoise",
        ),
        (
            r#""overrideSettings":{"timePerMove":1,"odd":0}"#,
            Some("overrideSettings"),
            "Unknown config params: odd,timePerMove (did you mean `time_per_move`?)",
        ),
        (
            r#""avoidMoves":[{"player":"B","moves":["C2"],"untilDepth":1,"untildepth":2}]"#,
            Some("avoidMoves"),
            "Unexpected or unused subfields, do you have a typo? untildepth (did you mean `untilDepth`?)",
        ),
        (
            r#""includePolicy":true,"overrideSettings":{"preset":"uct"}"#,
            Some("includePolicy"),
            "Ignored: moves have a prior or an initial value only",
        ),
        (
            r#""avoidMoves":[{"player":"B","moves":["C2"],"untilDepth":4}]"#,
            Some("avoidMoves"),
            "Only the next move is restricted; untilDepth `4` counts as 1",
        ),
        (
            r#""allowMoves":[{"player":"B","moves":["E5","pass"],"untilDepth":1}]"#,
            Some("allowMoves"),
            "No legal move is left; all moves are searched",
        ),
    ] {
        let line = nine(&format!("\"moves\":[],\"maxVisits\":20,{fields}"));
        let answers = ask(&options(1), &line);
        let (answer, warnings) = answers.split_last().unwrap();
        assert_eq!(answer["rootInfo"]["visits"], 20, "{line}: {answer}");
        assert_eq!(warnings.len(), usize::from(field.is_some()), "{warnings:?}");
        for warning in warnings {
            let found = warning["warning"].as_str().unwrap();
            assert!(found.contains(text), "{found}");
            let expected = json!({"warning": found, "field": field, "id": "q"});
            assert_eq!(*warning, expected);
        }
    }
}

#[test]
fn actions_are_sent_back() {
    let echo = |line: &str| -> (Value, Value) {
        let answer = one(line);
        (serde_json::from_str(line).unwrap(), answer)
    };
    for line in [
        r#"{"id":"c","action":"clear_cache","more":[1]}"#,
        r#"{"id":"t","action":"terminate","terminateId":"nobody"}"#,
        r#"{"id":"t","action":"terminate","terminateId":"q","turnNumbers":[-1,5]}"#,
        r#"{"id":"t","action":"terminate_all","turnNumbers":[]}"#,
    ] {
        let (question, answer) = echo(line);
        assert_eq!(answer, question);
    }
    let (mut question, answer) = echo(r#"{"id":"v","action":"query_version"}"#);
    question["version"] = json!(env!("CARGO_PKG_VERSION"));
    question["git_hash"] = json!("<omitted>");
    assert_eq!(answer, question);
    let models = one(r#"{"id":"m","action":"query_models"}"#);
    let names: Vec<_> = models["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["name"])
        .collect();
    assert_eq!(names, ["tanbo network", "taratibu network"]);
}
