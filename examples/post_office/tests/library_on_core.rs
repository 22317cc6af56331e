//! A program on the facade with a library on core: the facade's items are core's.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use parcels_on_core::{ParcelDesk, Tariff, not_too_heavy, quote};
use rind::{ScriptedModel, ScriptedTurn, agent};
use serde_json::json;

agent! {
    Mixed {
        crate: rind,
        instruction: "Serve.",
        function_tools: [quote],
        agents: [ParcelDesk],
        tool_hooks: [not_too_heavy],
    }
}

#[tokio::test]
async fn t10_a_program_on_the_facade_uses_a_library_on_core() {
    let calls =
        [500, 5_000].map(|grams| ScriptedTurn::call("quote", json!({ "country": "Peru", "grams": grams })));
    let model = ScriptedModel::turns(calls.into_iter().chain([ScriptedTurn::say("done")]));
    let tariff = Tariff::new(4_000).country("Peru", 900);
    let output = Mixed::builder().model(model).provide(tariff).run("Go.").await.unwrap();
    assert_eq!(output.tool_calls[0].to_text(), "900");
    assert_eq!(output.tool_calls[1].to_text(), "a parcel weighs at most 4000 grams");
}
