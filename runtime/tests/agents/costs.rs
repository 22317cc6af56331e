//! What runs cost: tokens by model, and the prices of a program.

use onionskin::model::{Cost, Model, ModelResponse, Price, Prices, ToolCall, Usage, UsageByModel};
use onionskin::{RunOutput, agent};
use serde_json::json;

use crate::answers::answers;

agent! {
    Cheap { name: "cheap", description: "Answers.", instruction: "Answer.", model: "small" }
    Boss { name: "boss", instruction: "Ask.", model: "large", agents: [Cheap] }
}

/// The boss asks the child once. Each request has the same tokens.
fn model() -> impl Model {
    answers(|request, _| {
        let mut answer = match (&*request.agent, request.messages.len()) {
            ("boss", 1) => {
                ModelResponse::tool_calls([ToolCall::new("1", "agent__cheap", r#"{"input": "Hi"}"#)])
            }
            _ => ModelResponse::text("Done."),
        };
        answer.usage = Usage::new(1_000, 100);
        answer.usage.cached_input_tokens = 800;
        Ok(answer)
    })
}

fn prices() -> Prices {
    Prices::new()
        .with("small", Price::new(1_000_000, 2_000_000))
        .with("large", Price::new(10_000_000, 20_000_000).cached_input(1_000_000))
}

async fn run() -> RunOutput {
    Boss::builder().model_for_all(model()).run("Hello.").await.unwrap()
}

#[tokio::test]
async fn o3_a_run_says_which_model_used_which_tokens() {
    let output = run().await;
    let mut used = Usage::new(2_000, 200);
    used.cached_input_tokens = 1_600;
    assert_eq!(output.usage_by_model.get("large"), Some(used), "two turns");
    used = Usage::new(1_000, 100);
    used.cached_input_tokens = 800;
    assert_eq!(output.usage_by_model.get("small"), Some(used), "the child");
    assert_eq!(output.usage_by_model.total(), output.usage);
}

#[tokio::test]
async fn o3_runs_of_a_session_and_a_user_have_a_cost() {
    let prices = prices();
    let (mut user, mut sum) = (UsageByModel::new(), Cost::default());
    for _ in 0..2 {
        let output = run().await;
        sum += prices.total_cost(&output.usage_by_model).unwrap();
        user += &output.usage_by_model;
    }
    // 400 tokens at 10, 1600 at 1 and 200 at 20 for a million; the child has no price of its own for cached ones.
    let run = 400 * 10_000_000 + 1_600 * 1_000_000 + 200 * 20_000_000 + 1_000 * 1_000_000 + 100 * 2_000_000;
    assert_eq!((sum.picos(), sum.to_string()), (2 * run, "0.0216".to_owned()));
    assert_eq!(prices.total_cost(&user), Ok(sum));
}

#[tokio::test]
async fn o3_a_model_without_a_price_is_an_error_and_costs_not_nothing() {
    let output = run().await;
    let known = Prices::new().with("large", Price::new(1, 1));
    let error = known.total_cost(&output.usage_by_model).unwrap_err();
    assert_eq!(&*error.model, "small");
    assert_eq!(
        error.to_string(),
        "the model `small` has no price: add it with `Prices::with`, under this name"
    );
    assert_eq!(format!("{error:?}"), error.to_string(), "a `main` that returns the error shows it so");
    assert_eq!(known.cost("small", &output.usage), None);
}

#[test]
fn o3_each_part_of_the_tokens_has_its_price() {
    let mut usage = Usage::new(100, 50);
    usage.cached_input_tokens = 30;
    usage.cache_write_tokens = 20;
    usage.reasoning_tokens = 40;
    usage.server_tool_uses = 2;
    let cost = |price: Price| Prices::new().with("m", price).cost("m", &usage).unwrap().picos();
    let price = Price::new(7, 11);
    assert_eq!(cost(price), 100 * 7 + 50 * 11, "a part without a price is a part of the whole");
    assert_eq!(cost(price.cached_input(1)), 70 * 7 + 30 + 50 * 11);
    assert_eq!(cost(price.cache_write(9)), 80 * 7 + 20 * 9 + 50 * 11);
    assert_eq!(cost(price.reasoning(3)), 100 * 7 + 10 * 11 + 40 * 3);
    assert_eq!(cost(price.server_tools(5)), 100 * 7 + 50 * 11 + 2 * 5);
    // Parts that are more than the whole cost no more than it.
    usage.cached_input_tokens = 1_000;
    let price = Price::new(7, 11).cached_input(2);
    assert_eq!(Prices::new().with("m", price).cost("m", &usage).unwrap().picos(), 100 * 2 + 50 * 11);
}

#[test]
fn o3_sums_of_money_are_exact() {
    let prices = Prices::new().with("m", Price::new(100_000, 0));
    let tenth = prices.cost("m", &Usage::new(1, 0)).unwrap();
    let sum: Cost = std::iter::repeat_n(tenth, 10_000_000).sum();
    assert_eq!((sum.to_string(), tenth.to_string()), ("1.00".to_owned(), "0.0000001".to_owned()));
    assert_eq!((sum.micros(), tenth.micros()), (1_000_000, 1));
}

#[test]
fn o3_usage_of_an_earlier_build_is_read_and_parts_of_zero_are_not_written() {
    let earlier: Usage = serde_json::from_value(json!({ "input_tokens": 3, "output_tokens": 4 })).unwrap();
    assert_eq!(earlier, Usage::new(3, 4));
    assert_eq!(json!(earlier), json!({ "input_tokens": 3, "output_tokens": 4 }));
    let mut output = json!(RunOutput::default());
    assert_eq!(output.get("usage_by_model"), None);
    output["usage"] = json!({ "input_tokens": 3, "output_tokens": 4 });
    assert!(serde_json::from_value::<RunOutput>(output).is_ok());
}
