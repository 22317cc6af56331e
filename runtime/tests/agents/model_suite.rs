//! The suite for models: the scripted model passes it, and each of its cases finds a model that is broken in one way.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use onionskin::model::{
    Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestOption, StopReason, ToolCall, Usage,
};
use onionskin::testing::{Reply, Scenario, model_suite};
use onionskin::{ScriptedModel, ScriptedTurn};
use serde_json::Value;

// ---- the scripted model ----------------------------------------------------------------------------------------------------

/// A scripted model, and the provider that sees its requests.
struct Scripted {
    script: ScriptedModel,
    provider: Scenario,
}

impl Scripted {
    fn new(provider: Scenario) -> Self {
        // A script counts the answers of the conversation.
        let before = if provider.case() == "long_history" { 150 } else { 0 };
        let before = std::iter::repeat_n(ScriptedTurn::say(""), before);
        let turns: Vec<_> = before.chain(provider.replies().iter().map(turn)).collect();
        Self { script: ScriptedModel::turns(turns), provider }
    }
}

fn turn(reply: &Reply) -> ScriptedTurn {
    match reply {
        Reply::Answer(answer) => {
            let say = ScriptedTurn::say(answer.text.as_str());
            let args = |call: &ToolCall| serde_json::from_str(&call.arguments).unwrap();
            answer.tool_calls.iter().fold(say, |turn, call| turn.and_call(&*call.name, args(call)))
        }
        Reply::Status { status, .. } => ScriptedTurn::fail(*status),
        Reply::Silence => {
            let mut turn = ScriptedTurn::say("Much too late.");
            turn.wait_ms = 600_000;
            turn
        }
        other => ScriptedTurn::say(format!("A script cannot play {other:?}.")),
    }
}

impl Model for Scripted {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let _exchange = self.provider.receive(&serde_json::to_string(request).unwrap());
        self.script.respond(request, deltas).await
    }

    fn supports(&self, option: RequestOption) -> bool {
        self.script.supports(option)
    }
}

#[tokio::test]
async fn o3_the_scripted_model_passes_the_suite() {
    let report = model_suite(|provider| async { Scripted::new(provider) }).await;
    // A script has no pauses that a provider requests, and no connection that breaks.
    report.assert_passed_except(&["retry_after", "broken_answer"]);
    assert!(report.refused().is_empty(), "{report}");
}

// ---- broken models ---------------------------------------------------------------------------------------------------------

/// What is wrong with a model.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    Deaf,
    Garbles,
    SendsNoSystem,
    SendsNoParams,
    SendsTheLastMessageOnly,
    SendsNoTools,
    SendsNoResults,
    ForgetsUsage,
    SwapsUsage,
    SaysDone,
    RepeatsPieces,
    OneIdForAll,
    ReversesCalls,
    NoIds,
    BreaksArguments,
    AnswersAnyway,
    RepeatsTheRequest,
    WrongStatus,
    ForgetsThePause,
    BreaksForGood,
    AnswersWithHalf,
    RunsOn,
    IgnoresTheChoice,
    IgnoresTheSchema,
    IgnoresTheExtraBody,
    RefusesTooLate,
    RefusesAnotherOption,
    Panics,
}

struct Broken {
    fault: Fault,
    provider: Scenario,
}

impl Broken {
    /// The request as the provider gets it.
    fn body(&self, request: &ModelRequest) -> String {
        let mut body = serde_json::to_value(request).unwrap();
        match self.fault {
            Fault::Deaf => body["messages"] = Value::Null,
            Fault::Garbles => return body.to_string().replace(|c: char| !c.is_ascii(), "?"),
            Fault::SendsNoSystem => body["system"] = Value::Null,
            Fault::SendsNoParams => body["params"]["max_tokens"] = Value::Null,
            Fault::SendsTheLastMessageOnly => {
                let messages = body["messages"].as_array_mut().unwrap();
                messages.drain(..messages.len() - 1);
            }
            Fault::SendsNoTools => body["tools"] = Value::Null,
            Fault::SendsNoResults => {
                let messages = body["messages"].as_array_mut().unwrap();
                messages.retain(|message| message["role"] != "tool");
            }
            Fault::IgnoresTheChoice => body["params"]["tool_choice"] = Value::Null,
            Fault::IgnoresTheSchema => body["params"]["response_schema"] = Value::Null,
            Fault::IgnoresTheExtraBody => body["params"]["extra_body"] = Value::Null,
            _ => {}
        }
        body.to_string()
    }

