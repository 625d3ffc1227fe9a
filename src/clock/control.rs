//! Time controls, and how GTP writes them.

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

use std::fmt;
use std::time::Duration;

/// The names of the time controls, as `kata-list_time_settings` lists them.
pub(crate) const TIME_CONTROL_NAMES: [&str; 6] = [
    "none",
    "absolute",
    "byoyomi",
    "canadian",
    "fischer",
    "fischer-capped",
];

/// The longest time that is accepted, in seconds: every client can express it.
pub(crate) const MAX_SECONDS: u32 = 0x7fff_ffff;

/// How the thinking time of a player is limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeControl {
    #[default]
    Unlimited,
    /// One time for the whole game; with zero, every move must be played at once.
    Absolute { main: Duration },
    /// After the main time, each move may take one period; a longer move uses up further periods.
    ByoYomi {
        main: Duration,
        /// More than zero.
        period: Duration,
        /// 1 or more.
        periods: u32,
    },
    /// After the main time, a number of stones has to be played in each period.
    Canadian {
        main: Duration,
        /// More than zero.
        period: Duration,
        /// 1 or more.
        stones: u32,
    },
    /// Each move made adds time to the clock.
    Fischer { main: Duration, increment: Duration },
    /// Fischer with two limits.
    FischerCapped {
        main: Duration,
        increment: Duration,
        /// The most time that an increment can leave on the clock; `None` is no limit.
        main_limit: Option<Duration>,
        /// The most time that one move may take; `None` is no limit.
        max_per_move: Option<Duration>,
    },
}

impl TimeControl {
    /// The control of GTP's `time_settings main byo stones`, times in seconds:
    ///
    /// - `byo > 0` and `stones == 0`: no limit;
    /// - `byo == 0`: absolute, whatever the stones; `0 0 0` wants every move at once;
    /// - otherwise Canadian.
    ///
    /// # Errors
    /// A time that is infinite, negative or over [`MAX_SECONDS`].
    pub(crate) fn from_gtp(main: f64, byo: f64, stones: u32) -> Result<Self, String> {
        let main = duration(main, &main.to_string())?;
        let period = duration(byo, &byo.to_string())?;
        Ok(Self::canadian(main, period, stones))
    }

    /// Reads the arguments of `kata-time_settings`, times in seconds: `none`, `absolute MAIN`,
    /// `byoyomi MAIN PERIOD PERIODS`, `canadian MAIN PERIOD STONES`, `fischer MAIN INCREMENT` or
    /// `fischer-capped MAIN INCREMENT MAIN_LIMIT MAX_PER_MOVE`. The name may be in either case.
    ///
    /// A negative limit means none. `canadian` with 0 stones or a period of 0 means the same as for
    /// [`TimeControl::from_gtp`]; `byoyomi` with 0 periods or a period of 0 is absolute.
    ///
    /// # Errors
    /// One sentence that quotes what is wrong: no word, an unknown name, too few or too many values,
    /// or a wrong one.
    pub(crate) fn from_kata<S: AsRef<str>>(arguments: &[S]) -> Result<Self, String> {
        let words: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let names = || format!("expected one of {}", TIME_CONTROL_NAMES.join(", "));
        let Some((name, values)) = words.split_first() else {
            return Err(format!("missing time control: {}", names()));
        };
        let wrong = |usage: &str| {
            let text = words.join(" ");
            Err(format!(
                "wrong number of values in `{text}`: expected `{usage}`"
            ))
        };
        match (name.to_ascii_lowercase().as_str(), values) {
            ("none", []) => Ok(Self::Unlimited),
            ("none", _) => wrong("none"),
            ("absolute", [main]) => Ok(Self::Absolute {
                main: seconds(main)?,
            }),
            ("absolute", _) => wrong("absolute MAIN"),
            ("byoyomi", [main, period, periods]) => {
                let (main, period) = (seconds(main)?, seconds(period)?);
                Ok(match count(periods)? {
                    0 => Self::Absolute { main },
                    _ if period.is_zero() => Self::Absolute { main },
                    periods => Self::ByoYomi {
                        main,
                        period,
                        periods,
                    },
                })
            }
            ("byoyomi", _) => wrong("byoyomi MAIN PERIOD PERIODS"),
            ("canadian", [main, period, stones]) => Ok(Self::canadian(
                seconds(main)?,
                seconds(period)?,
                count(stones)?,
            )),
            ("canadian", _) => wrong("canadian MAIN PERIOD STONES"),
            ("fischer", [main, increment]) => Ok(Self::Fischer {
                main: seconds(main)?,
                increment: seconds(increment)?,
            }),
            ("fischer", _) => wrong("fischer MAIN INCREMENT"),
            ("fischer-capped", [main, increment, limit, max_per_move]) => {
                let main = seconds(main)?;
                let main_limit = optional_seconds(limit)?;
                if main_limit.is_some_and(|limit| limit < main) {
                    let least = main.as_secs_f64();
                    return Err(format!(
                        "main time limit `{limit}` is below the main time: \
                         expected {least} seconds or more, or -1 for no limit"
                    ));
                }
                Ok(Self::FischerCapped {
                    main,
                    increment: seconds(increment)?,
                    main_limit,
                    max_per_move: optional_seconds(max_per_move)?,
                })
            }
            ("fischer-capped", _) => wrong("fischer-capped MAIN INCREMENT MAIN_LIMIT MAX_PER_MOVE"),
            _ => Err(format!("unknown time control `{name}`: {}", names())),
        }
    }

