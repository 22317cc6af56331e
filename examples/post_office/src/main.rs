//! An example of a program with a library of tools: its agents use the tools, the hook and the agent of `parcels`, and it
//! provides the library's service. With the feature `tracking` they have one tool more.
//!
//! It depends on Onionskin under the name `rind`, and the library under the name `skin`. Two packages have this source: one on
//! the facade, the other one on `onionskin-core`.

#![forbid(unsafe_code)]

use parcels::Tariff;
use rind::{AgentHandle, BuildError, ScriptedModel, ScriptedTurn, agent, tool};
use serde_json::json;

/// Sells stamps.
#[tool(crate = rind)]
fn stamps(
    /// How many.
    #[arg(default = 1)]
    pieces: u32,
) -> String {
    format!("{pieces} sold")
}

agent! {
    /// Serves people at the counter.
    pub(crate) Counter {
        crate: rind,
        instruction: "Serve the customer.",
        function_tools: [stamps, parcels::quote, #[cfg(feature = "tracking")] parcels::track],
        agents: [parcels::ParcelDesk],
        tool_hooks: [parcels::not_too_heavy],
    }
}

fn tariff() -> Tariff {
    let tariff = Tariff::new(20_000).country("France", 450).country("Japan", 2_100);
    #[cfg(feature = "tracking")]
    let tariff = tariff.place("P7", "in Lyon");
    tariff
}

async fn counter(model: ScriptedModel) -> Result<AgentHandle, BuildError> {
    Counter::builder().model(model).provide(tariff()).build().await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let quote = ScriptedTurn::call("quote", json!({ "country": "France", "grams": 1_500 }));
    let counter = counter(ScriptedModel::turns([quote, ScriptedTurn::say("{last} cents.")])).await?;
    println!("the tools of the counter: {}", counter.tool_names()?.join(", "));
    println!("{}", counter.run("What does a parcel of 1.5 kg to France cost?").await?.text);
    Ok(())
}

#[cfg(test)]
mod tests;
