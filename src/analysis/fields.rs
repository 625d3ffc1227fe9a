//! The JSON object of a line, read field by field.

use std::fmt;
use std::ops::RangeInclusive;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value, json};

use crate::util::quote::shorten;

/// An error or a warning about a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remark {
    /// The name of the field, unless the remark is about the whole line.
    pub(super) field: Option<String>,
    /// One sentence.
    pub(super) message: String,
}

impl Remark {
    pub(super) fn new(field: &str, message: impl Into<String>) -> Self {
        Self {
            field: Some(field.to_string()),
            message: message.into(),
        }
    }

    pub(super) fn general(message: impl Into<String>) -> Self {
        Self {
            field: None,
            message: message.into(),
        }
    }

    /// The answer with this remark; `kind` is `error` or `warning`.
    pub(super) fn object(&self, kind: &str, id: Option<&str>) -> Value {
        match (&self.field, id) {
            (Some(field), Some(id)) => json!({ kind: self.message, "field": field, "id": id }),
            (Some(field), None) => json!({ kind: self.message, "field": field }),
            (None, _) => json!({ kind: self.message }),
        }
    }
}

/// A JSON value as a message quotes it.
pub(super) fn quoted(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    shorten(&text, 60)
}

/// An object whose fields are taken out one by one. What remains is unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    /// Reads a line.
    ///
    /// # Errors
    /// The line is not a JSON object, or has a duplicate name.
    pub(super) fn parse(line: &[u8]) -> Result<Self, Remark> {
        let read = if line.trim_ascii_start().starts_with(b"{") {
            serde_json::from_slice(line).map(Some)
        } else {
            // Read to its end, to find syntax errors.
            serde_json::from_slice(line).map(|_: Value| None)
        };
        let why = match read {
            Ok(Some(fields)) => return Ok(fields),
            Ok(None) => "Request line was valid json but was not an object, ignoring".to_string(),
            Err(error) => format!("{error} - could not parse input line as json request"),
        };
        let line = shorten(&String::from_utf8_lossy(line), 60);
        Err(Remark::general(format!("{why}: `{line}`")))
    }

    pub(super) fn of(map: Map<String, Value>) -> Self {
        Self(map)
    }

    /// A copy of what remains, as an object.
    pub(super) fn object(&self) -> Map<String, Value> {
        self.0.clone()
    }

    pub(super) fn into_pairs(self) -> impl Iterator<Item = (String, Value)> {
        self.0.into_iter()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// A field converted by `read`. `expected` begins the error if that fails.
    fn read<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, Remark> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let found = read(&value).ok_or_else(|| wrong(name, expected, &value))?;
        Ok(Some(found))
    }

    pub(super) fn integer<T: TryFrom<i64> + PartialOrd>(
        &mut self,
        name: &str,
        range: RangeInclusive<T>,
        expected: &str,
    ) -> Result<Option<T>, Remark> {
        self.read(name, expected, |value| {
            let number = T::try_from(value.as_i64()?).ok()?;
            range.contains(&number).then_some(number)
        })
    }

    pub(super) fn number(
        &mut self,
        name: &str,
        range: RangeInclusive<f64>,
        expected: &str,
    ) -> Result<Option<f64>, Remark> {
        let inside = |number: &f64| range.contains(number);
        self.read(name, expected, |value| value.as_f64().filter(inside))
    }

    /// A boolean; false if it is missing.
    pub(super) fn boolean(&mut self, name: &str) -> Result<bool, Remark> {
        let found = self.read(name, "Must be a boolean", Value::as_bool)?;
        Ok(found.unwrap_or(false))
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Remark> {
        let text = |value: &Value| value.as_str().map(str::to_string);
        self.read(name, "Must be a string", text)
    }

    pub(super) fn integers(
        &mut self,
        name: &str,
        expected: &str,
    ) -> Result<Option<Vec<i64>>, Remark> {
        self.read(name, expected, |value| {
            value.as_array()?.iter().map(Value::as_i64).collect()
        })
    }

    pub(super) fn list(
        &mut self,
        name: &str,
        expected: &str,
    ) -> Result<Option<Vec<Value>>, Remark> {
        match self.take(name) {
            None => Ok(None),
            // The list may be long, so it is moved, not copied.
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(other) => Err(wrong(name, expected, &other)),
        }
    }

    pub(super) fn inner(&mut self, name: &str) -> Result<Option<Self>, Remark> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Self(map))),
            Some(other) => Err(wrong(name, "Must be an object", &other)),
        }
    }
}

