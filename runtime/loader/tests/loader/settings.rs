//! Each request parameter and each limit of a card acts in the runtime.

use std::sync::Arc;
use std::time::Duration;

use onionskin::loader::Registry;
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
use onionskin::{App, ScriptedModel, ScriptedTurn, ToolError, tool};
use onionskin_core::__private0::outline::Outline;
use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::{Limit, RequestParam};
use serde_json::json;

use super::parts::{Report, add_one};
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
            RequestParam::ReasoningEffort => ("xhigh", json!("xhigh")),
            RequestParam::Verbosity => ("low", json!("low")),
            RequestParam::ServiceTier => ("flex", json!("flex")),
            RequestParam::ParallelToolCalls => ("false", json!(false)),
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

/// Adds one later.
#[tool]
fn add_later() -> Result<i64, ToolError> {
    Err(ToolError::retry("Try later."))
}

/// A model that thinks for a minute.
struct Slow(Arc<ScriptedModel>);

impl Model for Slow {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        tokio::time::sleep(Duration::from_mins(1)).await;
        self.0.respond(request, deltas).await
    }
}

/// The answer or the error of a run, and how often the model was asked.
async fn ended(files: &[(&str, &str)], turns: Vec<ScriptedTurn>) -> String {
    let registry = registry().file("more.rs", |items| items.tool::<add_later>().output::<Report>());
    let model = Arc::new(ScriptedModel::new().agent("a", turns).agent("b", [ScriptedTurn::say("Well.")]));
    let cards = load(registry, files).unwrap();
    let app = cards.add_to(App::builder()).model(Slow(Arc::clone(&model))).build().await.unwrap();
    let ended = app.run("Go.").await.map_or_else(|error| error.to_string(), |output| output.text);
    format!("{ended} (requests: {})", model.requests().len())
}

#[tokio::test(start_paused = true)]
async fn c3_each_limit_of_a_card_limits_its_runs() {
    let call = |tool: &str, args| vec![ScriptedTurn::call(tool, args), ScriptedTurn::say("{last}")];
    let add = || call("add_one", json!({ "x": 1 }));
    for limit in Limit::ALL {
        let (value, turns, with, without) = match limit {
            Limit::Turns => ("1", add(), "limit of 1 model turns", "2"),
            Limit::ToolCalls => ("0", add(), "not run: the limit of 0 tool calls is reached", "2"),
            Limit::Tokens => ("1", add(), "limit of 1 tokens", "2"),
            Limit::Time => ("30", add(), "limit of 30s", "2"),
            Limit::Depth => ("1", call("agent__b", json!({ "input": "Well?" })), "nested 1 deep", "Well."),
            Limit::MaxRetries => ("0", call("add_later", json!({})), "a retry 1 times", "Try later."),
            Limit::OutputRetries => {
                let turns = vec![ScriptedTurn::say("Well."), ScriptedTurn::say(r#"{"lines":[]}"#)];
                ("0", turns, "1 did not fit", r#"{"lines":[]}"#)
            }
            Limit::ModelTimeout => ("30", add(), "got no answer from its model", "2"),
            Limit::ModelRetries => ("0", vec![ScriptedTurn::fail(503)], "requests: 1", "requests: 3"),
        };
        let output = if *limit == Limit::OutputRetries { "output: more.rs:Report\n" } else { "" };
        for (limits, expected) in
            [(format!("limits: {{ {limit}: {value} }}\n"), with), (String::new(), without)]
        {
            // The depth of a run is a limit of that run.
            let [a, b] = if *limit == Limit::Depth { ["", &*limits] } else { [&*limits, ""] };
            let tools = "function_tools: [tools.rs:add_one, more.rs:add_later]";
            let a = format!("default: true\ninstruction: A.\nagents: [b]\n{tools}\n{output}{a}");
            let b = format!("description: B.\ninstruction: B.\n{b}");
            let ended = ended(&[("a.yaml", &a), ("b.yaml", &b)], turns.clone()).await;
            assert!(ended.contains(expected), "{limit}: {limits}{ended}");
            assert_eq!(ended.contains(with), expected == with, "{limit}: {limits}{ended}");
        }
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
        let outline = Outline::new(&cards.agents()[0]).unwrap();
        let settings = serde_json::to_value(&outline.settings).unwrap();
        assert_eq!(settings["limits"][limit.word()], set, "{limit}");
    }
}
