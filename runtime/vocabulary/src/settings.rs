//! The values of limits, request parameters and other settings: their units and bounds, and the messages about them.

use std::time::Duration;

use crate::agent::{Choice, Limit, RequestParam};
use crate::messages::unknown;

/// The kind of the value of a limit or a request parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// A number.
    Number(Number),
    /// A list of texts.
    Texts,
    /// A word, or the name of a tool.
    ToolChoice,
    /// A map of JSON values.
    Map,
    /// One of these words.
    Word(Choice),
    /// `true` or `false`.
    Boolean,
}

/// A number, its unit and its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// The unit.
    pub unit: Unit,
    /// The minimum.
    pub least: Least,
    /// Whether there is no limit without it.
    pub is_optional: bool,
}

/// A setting that counts.
pub const COUNT: Number = Number { unit: Unit::LongWhole, least: Least::MoreThanZero, is_optional: false };

/// The unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A whole number of at most 32 bits.
    Whole,
    /// A whole number of at most 64 bits.
    LongWhole,
    /// Seconds, including fractions.
    Seconds,
    /// Any number.
    Fraction,
}

/// The minimum of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Least {
    /// Any value.
    Any,
    /// 0.
    Zero,
    /// More than 0.
    MoreThanZero,
}

/// The words for which `tool_choice` is not the name of a tool.
pub const TOOL_CHOICES: [&str; 3] = ["auto", "none", "required"];

impl Limit {
    /// Its number.
    pub const fn number(self) -> Number {
        let (unit, least) = match self {
            Self::Turns | Self::Depth => (Unit::Whole, Least::MoreThanZero),
            Self::ToolCalls | Self::MaxRetries | Self::OutputRetries | Self::ModelRetries => {
                (Unit::Whole, Least::Zero)
            }
            Self::Tokens => (Unit::LongWhole, Least::MoreThanZero),
            Self::Time | Self::ModelTimeout => (Unit::Seconds, Least::MoreThanZero),
        };
        Number { unit, least, is_optional: self.is_optional() }
    }

    /// Whether the limit has no default, so that runs have the limit only if it is set.
    pub const fn is_optional(self) -> bool {
        match self {
            Self::ToolCalls | Self::Tokens | Self::Time => true,
            Self::Turns
            | Self::Depth
            | Self::MaxRetries
            | Self::OutputRetries
            | Self::ModelTimeout
            | Self::ModelRetries => false,
        }
    }
}

impl RequestParam {
    /// The kind of its value.
    pub const fn kind(self) -> ValueKind {
        let (unit, least) = match self {
            Self::Temperature | Self::TopP => (Unit::Fraction, Least::Any),
            Self::MaxTokens => (Unit::Whole, Least::MoreThanZero),
            Self::Seed => (Unit::LongWhole, Least::Zero),
            Self::StopSequences => return ValueKind::Texts,
            Self::ToolChoice => return ValueKind::ToolChoice,
            Self::ResponseSchema | Self::ExtraBody => return ValueKind::Map,
            Self::ReasoningEffort => return ValueKind::Word(Choice::ReasoningEffort),
            Self::Verbosity => return ValueKind::Word(Choice::Verbosity),
            Self::ServiceTier => return ValueKind::Word(Choice::ServiceTier),
            Self::ParallelToolCalls => return ValueKind::Boolean,
        };
        ValueKind::Number(Number { unit, least, is_optional: false })
    }
}

impl Choice {
    /// The mistake of a word that is none of these.
    pub fn mistake(self, word: &str) -> Option<String> {
        self.variant(word).is_none().then(|| unknown("value", word, self.words()))
    }

    /// The mistake of a value that is not a word.
    pub fn expected(self, name: &str) -> String {
        let example = self.words().first().copied().unwrap_or_default();
        format!("expected one word: `{name}: {example}`")
    }
}

impl Number {
    /// An example.
    pub const fn example(self) -> &'static str {
        match self.unit {
            Unit::Whole | Unit::LongWhole | Unit::Seconds => "10",
            Unit::Fraction => "0.2",
        }
    }

    /// The mistake of a number outside its bounds.
    pub fn out_of_bounds(self, name: &str, number: f64) -> Option<String> {
        let without = if self.is_optional { NO_LIMIT } else { DEFAULT };
        if self.unit == Unit::Seconds {
            return time_mistake(name, number, without);
        }
        match self.least {
            Least::Zero if number < 0.0 => Some(format!("`{name}` must be at least 0")),
            Least::MoreThanZero if number <= 0.0 => {
                Some(format!("`{name}` must be at least 1; remove it {without}"))
            }
            Least::Any | Least::Zero | Least::MoreThanZero => None,
        }
    }

    /// The mistake of a number: it is out of its bounds, or not whole. `whole` is the number if it is written without a `.` and an
    /// exponent; `example` is a right one with its name.
    pub fn mistake(self, name: &str, number: f64, whole: Option<u64>, example: &str) -> Option<String> {
        if let Some(mistake) = self.out_of_bounds(name, number) {
            return Some(mistake);
        }
        let most = match self.unit {
            Unit::Whole => u64::from(u32::MAX),
            Unit::LongWhole => u64::MAX,
            Unit::Seconds | Unit::Fraction => return None,
        };
        match whole {
            None => Some(format!("`{name}` must be a whole number: `{example}`")),
            Some(whole) => (whole > most).then(|| format!("`{name}` must be at most {most}")),
        }
    }
}

/// The mistake of a time limit in seconds that has no default.
pub fn timeout_mistake(name: &str, seconds: f64) -> Option<String> {
    time_mistake(name, seconds, NO_LIMIT)
}

/// The behaviour without the setting.
const DEFAULT: &str = "to use the default";
const NO_LIMIT: &str = "for no limit";

fn time_mistake(name: &str, seconds: f64, without: &str) -> Option<String> {
    let most = match Duration::try_from_secs_f64(seconds) {
        // A `Duration` counts nanoseconds.
        Ok(time) if time.is_zero() => "more than 0".to_owned(),
        Err(_) if seconds < 0.0 => "more than 0".to_owned(),
        Err(_) => format!("at most {}", 2_f64.powi(64).next_down()),
        Ok(_) => return None,
    };
    Some(format!("`{name}` must be {most}; remove it {without}"))
}
