#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use rind::{RunOutput, Tool as _};

use super::*;

async fn run(calls: impl IntoIterator<Item = ScriptedTurn>) -> RunOutput {
    let turns = calls.into_iter().chain([ScriptedTurn::say("done")]);
    counter(ScriptedModel::turns(turns)).await.unwrap().run("Go.").await.unwrap()
}

fn texts(output: &RunOutput) -> Vec<String> {
    output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
}

#[tokio::test]
async fn t7_a_library_s_tools_and_hook_have_the_service_of_the_program() {
    let quote = |country: &str, grams: u32| {
        ScriptedTurn::call("quote", json!({ "country": country, "grams": grams }))
    };
    let output = run([quote("Japan", 2_001), quote("Mars", 1), quote("Japan", 20_001)]).await;
    assert_eq!(texts(&output), ["6300", "no parcels go to Mars", "a parcel weighs at most 20000 grams"]);

    let error = Counter::builder().model(ScriptedModel::turns([])).build().await.unwrap_err().to_string();
    assert!(error.contains("Tariff") && error.contains(".provide("), "{error}");
}

#[tokio::test]
async fn a5_a_library_s_agent_is_a_child_of_the_program_s() {
    let ask = ScriptedTurn::call("agent__ParcelDesk", json!({ "input": "How much?" }));
    let quote = ScriptedTurn::call("quote", json!({ "country": "France", "grams": 500 }));
    let model = ScriptedModel::new()
        .agent("Counter", [ask, ScriptedTurn::say("{last}")])
        .agent("ParcelDesk", [quote, ScriptedTurn::say("{last} cents")]);
    assert_eq!(counter(model).await.unwrap().run("Go.").await.unwrap().text, "450 cents");
}

#[tokio::test]
async fn t10_a_tool_behind_a_feature_is_one_only_with_it() {
    let mut names = counter(ScriptedModel::turns([])).await.unwrap().tool_names().unwrap();
    names.sort_unstable();
    let desk = parcels::ParcelDesk::builder().model(ScriptedModel::turns([])).provide(tariff());
    let of_desk = desk.build().await.unwrap().tool_names().unwrap().len();
    if cfg!(feature = "tracking") {
        assert_eq!(names, ["agent__ParcelDesk", "quote", "stamps", "track"]);
        assert_eq!(of_desk, 2);
    } else {
        assert_eq!(names, ["agent__ParcelDesk", "quote", "stamps"]);
        assert_eq!(of_desk, 1);
    }
    assert_eq!(parcels::quote::NAME, "quote");
}

#[cfg(feature = "tracking")]
#[tokio::test]
async fn t10_a_tool_behind_a_feature_has_the_service_too() {
    let track = |number: &str| ScriptedTurn::call("track", json!({ "number": number }));
    assert_eq!(texts(&run([track("P7"), track("P8")]).await), ["in Lyon", "there is no parcel P8"]);
}