    fn answer(
        &self,
        mut answer: ModelResponse,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> ModelResponse {
        deltas(ModelDelta::Text(answer.text.clone()));
        let renamed = |call: &ToolCall, id: &str| {
            ToolCall::new(id, Arc::clone(&call.name), Arc::clone(&call.arguments))
        };
        match self.fault {
            Fault::ForgetsUsage => answer.usage = Usage::default(),
            Fault::SwapsUsage => {
                answer.usage = Usage::new(answer.usage.output_tokens, answer.usage.input_tokens);
            }
            Fault::SaysDone => answer.stop = StopReason::Done,
            Fault::RepeatsPieces => deltas(ModelDelta::Text(answer.text.clone())),
            Fault::OneIdForAll => {
                answer.tool_calls.iter_mut().for_each(|call| *call = renamed(call, "call_1"));
            }
            Fault::NoIds => answer.tool_calls.iter_mut().for_each(|call| *call = renamed(call, "")),
            Fault::ReversesCalls => answer.tool_calls.reverse(),
            Fault::BreaksArguments => {
                let broken =
                    |call: &ToolCall| ToolCall::new(Arc::clone(&call.id), Arc::clone(&call.name), "{}");
                answer.tool_calls.iter_mut().for_each(|call| *call = broken(call));
            }
            _ => {}
        }
        answer
    }
}

impl Model for Broken {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        assert_ne!(self.fault, Fault::Panics, "broken");
        let exchange = self.provider.receive(&self.body(request));
        if let Some(option) = request.params.options().next() {
            match self.fault {
                Fault::RefusesTooLate => return Err(ModelError::unsupported(option, "too late")),
                Fault::RefusesAnotherOption => return Err(ModelError::Setup("no".to_owned())),
                _ => {}
            }
        }
        match exchange.reply() {
            Reply::Answer(answer) => Ok(self.answer(answer.clone(), deltas)),
            Reply::Status { status, message, retry_after, .. } => {
                let (mut status, mut retry_after) = (*status, *retry_after);
                match self.fault {
                    Fault::AnswersAnyway => return Ok(ModelResponse::text("It is warm.")),
                    Fault::RepeatsTheRequest => drop(self.provider.receive(&self.body(request))),
                    Fault::WrongStatus => status = 500,
                    Fault::ForgetsThePause => retry_after = None,
                    _ => {}
                }
                Err(ModelError::status(status, message.clone(), retry_after))
            }
            Reply::Break(text) => {
                deltas(ModelDelta::Text(text.clone()));
                match self.fault {
                    Fault::AnswersWithHalf => Ok(ModelResponse::text(text.as_str())),
                    Fault::BreaksForGood => Err(ModelError::Malformed("it ended".to_owned())),
                    _ => Err(ModelError::Transport("it broke".to_owned())),
                }
            }
            _ => {
                if self.fault == Fault::RunsOn {
                    tokio::spawn(async move {
                        let _exchange = exchange;
                        tokio::time::sleep(Duration::from_mins(10)).await;
                    });
                    return pending().await;
                }
                pending().await
            }
        }
    }

    fn supports(&self, _: RequestOption) -> bool {
        true
    }
}

