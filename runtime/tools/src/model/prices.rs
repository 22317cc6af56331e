//! What tokens cost.

use std::collections::BTreeMap;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Usage, UsageByModel};

/// The price of a model, in micro-units of a currency for a million tokens: 2.50 dollars are `2_500_000`.
///
/// Money is whole numbers, because sums of floating-point numbers are not exact. The currency is the program's:
/// use one for all prices.
///
/// ```
/// use onionskin::model::Price;
///
/// // 2.50 and 10 dollars for a million tokens, and 1.25 dollars for cached input.
/// let price = Price::new(2_500_000, 10_000_000).cached_input(1_250_000);
/// assert_eq!(price, serde_json::from_str(r#"{"input": 2500000, "output": 10000000, "cached_input": 1250000}"#).unwrap());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Price {
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Input tokens from the provider's cache; without a price, that of input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<u64>,
    /// Input tokens that are written into the provider's cache; without a price, that of input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Output tokens of reasoning; without a price, that of output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// A million uses of the provider's own tools; without a price, they cost only their tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_tools: Option<u64>,
}

impl Price {
    /// The prices of a million input and output tokens, in micro-units.
    pub fn new(input: u64, output: u64) -> Self {
        Self { input, output, cached_input: None, cache_write: None, reasoning: None, server_tools: None }
    }

    /// Sets the price of a million input tokens from the provider's cache, in micro-units.
    #[must_use]
    pub fn cached_input(mut self, price: u64) -> Self {
        self.cached_input = Some(price);
        self
    }

    /// Sets the price of a million input tokens that are written into the provider's cache, in micro-units.
    #[must_use]
    pub fn cache_write(mut self, price: u64) -> Self {
        self.cache_write = Some(price);
        self
    }

    /// Sets the price of a million output tokens of reasoning, in micro-units.
    #[must_use]
    pub fn reasoning(mut self, price: u64) -> Self {
        self.reasoning = Some(price);
        self
    }

    /// Sets the price of a million uses of the provider's own tools, in micro-units: 10 dollars for a thousand
    /// searches are `10_000_000_000`.
    #[must_use]
    pub fn server_tools(mut self, price: u64) -> Self {
        self.server_tools = Some(price);
        self
    }

    /// What the tokens cost.
    fn cost(&self, usage: &Usage) -> Cost {
        // A provider can report parts that are more than the whole.
        let cached = usage.cached_input_tokens.min(usage.input_tokens);
        let written = usage.cache_write_tokens.min(usage.input_tokens - cached);
        let reasoning = usage.reasoning_tokens.min(usage.output_tokens);
        [
            (usage.input_tokens - cached - written, self.input),
            (cached, self.cached_input.unwrap_or(self.input)),
            (written, self.cache_write.unwrap_or(self.input)),
            (usage.output_tokens - reasoning, self.output),
            (reasoning, self.reasoning.unwrap_or(self.output)),
            (usage.server_tool_uses, self.server_tools.unwrap_or(0)),
        ]
        .into_iter()
        .map(|(count, price)| Cost(u128::from(count) * u128::from(price)))
        .sum()
    }
}

/// The prices of models, which the program provides: none is built in. They can be read from a file with serde, as
/// a map from the names of models to prices.
///
/// ```
/// use onionskin::model::{Price, Prices, Usage};
///
/// let prices = Prices::new().with("small", Price::new(150_000, 600_000).cached_input(75_000));
/// let mut usage = Usage::new(10_000, 1_000);
/// usage.cached_input_tokens = 8_000;
/// // 2,000 tokens at 0.15, 8,000 at 0.075 and 1,000 at 0.60 for a million.
/// assert_eq!(prices.cost("small", &usage).unwrap().to_string(), "0.0015");
/// assert_eq!(prices.cost("large", &usage), None, "an unknown price is not zero");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prices(BTreeMap<Arc<str>, Price>);

impl Prices {
    /// No prices.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the price of the model with this name.
    #[must_use]
    pub fn with(mut self, model: impl Into<Arc<str>>, price: Price) -> Self {
        self.0.insert(model.into(), price);
        self
    }

    /// What tokens of a model cost; `None` if the model has no price.
    pub fn cost(&self, model: &str, usage: &Usage) -> Option<Cost> {
        Some(self.0.get(model)?.cost(usage))
    }

    /// What the tokens of several models cost.
    ///
    /// # Errors
    /// Returns an error if a model has no price. A sum without it would be too small.
    pub fn total_cost(&self, usage: &UsageByModel) -> Result<Cost, UnpricedModel> {
        let cost = |(model, usage): (&str, Usage)| {
            self.cost(model, &usage).ok_or_else(|| UnpricedModel { model: model.into() })
        };
        usage.iter().map(cost).sum()
    }
}

/// A model was asked that [`Prices`] does not contain.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("the model `{model}` has no price: add it with `Prices::with`, under this name")]
#[non_exhaustive]
pub struct UnpricedModel {
    /// The model.
    pub model: Arc<str>,
}

/// A `main` that returns the error shows it by `Debug`, so that is the text.
impl fmt::Debug for UnpricedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An exact amount of money, in the currency of the [`Prices`]. It is shown as a decimal number of the currency's
/// units, without a sign. A precision is the least number of decimals: no digit is cut.
///
/// ```
/// use onionskin::model::{Price, Prices, Usage};
///
/// let prices = Prices::new().with("small", Price::new(150_000, 600_000));
/// let one = prices.cost("small", &Usage::new(1, 0)).unwrap();
/// assert_eq!((one.to_string(), one.micros()), ("0.00000015".to_owned(), 1));
/// assert_eq!((one + one).picos(), 300_000);
/// let many = prices.cost("small", &Usage::new(10_000_000, 0)).unwrap();
/// assert_eq!(format!("{many} {many:>8.3} {one:.2}"), "1.50    1.500 0.00000015");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Cost(u128);

/// The pico-units of a unit.
const PICOS: u128 = 1_000_000_000_000;

impl Cost {
    /// This many micro-units.
    pub fn from_micros(micros: u64) -> Self {
        Self(u128::from(micros) * 1_000_000)
    }

    /// The amount in pico-units, the millionth part of a micro-unit: a token whose million costs 1 micro-unit costs
    /// 1 pico-unit.
    pub fn picos(self) -> u128 {
        self.0
    }

    /// The amount in micro-units, rounded up.
    pub fn micros(self) -> u128 {
        self.0.div_ceil(1_000_000)
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:012}", self.0 % PICOS);
        // At least cents. A precision would cut digits of an exact sum, so it counts as the least number of decimals.
        let length = decimals.trim_end_matches('0').len().max(f.precision().unwrap_or(2)).min(decimals.len());
        let text = format!("{}.{}", self.0 / PICOS, &decimals[..length]);
        match f.width() {
            Some(width) if f.align() == Some(fmt::Alignment::Left) => write!(f, "{text:<width$}"),
            Some(width) => write!(f, "{text:>width$}"),
            None => f.write_str(&text),
        }
    }
}
