//! SPRTs and their models as text.

use std::fmt;
use std::str::FromStr;

use super::sprt::{Model, Sprt, SprtError};

/// The default of both error rates.
const RATE: f64 = 0.05;

/// The parts that are numbers, each with an example.
const NUMBERS: [(&str, f64); 4] = [
    ("elo0", 0.0),
    ("elo1", 10.0),
    ("alpha", RATE),
    ("beta", RATE),
];

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Logistic => "logistic",
            Self::Normalised => "normalized",
        })
    }
}

impl FromStr for Model {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Self, SprtError> {
        match text {
            "logistic" => Ok(Self::Logistic),
            "normalized" | "normalised" => Ok(Self::Normalised),
            _ => Err(SprtError(format!(
                "invalid model `{}`: expected logistic or normalized",
                quoted(text)
            ))),
        }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "elo0={} elo1={} ", self.elo0, self.elo1)?;
        write!(f, "alpha={} beta={} ", self.alpha, self.beta)?;
        write!(f, "model={}", self.model)
    }
}

impl FromStr for Sprt {
    type Err = SprtError;

    /// Reads `elo0=0 elo1=10 alpha=0.05 beta=0.05 model=logistic`, words in any order, separated by
    /// blanks or commas. The last three are optional and default to these values.
    fn from_str(text: &str) -> Result<Self, SprtError> {
        let mut numbers = [None; NUMBERS.len()];
        let mut model = None;
        let blank = |c: char| c.is_whitespace() || c == ',';
        for word in text.split(blank).filter(|word| !word.is_empty()) {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let is_repeated = if key == "model" {
                model.replace(value.parse::<Model>()?).is_some()
            } else if let Some(place) = NUMBERS.iter().position(|(name, _)| *name == key) {
                let (name, example) = NUMBERS[place];
                let number: f64 = value.parse().map_err(|_| {
                    let value = quoted(value);
                    let expected = format!("expected a number, such as {name}={example}");
                    SprtError(format!("invalid {name} `{value}`: {expected}"))
                })?;
                numbers[place].replace(number).is_some()
            } else {
                return Err(SprtError(format!(
                    "unknown part `{}` of a test: expected elo0=, elo1=, alpha=, beta= or model=",
                    quoted(word)
                )));
            };
            if is_repeated {
                let word = quoted(word);
                let problem = format!("duplicate part `{word}` of a test: expected {key}= once");
                return Err(SprtError(problem));
            }
        }
        let missing = || {
            let text = quoted(text);
            SprtError(format!(
                "invalid test `{text}`: expected elo0 and elo1, such as elo0=0 elo1=10"
            ))
        };
        let [elo0, elo1, alpha, beta] = numbers;
        Sprt::new(
            elo0.ok_or_else(missing)?,
            elo1.ok_or_else(missing)?,
            alpha.unwrap_or(RATE),
            beta.unwrap_or(RATE),
            model.unwrap_or_default(),
        )
    }
}

impl TryFrom<String> for Sprt {
    type Error = SprtError;

    fn try_from(text: String) -> Result<Self, SprtError> {
        text.parse()
    }
}

impl From<Sprt> for String {
    fn from(sprt: Sprt) -> Self {
        sprt.to_string()
    }
}

fn quoted(text: &str) -> String {
    crate::util::quote::shorten(text, 60)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(text: &str) -> String {
        text.parse::<Sprt>().unwrap_err().to_string()
    }

    #[test]
    fn models_have_names() {
        for (text, model, name) in [
            ("logistic", Model::Logistic, "logistic"),
            ("normalized", Model::Normalised, "normalized"),
            ("normalised", Model::Normalised, "normalized"),
        ] {
            assert_eq!(text.parse(), Ok(model));
            assert_eq!(model.to_string(), name);
        }
        assert_eq!(
            "bayesian".parse::<Model>().unwrap_err().to_string(),
            "invalid model `bayesian`: expected logistic or normalized"
        );
    }

    #[test]
    fn words_in_any_order() {
        let sprt = Sprt::new(0.0, 10.0, 0.05, 0.1, Model::Normalised).unwrap();
        for text in [
            "elo0=0 elo1=10 alpha=0.05 beta=0.1 model=normalized",
            " model=normalised,beta=.1,  elo1=1e1, elo0=0 ",
        ] {
            assert_eq!(text.parse(), Ok(sprt));
        }
        let least: Sprt = "elo0=-2.5 elo1=2".parse().unwrap();
        assert_eq!(
            least.to_string(),
            "elo0=-2.5 elo1=2 alpha=0.05 beta=0.05 model=logistic"
        );
    }

    #[test]
    fn stored_as_text() {
        let sprt = Sprt::new(0.0, 10.0, 0.05, 0.1, Model::Normalised).unwrap();
        let json = serde_json::to_string(&sprt).unwrap();
        assert_eq!(
            json,
            "\"elo0=0 elo1=10 alpha=0.05 beta=0.1 model=normalized\""
        );
        assert_eq!(serde_json::from_str::<Sprt>(&json).unwrap(), sprt);
        let error = serde_json::from_str::<Sprt>("\"elo0=0\"").unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("invalid test `elo0=0`: expected")
        );
    }

    #[test]
    fn wrong_texts_are_quoted() {
        for (text, expected) in [
            (
                "elo0=0 elo1=5 gamma=1",
                "unknown part `gamma=1` of a test: expected elo0=, elo1=, alpha=, beta= or model=",
            ),
            (
                "elo0=0 elo1=5 elo0=0",
                "duplicate part `elo0=0` of a test: expected elo0= once",
            ),
            (
                "elo0=0 elo1=5 model=logistic model=logistic",
                "duplicate part `model=logistic` of a test: expected model= once",
            ),
            (
                "elo0=0 elo1=five",
                "invalid elo1 `five`: expected a number, such as elo1=10",
            ),
            (
                "elo0=0 elo1=5 alpha",
                "invalid alpha ``: expected a number, such as alpha=0.05",
            ),
            (
                "",
                "invalid test ``: expected elo0 and elo1, such as elo0=0 elo1=10",
            ),
            (
                "elo0=0,elo1=5,model=bayesian",
                "invalid model `bayesian`: expected logistic or normalized",
            ),
            (
                "elo0=0 elo1=5 alpha=0.7 beta=0.3",
                "invalid alpha `0.7` and beta `0.3`: \
                 expected both above 0 and their sum below 1",
            ),
        ] {
            assert_eq!(message(text), expected);
        }
        assert!(message("elo0=NaN elo1=5").starts_with("invalid elo0 `NaN` and elo1 `5`: "));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(elo0|elo1|alpha|model|=|[0-9.]|,| |.){0,12}") {
            let _ = text.parse::<Sprt>();
        }

        #[test]
        fn what_is_written_reads_back(
            elo0 in -4000.0..0.0,
            elo1 in 0.0..4000.0,
            alpha in 0.001..0.5,
            beta in 0.001..0.5,
            normalised: bool,
        ) {
            let model = if normalised { Model::Normalised } else { Model::Logistic };
            let sprt = Sprt::new(elo0, elo1, alpha, beta, model).unwrap();
            prop_assert_eq!(sprt.to_string().parse(), Ok(sprt));
        }
    }
}
