//! A card whose ready hooks are those of a dependency under another name.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use onionskin_core::{App, ScriptedModel, ScriptedTurn, agent};

agent!(card = "cards/logged.md", crate = onionskin_core);

#[tokio::test]
async fn c2_a_ready_hook_of_a_card_is_that_of_the_crate_that_the_invocation_names() {
    let model = ScriptedModel::turns([ScriptedTurn::say("Yes.")]);
    let app = App::builder().agent::<Logged>().model(model).build().await.unwrap();
    assert_eq!(app.run("Well?").await.unwrap().text, "Yes.");
}
