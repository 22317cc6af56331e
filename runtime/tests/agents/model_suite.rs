//! The suite for models: the scripted model passes it, and each of its cases finds a model that is broken in one way.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use onionskin::model::{
    Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestOption, StopReason, ToolCall,
    ToolCallDelta, Usage,
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
    NeverStreams,
    DropsErrors,
    DropsTopP,
    DropsSeed,
    DropsStopSequences,
    DropsTheModel,
    SwapsChoices,
    GarblesPiecesOfOptions,
    SaysDoneToTwoCalls,
    ForgetsLaterUsage,
    LosesNamesOfResults,
    LosesTypesOfSchemas,
    LosesRequired,
    RenamesTheSchema,
    SendsARandomId,
    StreamsNoCalls,
    StreamsOneCall,
    StreamsAnotherCall,
    StreamsAnotherName,
    LosesPiecesOfCalls,
}

struct Broken {
    fault: Fault,
    provider: Scenario,
    /// Counts what some faults need.
    sent: AtomicU64,
    /// Whether it supports no option.
    is_plain: bool,
}

fn each_result(body: &mut Value, change: impl Fn(&mut Value)) {
    for message in body["messages"].as_array_mut().unwrap() {
        if let Some(results) = message.get_mut("results").and_then(Value::as_array_mut) {
            results.iter_mut().for_each(&change);
        }
    }
}

