//! What budgets count.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::Cost;

/// What a budget limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Resource {
    /// Input and output tokens of models.
    Tokens,
    /// Money, in micro-units of the currency of the [`Prices`](crate::model::Prices).
    Money,
    /// Starts of tools.
    Calls,
    /// The time of model requests and tools, in microseconds.
    Time,
}

impl Resource {
    /// All resources.
    pub const ALL: [Self; 4] = [Self::Tokens, Self::Money, Self::Calls, Self::Time];

    /// An amount of this resource, for people.
    pub(super) fn number(self, amount: u64) -> impl fmt::Display {
        fmt::from_fn(move |f| match self {
            Self::Tokens | Self::Calls => write!(f, "{amount}"),
            Self::Money => write!(f, "{}", Cost::from_micros(amount)),
            Self::Time => write!(f, "{:?}", Duration::from_micros(amount)),
        })
    }

    /// What follows the number.
    pub(super) fn unit(self) -> &'static str {
        match self {
            Self::Tokens => " tokens",
            Self::Money => " in money",
            Self::Calls => " tool calls",
            Self::Time => "",
        }
    }
}

/// An amount of each [`Resource`].
///
/// ```
/// use onionskin::budget::{Amounts, Resource};
///
/// let request = Amounts::from_fn(|resource| if resource == Resource::Tokens { 120 } else { 0 });
/// assert_eq!((request.tokens, request.get(Resource::Calls)), (120, 0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Amounts {
    /// Input and output tokens of models.
    pub tokens: u64,
    /// Money, in micro-units of the currency of the prices.
    pub money: u64,
    /// Starts of tools.
    pub calls: u64,
    /// The time of model requests and tools, in microseconds.
    pub time: u64,
}

impl Amounts {
    /// The amounts that the function returns.
    pub fn from_fn(mut amount: impl FnMut(Resource) -> u64) -> Self {
        Self {
            tokens: amount(Resource::Tokens),
            money: amount(Resource::Money),
            calls: amount(Resource::Calls),
            time: amount(Resource::Time),
        }
    }

    /// The amount of a resource.
    pub fn get(&self, resource: Resource) -> u64 {
        match resource {
            Resource::Tokens => self.tokens,
            Resource::Money => self.money,
            Resource::Calls => self.calls,
            Resource::Time => self.time,
        }
    }

    /// Whether all amounts are zero.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}