    fn canadian(main: Duration, period: Duration, stones: u32) -> Self {
        match (period.is_zero(), stones) {
            (true, _) => Self::Absolute { main },
            (false, 0) => Self::Unlimited,
            (false, stones) => Self::Canadian {
                main,
                period,
                stones,
            },
        }
    }

    /// The main time; `None` without a limit.
    pub(crate) fn main(&self) -> Option<Duration> {
        match *self {
            Self::Unlimited => None,
            Self::Absolute { main }
            | Self::ByoYomi { main, .. }
            | Self::Canadian { main, .. }
            | Self::Fischer { main, .. }
            | Self::FischerCapped { main, .. } => Some(main),
        }
    }

    /// A full period with its stones, or the full number of periods.
    pub(super) fn overtime(&self) -> Option<Overtime> {
        match *self {
            Self::ByoYomi {
                period,
                periods: count,
                ..
            }
            | Self::Canadian {
                period,
                stones: count,
                ..
            } => Some(Overtime {
                left: period,
                count: count.max(1),
            }),
            _ => None,
        }
    }
}

/// Writes the arguments of `kata-time_settings`.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |time: Duration| time.as_secs_f64();
        let limit = |time: Option<Duration>| time.map_or(-1.0, s);
        match *self {
            Self::Unlimited => write!(f, "none"),
            Self::Absolute { main } => write!(f, "absolute {}", s(main)),
            Self::ByoYomi {
                main,
                period,
                periods,
            } => write!(f, "byoyomi {} {} {periods}", s(main), s(period)),
            Self::Canadian {
                main,
                period,
                stones,
            } => write!(f, "canadian {} {} {stones}", s(main), s(period)),
            Self::Fischer { main, increment } => {
                write!(f, "fischer {} {}", s(main), s(increment))
            }
            Self::FischerCapped {
                main,
                increment,
                main_limit,
                max_per_move,
            } => write!(
                f,
                "fischer-capped {} {} {} {}",
                s(main),
                s(increment),
                limit(main_limit),
                limit(max_per_move)
            ),
        }
    }
}

fn duration(value: f64, text: &str) -> Result<Duration, String> {
    if (0.0..=f64::from(MAX_SECONDS)).contains(&value)
        && let Ok(time) = Duration::try_from_secs_f64(value)
    {
        return Ok(time);
    }
    Err(format!(
        "invalid time `{text}`: expected 0 to {MAX_SECONDS} seconds"
    ))
}

fn seconds(text: &str) -> Result<Duration, String> {
    duration(text.parse().unwrap_or(f64::NAN), text)
}

fn optional_seconds(text: &str) -> Result<Option<Duration>, String> {
    match text.parse::<f64>() {
        Ok(value) if value < 0.0 && value.is_finite() => Ok(None),
        _ => seconds(text).map(Some),
    }
}

fn count(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| {
        let expected = format!("expected a whole number from 0 to {}", u32::MAX);
        format!("invalid number of stones or periods `{text}`: {expected}")
    })
}

