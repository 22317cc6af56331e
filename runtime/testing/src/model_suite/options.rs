//! Cases of what a request asks of the answer.

use serde_json::json;

use super::answers::{add_one, hello, says};
use super::probe::{Check, Probe, ensure};
use onionskin_tools::model::{
    Message, Model, ModelRequest, ReasoningEffort, RequestOption, RequestParams, ResponseSchema, ServiceTier,
    ToolChoice, Verbosity,
};

pub(super) fn params(set: impl FnOnce(&mut RequestParams)) -> RequestParams {
    let mut params = RequestParams::default();
    set(&mut params);
    params
}

pub(super) async fn request_params<M: Model>(probe: &Probe<'_, M>) -> Check {
    let params = params(|params| {
        (params.max_tokens, params.temperature, params.top_p) = (Some(77), Some(0.25), Some(0.625));
    });
    probe.ask(&hello().with_params(params)).await?;
    let sent = probe.sent(0)?;
    sent.has_number("parameter `max_tokens`", 77.0)?;
    sent.has_number("parameter `temperature`", 0.25)?;
    sent.has_number("parameter `top_p`", 0.625)
}

pub(super) async fn tool_choice<M: Model>(probe: &Probe<'_, M>) -> Check {
    let choices = [ToolChoice::Required, ToolChoice::tool("add_one"), ToolChoice::None, ToolChoice::Auto];
    for choice in &choices {
        let params = params(|params| params.tool_choice = choice.clone());
        let request = ModelRequest::new([Message::user("Add one to 41.")]);
        probe
            .ask_with(RequestOption::ToolChoice, &request.with_tools([add_one()]).with_params(params))
            .await?;
    }
    // Each provider writes a choice in its own way, but no two of them are the same.
    for (later, choice) in choices.iter().enumerate() {
        for (earlier, other) in choices.iter().enumerate().take(later) {
            ensure(probe.sent(earlier)?.whole != probe.sent(later)?.whole, || {
                format!("the requests with the choices {other:?} and {choice:?} do not differ")
            })?;
        }
    }
    // The words differ too, but a request with one choice has no word of the opposite one that `Auto` has not.
    let [required, _, none, auto] = [probe.sent(0)?, probe.sent(1)?, probe.sent(2)?, probe.sent(3)?];
    for (choice, sent, opposite) in
        [("Required", required, &["none"][..]), ("None", none, &["required", "any"])]
    {
        ensure(sent.count(opposite) <= auto.count(opposite), || {
            format!("the request with the choice {choice} says the opposite: {}", sent.whole)
        })?;
    }
    Ok(())
}

/// What the provider answers to [`with_response_schema`].
pub(super) const FITS: &str = "{\"degrees_of_warmth\": 21}";

pub(super) fn with_response_schema(name: &str) -> ModelRequest {
    let schema = json!({
        "type": "object",
        "properties": { "degrees_of_warmth": { "type": "integer" } },
        "required": ["degrees_of_warmth"],
        "additionalProperties": false,
    });
    let schema = ResponseSchema::new(name, schema).expect("the schema is valid");
    hello().with_params(params(|params| params.response_schema = Some(schema)))
}

pub(super) async fn response_schema<M: Model>(probe: &Probe<'_, M>) -> Check {
    let request = with_response_schema("weather");
    let response = probe.ask_with(RequestOption::ResponseSchema, &request).await?;
    says(&response, FITS)?;
    probe.sent(0)?.has("property of the response schema", &["degrees_of_warmth"])
}

pub(super) async fn extra_body<M: Model>(probe: &Probe<'_, M>) -> Check {
    let extra = params(|params| {
        params.extra_body.insert("suite_of_models".to_owned(), json!({ "level": "deep" }));
    });
    probe.ask_with(RequestOption::ExtraBody, &hello().with_params(extra)).await?;
    probe.sent(0)?.has("field of `extra_body`", &["suite_of_models", "level", "deep"])
}

pub(super) async fn stop_sequences<M: Model>(probe: &Probe<'_, M>) -> Check {
    let params =
        params(|params| params.stop_sequences = vec!["the end.".to_owned(), "over and out".to_owned()]);
    probe.ask_with(RequestOption::StopSequences, &hello().with_params(params)).await?;
    probe.sent(0)?.has("stop sequence", &["the end.", "over and out"])
}

pub(super) async fn seed<M: Model>(probe: &Probe<'_, M>) -> Check {
    let params = params(|params| params.seed = Some(424_242));
    probe.ask_with(RequestOption::Seed, &hello().with_params(params)).await?;
    probe.sent(0)?.has_number("parameter `seed`", 424_242.0)
}

pub(super) async fn reasoning_effort<M: Model>(probe: &Probe<'_, M>) -> Check {
    let [low, high] = [ReasoningEffort::Low, ReasoningEffort::High];
    differ(
        probe,
        RequestOption::ReasoningEffort,
        |params| params.reasoning_effort = Some(low),
        |params| params.reasoning_effort = Some(high),
    )
    .await
}

pub(super) async fn verbosity<M: Model>(probe: &Probe<'_, M>) -> Check {
    differ(
        probe,
        RequestOption::Verbosity,
        |params| params.verbosity = Some(Verbosity::Low),
        |params| params.verbosity = Some(Verbosity::High),
    )
    .await
}

pub(super) async fn service_tier<M: Model>(probe: &Probe<'_, M>) -> Check {
    differ(
        probe,
        RequestOption::ServiceTier,
        |params| params.service_tier = Some(ServiceTier::Standard),
        |_| {},
    )
    .await
}

pub(super) async fn parallel_tool_calls<M: Model>(probe: &Probe<'_, M>) -> Check {
    differ(
        probe,
        RequestOption::ParallelToolCalls,
        |params| params.parallel_tool_calls = Some(false),
        |params| params.parallel_tool_calls = Some(true),
    )
    .await
}

/// Each provider has words of its own for an option, but two values of it are not the same.
async fn differ<M: Model>(
    probe: &Probe<'_, M>,
    option: RequestOption,
    one: impl FnOnce(&mut RequestParams),
    other: impl FnOnce(&mut RequestParams),
) -> Check {
    for params in [params(one), params(other)] {
        let request = ModelRequest::new([Message::user("Add one to 41.")]);
        probe.ask_with(option, &request.with_tools([add_one()]).with_params(params)).await?;
    }
    ensure(probe.sent(0)?.whole != probe.sent(1)?.whole, || {
        format!("the provider does not get the parameter `{option}`")
    })
}