fn wrong(name: &str, expected: &str, found: &Value) -> Remark {
    let found = quoted(found);
    Remark::new(name, format!("{expected}, not `{found}`"))
}

/// Duplicate names are an error, since a value would be lost.
impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Names)
    }
}

struct Names;

impl<'de> Visitor<'de> for Names {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Fields, A::Error> {
        let mut map = Map::new();
        while let Some((name, value)) = object.next_entry::<String, Value>()? {
            let shown = shorten(&name, 60);
            if map.insert(name, value).is_some() {
                return Err(A::Error::custom(format!("duplicate field `{shown}`")));
            }
        }
        Ok(Fields(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(line: &str) -> String {
        Fields::parse(line.as_bytes()).unwrap_err().message
    }

    #[test]
    fn only_objects_are_read() {
        for line in ["", "{", "nul", "\"a", "{\"a\":1} x", "[1,", "{\"a\":1e999}"] {
            let text = refusal(line);
            let end = format!("could not parse input line as json request: `{line}`");
            assert!(text.ends_with(&end), "{text}");
        }
        for line in "[] [{\"a\":1}] 1 -1 1.5 null true \"a\"".split(' ') {
            let text = refusal(line);
            assert!(text.contains("was not an object"), "{text}");
        }
        let deep = format!("{{\"a\":{}", "[".repeat(100_000));
        assert!(refusal(&deep).contains("recursion limit"));
        assert!(refusal("{\"a\":1,\"b\":2,\"a\":3}").contains("duplicate field `a`"));
        assert!(Fields::parse(b"{\"a\":\"\xff\"}").is_err());
    }

    #[test]
    fn fields_have_types_and_ranges() {
        let line = br#"{"i":3,"x":1.5,"t":"a","b":true,"l":[1,2],"o":{"k":null},"n":null}"#;
        let fields = Fields::parse(line).unwrap();
        let all = || fields.clone();
        assert_eq!(all().integer("i", 1..=3, "one to three"), Ok(Some(3)));
        assert_eq!(all().integer("none", 1..=3, ""), Ok(None));
        let remark = all().integer("i", 1..=2, "Must be 1 or 2").unwrap_err();
        assert_eq!(remark, Remark::new("i", "Must be 1 or 2, not `3`"));
        for name in ["x", "t", "n"] {
            assert!(all().integer(name, -9..=9, "").is_err(), "{name}");
        }
        assert_eq!(all().number("x", 0.0..=2.0, ""), Ok(Some(1.5)));
        assert_eq!(all().number("i", 0.0..=9.0, ""), Ok(Some(3.0)));
        assert!(all().number("x", 0.0..=1.0, "").is_err());
        assert_eq!(all().boolean("b"), Ok(true));
        assert_eq!(all().boolean("z"), Ok(false));
        assert!(all().boolean("i").is_err());
        assert_eq!(all().text("t"), Ok(Some("a".to_string())));
        assert_eq!(all().integers("l", ""), Ok(Some(vec![1, 2])));
        assert!(all().integers("t", "").is_err() && all().list("o", "").is_err());
        assert!(all().inner("o").unwrap().unwrap().has("k"));
        let mut left = all();
        left.take("i");
        let names: Vec<&str> = left.names().collect();
        assert_eq!(names, ["b", "l", "n", "o", "t", "x"]);
    }
}
