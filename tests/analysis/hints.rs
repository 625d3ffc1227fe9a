//! Suggestions for misspelt names.

use serde_json::json;

use super::{ask, one, options, query};

#[test]
fn a_misspelt_name_of_what_is_missing_is_told() {
    const BOARD: &str = r#""boardXSize":9,"boardYSize":9"#;
    let moves = "Must specify an array of [player,location] pairs";
    let size = "Must provide an integer from 4 to 21";
    let target = "Requests for a terminate action must have a string \"terminateId\" field";
    for (fields, field, text) in [
        (
            &format!(r#""move":[],{BOARD}"#)[..],
            "moves",
            &format!("{moves}; did you mean `moves` instead of `move`?")[..],
        ),
        (
            r#""Action":"query_version""#,
            "moves",
            &format!("{moves}; did you mean `action` instead of `Action`?"),
        ),
        // Names that do not resemble the missing one are no hint.
        (&format!(r#""maxVisit":1,{BOARD}"#), "moves", moves),
        (r#""moves":[],"boardYSize":9"#, "boardXSize", size),
        (
            r#""moves":[],"boardXsize":9,"boardYSize":9"#,
            "boardXSize",
            &format!("{size}; did you mean `boardXSize` instead of `boardXsize`?"),
        ),
        (
            &format!(r#""moves":[],{BOARD},"analyseTurns":[0],"priorities":[1]"#),
            "priorities",
            "Can only specify when also specifying analyzeTurns; \
             did you mean `analyzeTurns` instead of `analyseTurns`?",
        ),
        (
            r#""action":"terminate","terminatId":"q""#,
            "terminateId",
            &format!("{target}; did you mean `terminateId` instead of `terminatId`?"),
        ),
        (
            r#""action":"querry_version""#,
            "action",
            "'action' field must be 'query_version' or 'query_models' or 'clear_cache' or \
             'terminate' or 'terminate_all', not `querry_version`; did you mean `query_version`?",
        ),
    ] {
        let expected = json!({"error": text, "field": field, "id": "q"});
        assert_eq!(one(&query(fields)), expected);
    }
    let text = "Request must have a string \"id\" field; did you mean `id` instead of `ID`?";
    assert_eq!(one("{\"ID\":\"q\",\"moves\":[]}\n"), json!({"error": text}));
}

#[test]
fn a_misspelt_field_of_an_action_is_told_and_sent_back() {
    let line = r#"{"id":"t","action":"terminate_all","turnNumber":[3],"more":1}"#;
    let answers = ask(&options(1), line);
    let text = "Unexpected or unused field, do you have a typo? Did you mean `turnNumbers`?";
    let warning = json!({"warning": text, "field": "turnNumber", "id": "t"});
    assert_eq!(answers, [warning, serde_json::from_str(line).unwrap()]);
}
