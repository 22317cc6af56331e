//! What providers say, as data: each text in `data/providers` is served on the loopback, and becomes the answer, or the error, that stands
//! beside it; then an agent runs with it.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, reason = "tests say what they expect")]

mod cases;
mod mutated;
mod server;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::declaration::Limits;
use onionskin::event::CallOutcome;
use onionskin::genai::GenaiModel;
use onionskin::model::{
    Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolDeclaration,
};
use onionskin::{AgentHandle, RunError, State, ToolDefinition, agent, tool};

use self::cases::{Case, Framing, Protocol, holds_together};
use self::server::{Wire, serve};

pub const OPENAI: Protocol = Protocol {
    file: "openai.yaml",
    adapter: "openai",
    model: "m-1",
    framing: Framing::Data,
    fine: [
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Fine.\"}}]}\n\
         {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n[DONE]",
        r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Fine."},"finish_reason":"stop"}]}"#,
    ],
};

/// Servers that speak OpenAI's protocol in a way of their own.
pub const DIALECTS: Protocol = Protocol { file: "dialects.yaml", ..OPENAI };

pub const RESPONSES: Protocol = Protocol {
    file: "responses.yaml",
    adapter: "openai_resp",
    model: "m-1",
    framing: Framing::Named,
    fine: [
        "{\"type\":\"response.output_text.delta\",\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,\"delta\":\"Fine.\"}\n\
         {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"id\":\"m\",\
         \"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Fine.\"}]}]}}",
        r#"{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Fine."}]}]}"#,
    ],
};

pub const ANTHROPIC: Protocol = Protocol {
    file: "anthropic.yaml",
    adapter: "anthropic",
    model: "m-1",
    framing: Framing::Named,
    fine: [
        "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":7,\"output_tokens\":1}}}\n\
         {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\
         {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Fine.\"}}\n\
         {\"type\":\"content_block_stop\",\"index\":0}\n\
         {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\
         {\"type\":\"message_stop\"}",
        r#"{"content":[{"type":"text","text":"Fine."}],"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":2}}"#,
    ],
};

pub const GEMINI: Protocol = Protocol {
    file: "gemini.yaml",
    adapter: "gemini",
    model: "m-1",
    framing: Framing::Data,
    fine: [r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"Fine."}]},"finishReason":"STOP"}]}"#;
        2],
};

pub const OLLAMA: Protocol = Protocol {
    file: "ollama.yaml",
    adapter: "ollama",
    model: "m-1",
    framing: Framing::Lines,
    fine: [r#"{"message":{"role":"assistant","content":"Fine."},"done":true,"done_reason":"stop"}"#; 2],
};

pub const COHERE: Protocol = Protocol {
    file: "cohere.yaml",
    adapter: "cohere",
    model: "m-1",
    framing: Framing::Named,
    fine: [
        "{\"type\":\"message-start\",\"delta\":{\"message\":{\"role\":\"assistant\"}}}\n\
         {\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"Fine.\"}}}}\n\
         {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"COMPLETE\"}}",
        r#"{"message":{"role":"assistant","content":[{"type":"text","text":"Fine."}]},"finish_reason":"COMPLETE"}"#,
    ],
};

/// The protocols whose cases are held.
pub const ALL: [Protocol; 7] = [OPENAI, DIALECTS, RESPONSES, ANTHROPIC, GEMINI, OLLAMA, COHERE];

#[tokio::test]
async fn o3_answers_of_openai_are_read() {
    hold(OPENAI).await;
}

#[tokio::test]
async fn o3_answers_of_dialects_of_openai_are_read() {
    hold(DIALECTS).await;
}

#[tokio::test]
async fn o3_answers_of_responses_are_read() {
    hold(RESPONSES).await;
}

#[tokio::test]
async fn o3_answers_of_anthropic_are_read() {
    hold(ANTHROPIC).await;
}

#[tokio::test]
async fn o3_answers_of_gemini_are_read() {
    hold(GEMINI).await;
}

#[tokio::test]
async fn o3_answers_of_ollama_are_read() {
    hold(OLLAMA).await;
}

#[tokio::test]
async fn o3_answers_of_cohere_are_read() {
    hold(COHERE).await;
}

/// Holds all cases of a protocol, and names those that fail.
async fn hold(protocol: Protocol) {
    let mut failed = Vec::new();
    for case in protocol.cases() {
        for pieces in [None, Some(3)] {
            if pieces.is_some() && case.is_endless() {
                continue;
            }
            let mut wire = protocol.wire_of(&case);
            wire.pieces = pieces;
            let held = match alone(protocol, &case, wire.clone()).await {
                // To wait for a bound once is enough.
                Ok(()) if case.is_endless() => Ok(()),
                Ok(()) => in_a_run(protocol, &case, wire).await.map_err(|fault| format!("in a run: {fault}")),
                fault => fault,
            };
            if let Err(fault) = held {
                failed.push(format!("{} (pieces: {pieces:?}): {fault}", case.name));
                // The other form fails in the same way, most likely.
                break;
            }
        }
    }
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), protocol.file, failed.join("\n"));
}

