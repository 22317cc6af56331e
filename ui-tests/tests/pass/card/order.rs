//! The keys of JSON in a card reach the model in the order of the card.
use std::sync::Arc;

use onionskin::{App, ScriptedModel, ScriptedTurn, agent};

agent!(card = "cards/order/order.yaml");

pub(crate) fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("{}")]));
    runtime.block_on(async {
        let app = App::builder().agent::<Order>().model(Arc::clone(&model)).build().await.unwrap();
        app.run("Go.").await.unwrap();
    });
    let params = serde_json::to_string(&model.requests()[0].params).unwrap();
    for part in [
        r#""properties":{"reasoning":{"type":"string"},"answer":{"type":"string"}}"#,
        r#""extra_body":{"z":1,"a":2}"#,
    ] {
        assert!(params.contains(part), "{part}: {params}");
    }
}