impl Broken {
    fn new(fault: Fault, provider: Scenario) -> Self {
        Self { fault, provider, sent: AtomicU64::new(0), is_plain: false }
    }

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
            Fault::DropsErrors => each_result(&mut body, |result| result["is_error"] = false.into()),
            Fault::DropsTopP => body["params"]["top_p"] = Value::Null,
            Fault::DropsSeed => body["params"]["seed"] = Value::Null,
            Fault::DropsStopSequences => body["params"]["stop_sequences"] = Value::Null,
            Fault::DropsTheModel => body["model"] = Value::Null,
            Fault::SwapsChoices => {
                let swapped = match body["params"]["tool_choice"].as_str() {
                    Some("required") => "none",
                    Some("none") => "required",
                    _ => return body.to_string(),
                };
                body["params"]["tool_choice"] = swapped.into();
            }
            Fault::LosesNamesOfResults => each_result(&mut body, |result| result["name"] = "tool".into()),
            Fault::LosesTypesOfSchemas | Fault::LosesRequired => {
                for tool in body["tools"].as_array_mut().unwrap() {
                    let schema = tool["input_schema"].as_object_mut().unwrap();
                    if self.fault == Fault::LosesRequired {
                        schema.remove("required");
                    } else {
                        schema["properties"].as_object_mut().unwrap().values_mut().for_each(|property| {
                            property.as_object_mut().unwrap().remove("type");
                        });
                    }
                }
            }
            Fault::RenamesTheSchema if request.params.response_schema.is_some() => {
                body["params"]["response_schema"]["name"] = "schema".into();
            }
            Fault::SendsARandomId => body["id"] = self.sent.fetch_add(1, Ordering::Relaxed).into(),
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
        has_options: bool,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> ModelResponse {
        match self.fault {
            Fault::NeverStreams => {}
            Fault::GarblesPiecesOfOptions if has_options => deltas(ModelDelta::Text("garbled".to_owned())),
            _ => deltas(ModelDelta::Text(answer.text.clone())),
        }
        let renamed = |call: &ToolCall, id: &str| {
            ToolCall::new(id, Arc::clone(&call.name), Arc::clone(&call.arguments))
        };
        match self.fault {
            Fault::ForgetsUsage => answer.usage = Usage::default(),
            Fault::ForgetsLaterUsage if self.sent.fetch_add(1, Ordering::Relaxed) > 0 => {
                answer.usage = Usage::default();
            }
            Fault::SaysDoneToTwoCalls if answer.tool_calls.len() > 1 => answer.stop = StopReason::Done,
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
        answer.tool_calls.iter().for_each(|call| self.stream_call(call, deltas));
        answer
    }

    fn stream_call(&self, call: &ToolCall, deltas: &mut (dyn FnMut(ModelDelta) + Send)) {
        let (id, name) = match self.fault {
            Fault::NeverStreams | Fault::StreamsNoCalls => return,
            Fault::StreamsOneCall if !call.arguments.contains('1') => return,
            Fault::StreamsAnotherCall => ("another", &*call.name),
            Fault::StreamsAnotherName => (&*call.id, "another"),
            _ => (&*call.id, &*call.name),
        };
        for text in call.arguments.split_inclusive(':') {
            deltas(ModelDelta::ToolCall(ToolCallDelta::new(id, name, text)));
            if self.fault == Fault::LosesPiecesOfCalls {
                break;
            }
        }
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
            Reply::Answer(answer) => {
                let has_options = request.params.options().next().is_some();
                Ok(self.answer(answer.clone(), has_options, deltas))
            }
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
        !self.is_plain
    }
}

/// The cases in which the provider answers with a call.
const WITH_CALLS: &str = "tool_call two_tool_calls streamed_calls tool_choice result_errors result_names";

/// Each fault, and the cases that find it.
const FOUND: [(Fault, &str); 43] = [
    (Fault::None, ""),
    (Fault::Deaf, "text non_ascii long_history tool_call two_tool_calls"),
    (Fault::Garbles, "non_ascii"),
    (Fault::SendsNoSystem, "system non_ascii"),
    (Fault::SendsNoParams, "request_params"),
    (Fault::SendsTheLastMessageOnly, "long_history tool_call"),
    (Fault::SendsNoTools, "tool_call tool_schema"),
    (Fault::SendsNoResults, "tool_call two_tool_calls"),
    (Fault::ForgetsUsage, "usage"),
    (Fault::SwapsUsage, "usage"),
    (Fault::SaysDone, "tool_call two_tool_calls"),
    (
        Fault::RepeatsPieces,
        "text streaming usage system request_params non_ascii long_history tool_call two_tool_calls \
         tool_choice response_schema extra_body stop_sequences seed reasoning_effort verbosity service_tier parallel_tool_calls model_name tool_schema \
         result_errors result_names response_schema_name",
    ),
    (Fault::OneIdForAll, "two_tool_calls streamed_calls"),
    (Fault::ReversesCalls, "two_tool_calls"),
    (Fault::NoIds, "tool_call two_tool_calls streamed_calls"),
    (Fault::BreaksArguments, "tool_call two_tool_calls"),
    (Fault::AnswersAnyway, "refusal rate_limit retry_after overload"),
    (Fault::RepeatsTheRequest, "refusal rate_limit overload"),
    (Fault::WrongStatus, "refusal rate_limit overload"),
    (Fault::ForgetsThePause, "retry_after"),
    (Fault::BreaksForGood, "broken_answer"),
    (Fault::AnswersWithHalf, "broken_answer"),
    (Fault::RunsOn, "cancellation"),
    (Fault::IgnoresTheChoice, "tool_choice"),
    (Fault::IgnoresTheSchema, "response_schema"),
    (Fault::IgnoresTheExtraBody, "extra_body"),
    (
        Fault::RefusesTooLate,
        "tool_choice response_schema extra_body stop_sequences seed reasoning_effort verbosity service_tier parallel_tool_calls response_schema_name",
    ),
    (
        Fault::RefusesAnotherOption,
        "tool_choice response_schema extra_body stop_sequences seed reasoning_effort verbosity service_tier parallel_tool_calls response_schema_name",
    ),
    (Fault::DropsTopP, "request_params"),
    (Fault::DropsStopSequences, "stop_sequences"),
    (Fault::DropsSeed, "seed"),
    (Fault::SwapsChoices, "tool_choice"),
    (
        Fault::GarblesPiecesOfOptions,
        "tool_choice response_schema extra_body stop_sequences seed reasoning_effort verbosity service_tier parallel_tool_calls response_schema_name",
    ),
    (Fault::SaysDoneToTwoCalls, "two_tool_calls"),
    (Fault::ForgetsLaterUsage, "usage"),
    (Fault::LosesTypesOfSchemas, "tool_schema"),
    (Fault::LosesRequired, "tool_schema"),
    (Fault::SendsARandomId, ""),
    (Fault::StreamsOneCall, "streamed_calls"),
    (Fault::StreamsAnotherCall, WITH_CALLS),
    (Fault::StreamsAnotherName, WITH_CALLS),
    (Fault::LosesPiecesOfCalls, WITH_CALLS),
    (
        Fault::Panics,
        "text streaming usage system request_params non_ascii long_history tool_call two_tool_calls \
         streamed_calls refusal rate_limit retry_after overload broken_answer cancellation \
         tool_choice response_schema extra_body stop_sequences seed reasoning_effort verbosity service_tier parallel_tool_calls model_name tool_schema \
         result_errors result_names response_schema_name",
    ),
];

#[tokio::test]
async fn o3_each_case_of_the_suite_finds_a_broken_model() {
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    for (fault, cases) in FOUND {
        let report = model_suite(|provider| async move { Broken::new(fault, provider) }).await;
        let failed = report.failed().join(" ");
        if failed != cases {
            wrong.push(format!("{fault:?} fails `{failed}`, not `{cases}`:\n{report}"));
        }
        found.extend(cases.split(' ').filter(|_| fault != Fault::Panics));
        if fault == Fault::None {
            assert_eq!((report.cases().count(), report.not_shown()), (30, vec![]), "{report}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    found.extend(NOT_SHOWN.iter().flat_map(|(_, cases)| *cases));
    // A panic is found by each case, so another fault has to be found by each.
    let report = model_suite(|provider| async { Broken::new(Fault::None, provider) }).await;
    let missed: Vec<_> = report.cases().map(|(name, _)| name).filter(|name| !found.contains(name)).collect();
    assert!(missed.is_empty(), "no broken model fails in {missed:?}");
}

/// Each fault that some providers have too, and the case that does not pass.
const NOT_SHOWN: [(Fault, &[&str]); 6] = [
    (Fault::NeverStreams, &["streaming", "streamed_calls"]),
    (Fault::StreamsNoCalls, &["streamed_calls"]),
    (Fault::DropsTheModel, &["model_name"]),
    (Fault::DropsErrors, &["result_errors"]),
    (Fault::LosesNamesOfResults, &["result_names"]),
    (Fault::RenamesTheSchema, &["response_schema_name"]),
];

#[tokio::test]
async fn o3_the_suite_names_what_a_model_does_not_show() {
    for (fault, cases) in NOT_SHOWN {
        let report = model_suite(|provider| async move { Broken::new(fault, provider) }).await;
        report.assert_passed();
        assert_eq!(report.not_shown(), cases, "{fault:?}:\n{report}");
        for case in cases {
            assert!(report.to_string().contains(&format!("unshown  {case}: the ")), "{report}");
        }
    }
}

// The clock is paused here only, so that the 20 seconds of each case pass at once.
#[tokio::test(start_paused = true)]
async fn o3_a_provider_that_never_starts_fails_each_case() {
    let report = model_suite(|_| async {
        pending::<()>().await;
        ScriptedModel::turns([])
    })
    .await;
    assert_eq!(report.failed().len(), 30, "{report}");
    assert!(report.to_string().contains("FAILED   text: it took more than 20s"), "{report}");
}

#[tokio::test]
async fn o3_a_provider_that_panics_fails_each_case() {
    let in_the_future = model_suite(|_| async { panic!("no port") as ScriptedModel }).await;
    let before_it = model_suite(|provider: Scenario| {
        assert!(provider.case().is_empty(), "no port");
        async { ScriptedModel::turns([]) }
    })
    .await;
    for report in [in_the_future, before_it] {
        assert_eq!(report.failed().len(), 30, "{report}");
        assert!(report.to_string().contains("FAILED   text: it panicked: no port"), "{report}");
    }
}

#[tokio::test]
async fn o3_a_model_may_refuse_options() {
    let make = |provider| async { Broken { is_plain: true, ..Broken::new(Fault::None, provider) } };
    let report = model_suite(make).await;
    report.assert_passed();
    let all = [
        RequestOption::ToolChoice,
        RequestOption::ResponseSchema,
        RequestOption::ExtraBody,
        RequestOption::StopSequences,
        RequestOption::Seed,
        RequestOption::ReasoningEffort,
        RequestOption::Verbosity,
        RequestOption::ServiceTier,
        RequestOption::ParallelToolCalls,
    ];
    assert_eq!(report.refused(), all);
    assert!(
        report.to_string().contains("refused  tool_choice: the model does not support `tool_choice`"),
        "{report}"
    );
}

#[tokio::test]
#[should_panic(expected = "failed: [\"system\", \"non_ascii\"]")]
async fn o3_a_report_names_what_failed() {
    let make = |provider| async { Broken::new(Fault::SendsNoSystem, provider) };
    model_suite(make).await.assert_passed();
}

#[tokio::test]
#[should_panic(expected = "remove them from the exceptions: [\"system\"]")]
async fn o3_an_exception_that_is_none_is_found() {
    let make = |provider| async { Broken::new(Fault::None, provider) };
    model_suite(make).await.assert_passed_except(&["system"]);
}