/// Asks the model, and ends within the time that every answer has, however long.
async fn ask(model: &GenaiModel) -> Result<(Result<ModelResponse, ModelError>, Vec<ModelDelta>), String> {
    let mut deltas = Vec::new();
    let tools = ["echo", "add"].map(|name| ToolDeclaration::new(name, &ToolDefinition::new(name, "A tool.")));
    let request = ModelRequest::new([Message::user("Go.")]).with_agent("clerk").with_tools(tools);
    let mut note = |delta| deltas.push(delta);
    let answer = tokio::time::timeout(Duration::from_mins(5), model.respond(&request, &mut note)).await;
    Ok((answer.map_err(|_| "it does not end")?, deltas))
}

async fn alone(protocol: Protocol, case: &Case, wire: Wire) -> Result<(), String> {
    let (url, _) = serve(vec![wire]).await;
    match ask(&protocol.model(&url, case.stream)).await? {
        (Ok(answer), deltas) => {
            case.answers_with(&answer)?;
            holds_together(&answer, &deltas)
        }
        (Err(error), _) => case.fails_with(&error),
    }
}

/// What the tools did.
#[derive(Clone, Default)]
struct Ran(Arc<Mutex<Vec<String>>>);

impl Ran {
    fn note(&self, text: String) -> String {
        self.0.lock().unwrap().push(text.clone());
        text
    }
}

/// Says it again.
#[tool]
fn echo(text: Option<String>, ran: State<Ran>) -> String {
    ran.note(format!("heard {}", text.as_deref().unwrap_or("nothing")))
}

/// Adds one.
#[tool]
fn add(x: i64, ran: State<Ran>) -> String {
    ran.note(format!("sum {}", x + 1))
}

agent! { Clerk { name: "clerk", instruction: "Work.", state: Ran, function_tools: [echo, add] } }

async fn clerk(model: GenaiModel, ran: &Ran) -> AgentHandle {
    let mut limits = Limits::default();
    limits.model_retries = 0;
    Clerk::builder().state(ran.clone()).model(model).limits(limits).build().await.unwrap()
}

/// Each call that was announced runs once, or ends with an error that the model reads; an answer that is not whole ends the run.
async fn in_a_run(protocol: Protocol, case: &Case, wire: Wire) -> Result<(), String> {
    let (url, seen) = serve(vec![wire, protocol.fine(case.stream)]).await;
    let ran = Ran::default();
    let clerk = clerk(protocol.model(&url, case.stream), &ran).await;
    let session = clerk.session();
    let run = clerk.request("Go.").session(&session).run();
    let ended = tokio::time::timeout(Duration::from_mins(5), run).await.map_err(|_| "it does not end")?;
    session.history().check().map_err(|error| format!("the history is refused: {error}"))?;
    let ran = ran.0.lock().unwrap().clone();
    let is_whole = case.stop.is_some_and(onionskin::model::StopReason::is_whole);
    let output = match ended {
        Ok(output) if case.error.is_none() && is_whole => output,
        Err(RunError::Model { source, .. }) => {
            return if ran.is_empty() {
                case.fails_with(&source)
            } else {
                Err(format!("tools ran: {ran:?}"))
            };
        }
        Err(RunError::Unfinished { stop, .. }) if !is_whole && Some(stop) == case.stop => {
            return if ran.is_empty() { Ok(()) } else { Err(format!("tools ran: {ran:?}")) };
        }
        other => return Err(format!("the run ended with {other:?}")),
    };
    if case.calls.is_empty() {
        return if output.text.trim().is_empty() { Err("the run says nothing".to_owned()) } else { Ok(()) };
    }
    if output.text != "Fine." || output.tool_calls.len() != case.calls.len() {
        return Err(format!("the run ended with {output:?}"));
    }
    let told = seen.lock().unwrap().get(1).cloned().unwrap_or_default();
    let mut wanted = Vec::new();
    for (call, report) in case.calls.iter().zip(&output.tool_calls) {
        let is_run = call.has_arguments() && matches!(&*call.name, "echo" | "add");
        let is_ok = report.outcome == Some(CallOutcome::Ok);
        if is_run != is_ok || *report.tool != *call.name {
            return Err(format!("{call:?} became {report:?}"));
        }
        if is_run {
            wanted.push(report.to_text().into_owned());
        }
    }
    let (mut ran, mut expected) = (ran, wanted.clone());
    ran.sort();
    expected.sort();
    if ran != expected {
        return Err(format!("the tools did {ran:?}, and the results are {expected:?}"));
    }
    match wanted.iter().find(|result| !told.contains(&***result)) {
        Some(result) => Err(format!("the next request lacks {result:?}: {told}")),
        None => Ok(()),
    }
}