/// The overtime that runs: the time left of the period, and the stones left to play in it (Canadian)
/// or the periods left, this one included (byo-yomi); 1 or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overtime {
    pub(super) left: Duration,
    pub(super) count: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn s(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn kata(text: &str) -> Result<TimeControl, String> {
        TimeControl::from_kata(&text.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn time_settings_of_gtp() {
        let gtp = |main, byo, stones| TimeControl::from_gtp(main, byo, stones).unwrap();
        assert_eq!(gtp(0.0, 1.0, 0), TimeControl::Unlimited);
        assert_eq!(gtp(60.0, 0.0, 0), TimeControl::Absolute { main: s(60.0) });
        assert_eq!(gtp(60.0, 0.0, 5), TimeControl::Absolute { main: s(60.0) });
        assert_eq!(gtp(0.0, 0.0, 0), TimeControl::Absolute { main: s(0.0) });
        assert_eq!(gtp(0.5, 30.0, 1), kata("canadian 0.5 30 1").unwrap());
        assert!(TimeControl::from_gtp(f64::from(MAX_SECONDS), 0.0, 0).is_ok());
        for bad in [f64::NAN, f64::INFINITY, -1.0, 2.2e9] {
            let text = format!("invalid time `{bad}`: expected 0 to 2147483647 seconds");
            let error = Err(text);
            assert_eq!(TimeControl::from_gtp(bad, 0.0, 0), error);
            assert_eq!(TimeControl::from_gtp(0.0, bad, 0), error);
        }
    }

    #[test]
    fn controls_read_and_write_alike() {
        for text in [
            "none",
            "absolute 900.5",
            "byoyomi 60 10 3",
            "canadian 0 300 25",
            "fischer 180 2.5",
            "fischer-capped 60 5 120 20",
            "fischer-capped 60 5 -1 -1",
        ] {
            assert_eq!(kata(text).unwrap().to_string(), text);
            assert_eq!(kata(&text.to_uppercase()), kata(text));
            let name = text.split(' ').next().unwrap();
            assert!(TIME_CONTROL_NAMES.contains(&name));
        }
    }

    #[test]
    fn overtime_of_nothing_is_none() {
        let absolute = Ok(TimeControl::Absolute { main: s(60.0) });
        assert_eq!(kata("byoyomi 60 10 0"), absolute);
        assert_eq!(kata("byoyomi 60 0 3"), absolute);
        assert_eq!(kata("canadian 60 0 3"), absolute);
        assert_eq!(kata("canadian 60 0 0"), absolute);
        assert_eq!(kata("canadian 60 9 0"), Ok(TimeControl::Unlimited));
    }

    #[test]
    fn a_limit_of_nothing_is_a_limit() {
        assert_eq!(
            kata("fischer-capped 0 5 0 0"),
            Ok(TimeControl::FischerCapped {
                main: s(0.0),
                increment: s(5.0),
                main_limit: Some(s(0.0)),
                max_per_move: Some(s(0.0)),
            })
        );
    }

    #[test]
    fn a_wrong_number_of_values_gets_the_usage() {
        for (text, usage) in [
            ("none 1", "none"),
            ("absolute", "absolute MAIN"),
            ("byoyomi 60 10", "byoyomi MAIN PERIOD PERIODS"),
            ("canadian 60 10 5 1", "canadian MAIN PERIOD STONES"),
            ("fischer 60", "fischer MAIN INCREMENT"),
            (
                "fischer-capped 60 5",
                "fischer-capped MAIN INCREMENT MAIN_LIMIT MAX_PER_MOVE",
            ),
        ] {
            let expected = format!("wrong number of values in `{text}`: expected `{usage}`");
            assert_eq!(kata(text), Err(expected));
        }
    }

    #[test]
    fn errors_quote_what_is_wrong() {
        let message = |text: &str| kata(text).unwrap_err();
        // Other errors stand in the transcript `time.txt` of GTP.
        assert_eq!(
            message("byoyomi 60 10 2.5"),
            "invalid number of stones or periods `2.5`: expected a whole number from 0 to 4294967295"
        );
        assert_eq!(
            message("fischer-capped 60 5 59.5 -1"),
            "main time limit `59.5` is below the main time: \
             expected 60 seconds or more, or -1 for no limit"
        );
        for bad in ["nan", "inf", "-1", "2147483648", "1e300", "x", ""] {
            let expected = format!("invalid time `{bad}`: expected 0 to 2147483647 seconds");
            let error = Err(expected);
            assert_eq!(TimeControl::from_kata(&["absolute", bad]), error);
        }
        assert!(message("fischer-capped 60 5 -inf -1").starts_with("invalid time `-inf`"));
    }

    proptest! {
        #[test]
        fn any_words_are_read_or_refused(words in prop::collection::vec(".{0,12}", 0..7)) {
            let _ = TimeControl::from_kata(&words);
        }

        #[test]
        fn what_is_written_reads_back(main in 0u32..100_000, period in 1u32..1000, n in 1u32..50) {
            let (main, period) = (
                Duration::from_millis(main.into()),
                Duration::from_millis(period.into()),
            );
            for control in [
                TimeControl::ByoYomi { main, period, periods: n },
                TimeControl::Canadian { main, period, stones: n },
                TimeControl::Fischer { main, increment: period },
            ] {
                prop_assert_eq!(kata(&control.to_string()), Ok(control));
            }
        }
    }
}
