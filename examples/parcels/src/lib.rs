//! An example of a library of tools: what parcels cost, and with the feature `tracking` where they are.
//!
//! The program that uses it provides a [`Tariff`], for example with `.provide(tariff)` of an agent's builder, and names the
//! tools and the hook in its own agents, or takes [`ParcelDesk`] as one of them. The library asks for no state of the program.
//!
//! It depends on Onionskin under the name `skin`, which all its macros name with `crate = skin`. Two packages have this source:
//! one on the facade, the other one on `onionskin-core`.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;

use skin::{Args, Exit, Next, Provided, ToolResult, agent, tool, tool_hook};

/// What parcels cost, and what the carrier takes. The program provides it.
#[derive(Debug, Clone)]
pub struct Tariff {
    cents_per_kilogram: BTreeMap<String, u64>,
    most_grams: u64,
    #[cfg(feature = "tracking")]
    places: BTreeMap<String, String>,
}

impl Tariff {
    /// A tariff for parcels of up to `most_grams`, without countries.
    pub fn new(most_grams: u64) -> Self {
        Self {
            cents_per_kilogram: BTreeMap::new(),
            most_grams,
            #[cfg(feature = "tracking")]
            places: BTreeMap::new(),
        }
    }

    /// Sets what each kilogram to a country costs, in cents.
    #[must_use]
    pub fn country(mut self, name: &str, cents_per_kilogram: u64) -> Self {
        self.cents_per_kilogram.insert(name.to_owned(), cents_per_kilogram);
        self
    }

    /// Sets where a parcel is.
    #[cfg(feature = "tracking")]
    #[must_use]
    pub fn place(mut self, number: &str, place: &str) -> Self {
        self.places.insert(number.to_owned(), place.to_owned());
        self
    }
}

/// Says what a parcel costs, in cents.
///
/// # Errors
/// Returns an error if no parcels go to the country.
#[tool(crate = skin, effect = pure)]
pub fn quote(
    tariff: &Provided<Tariff>,
    /// The country that it goes to.
    country: &str,
    /// Its weight.
    #[arg(range(1..))]
    grams: u64,
) -> Result<u64, String> {
    let cents = tariff.cents_per_kilogram.get(country);
    let cents = cents.ok_or_else(|| format!("no parcels go to {country}"))?;
    Ok(cents * grams.div_ceil(1000))
}

/// Says where a parcel is.
///
/// # Errors
/// Returns an error if there is no such parcel.
#[cfg(feature = "tracking")]
#[tool(crate = skin, effect = pure)]
pub fn track(
    tariff: &Provided<Tariff>,
    /// The number of the parcel.
    number: &str,
) -> Result<String, String> {
    tariff.places.get(number).cloned().ok_or_else(|| format!("there is no parcel {number}"))
}

/// Refuses parcels that are heavier than the carrier takes: calls of any tool with an argument `grams`.
///
/// # Errors
/// Returns an error for a parcel that is too heavy, and the errors of the call.
#[tool_hook(crate = skin)]
pub async fn not_too_heavy(tariff: &Provided<Tariff>, args: &mut Args, next: impl Next) -> ToolResult {
    let grams = args.get("grams").map_or(0, |grams| grams.as_u64().unwrap_or_default());
    if grams > tariff.most_grams {
        return Err(Exit::tool(format!("a parcel weighs at most {} grams", tariff.most_grams)));
    }
    next.run(args).await
}

agent! {
    /// Knows parcels.
    pub ParcelDesk {
        crate: skin,
        description: "Says what parcels cost, and where they are if the carrier tracks them.",
        instruction: "Answer with your tools.",
        function_tools: [quote, #[cfg(feature = "tracking")] track],
        tool_hooks: [not_too_heavy for [quote]],
    }
}