/// Each fault, and the cases that find it.
const FOUND: [(Fault, &[&str]); 29] = [
    (Fault::None, &[]),
    (Fault::Deaf, &["text", "non_ascii", "long_history", "tool_call", "two_tool_calls"]),
    (Fault::Garbles, &["non_ascii"]),
    (Fault::SendsNoSystem, &["system", "non_ascii"]),
    (Fault::SendsNoParams, &["request_params"]),
    (Fault::SendsTheLastMessageOnly, &["long_history", "tool_call"]),
    (Fault::SendsNoTools, &["tool_call"]),
    (Fault::SendsNoResults, &["tool_call", "two_tool_calls"]),
    (Fault::ForgetsUsage, &["usage"]),
    (Fault::SwapsUsage, &["usage"]),
    (Fault::SaysDone, &["tool_call"]),
    (
        Fault::RepeatsPieces,
        &[
            "text",
            "usage",
            "system",
            "request_params",
            "non_ascii",
            "long_history",
            "tool_call",
            "two_tool_calls",
        ],
    ),
    (Fault::OneIdForAll, &["two_tool_calls"]),
    (Fault::ReversesCalls, &["two_tool_calls"]),
    (Fault::NoIds, &["tool_call", "two_tool_calls"]),
    (Fault::BreaksArguments, &["tool_call", "two_tool_calls"]),
    (Fault::AnswersAnyway, &["refusal", "rate_limit", "retry_after", "overload"]),
    (Fault::RepeatsTheRequest, &["refusal", "rate_limit", "overload"]),
    (Fault::WrongStatus, &["refusal", "rate_limit", "overload"]),
    (Fault::ForgetsThePause, &["retry_after"]),
    (Fault::BreaksForGood, &["broken_answer"]),
    (Fault::AnswersWithHalf, &["broken_answer"]),
    (Fault::RunsOn, &["cancellation"]),
    (Fault::IgnoresTheChoice, &["tool_choice"]),
    (Fault::IgnoresTheSchema, &["response_schema"]),
    (Fault::IgnoresTheExtraBody, &["extra_body"]),
    (Fault::RefusesTooLate, &["tool_choice", "response_schema", "extra_body"]),
    (Fault::RefusesAnotherOption, &["tool_choice", "response_schema", "extra_body"]),
    (
        Fault::Panics,
        &[
            "text",
            "usage",
            "system",
            "request_params",
            "non_ascii",
            "long_history",
            "tool_call",
            "two_tool_calls",
            "refusal",
            "rate_limit",
            "retry_after",
            "overload",
            "broken_answer",
            "cancellation",
            "tool_choice",
            "response_schema",
            "extra_body",
        ],
    ),
];

#[tokio::test]
async fn o3_each_case_of_the_suite_finds_a_broken_model() {
    let mut found = Vec::new();
    for (fault, cases) in FOUND {
        let report = model_suite(|provider| async move { Broken { fault, provider } }).await;
        assert_eq!(report.failed(), cases, "{fault:?}:\n{report}");
        found.extend(cases.iter().filter(|_| fault != Fault::Panics));
        if fault == Fault::None {
            assert_eq!(report.cases().count(), 17);
        }
    }
    // A panic is found by each case, so another fault has to be found by each.
    let report = model_suite(|provider| async { Broken { fault: Fault::None, provider } }).await;
    let missed: Vec<_> = report.cases().map(|(name, _)| name).filter(|name| !found.contains(&name)).collect();
    assert!(missed.is_empty(), "no broken model fails in {missed:?}");
}

/// Supports nothing.
struct Plain(Broken);

impl Model for Plain {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.0.respond(request, deltas).await
    }
}

#[tokio::test]
async fn o3_a_model_may_refuse_options() {
    let make = |provider| async { Plain(Broken { fault: Fault::None, provider }) };
    let report = model_suite(make).await;
    report.assert_passed();
    let all = [RequestOption::ToolChoice, RequestOption::ResponseSchema, RequestOption::ExtraBody];
    assert_eq!(report.refused(), all);
    assert!(
        report.to_string().contains("refused  tool_choice: the model does not support `tool_choice`"),
        "{report}"
    );
}

#[tokio::test]
#[should_panic(expected = "the model failed in [\"system\", \"non_ascii\"]")]
async fn o3_a_report_names_what_failed() {
    let make = |provider| async { Broken { fault: Fault::SendsNoSystem, provider } };
    model_suite(make).await.assert_passed();
}

#[tokio::test]
#[should_panic(expected = "leave them out of the exceptions: [\"system\"]")]
async fn o3_an_exception_that_is_none_is_found() {
    let make = |provider| async { Broken { fault: Fault::None, provider } };
    model_suite(make).await.assert_passed_except(&["system"]);
}
