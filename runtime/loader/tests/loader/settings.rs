//! Each request parameter and each limit of a card comes to the runtime.

use std::sync::Arc;

use onionskin::loader::Registry;
use onionskin::{ScriptedModel, ScriptedTurn};
use onionskin_core::__private0::outline::Outline;
use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::{Limit, RequestParam};
use serde_json::json;

use super::parts::add_one;
use super::{load, run};

fn registry() -> Registry {
    Registry::new().file("tools.rs", |items| items.tool::<add_one>())
}

#[tokio::test]
async fn c3_each_request_parameter_of_a_card_reaches_the_model() {
    for param in RequestParam::ALL {
        let (written, sent) = match param {
            RequestParam::Temperature => ("0.25", json!(0.25)),
            RequestParam::TopP => ("0.5", json!(0.5)),
            RequestParam::MaxTokens => ("7", json!(7)),
            RequestParam::Seed => ("3", json!(3)),
            RequestParam::StopSequences => ("[END]", json!(["END"])),
            RequestParam::ToolChoice => ("add_one", json!({ "tool": "add_one" })),
            RequestParam::ResponseSchema => (
                "{ name: weather, schema: { type: object } }",
                json!({ "name": "weather", "schema": { "type": "object" } }),
            ),
            RequestParam::ExtraBody => ("{ a: [1] }", json!({ "a": [1] })),
        };
        let card = format!(
            "instruction: A.\nfunction_tools: [tools.rs:add_one]\nrequest_params: {{ {param}: {written} }}\n"
        );
        let cards = load(registry(), &[("a.yaml", &card)]).unwrap();
        let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("Yes.")]));
        run(&cards, Arc::clone(&model), "Go.").await;
        let params = serde_json::to_value(&model.requests()[0].params).unwrap();
        assert_eq!(params[param.word()], sent, "{param}");
    }
}

#[test]
fn c3_each_limit_of_a_card_is_one_of_its_agent() {
    for limit in Limit::ALL {
        let (written, set) = match limit {
            Limit::Turns => ("7", json!(7)),
            Limit::ToolCalls | Limit::MaxRetries => ("0", json!(0)),
            Limit::Tokens => ("18446744073709551615", json!(u64::MAX)),
            Limit::Time => ("60.5", json!(60.5)),
            Limit::Depth => ("1", json!(1)),
            Limit::OutputRetries => ("5", json!(5)),
            Limit::ModelTimeout => ("30", json!(30.0)),
            Limit::ModelRetries => ("4294967295", json!(u32::MAX)),
        };
        let card = format!("instruction: A.\nlimits: {{ {limit}: {written} }}\n");
        let cards = load(Registry::new(), &[("a.yaml", &card)]).unwrap();
        let outline = Outline::of(&cards.agents()[0]).unwrap();
        let settings = serde_json::to_value(&outline.settings).unwrap();
        assert_eq!(settings["limits"][limit.word()], set, "{limit}");
    }
}
