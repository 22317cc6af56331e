//! What a turn hook returns.
use onionskin::model::ModelResponse;
use onionskin::turn_hooks::{TurnRequest, TurnToolCall};
use onionskin::turn_hook;

//~ an answer after the call
#[turn_hook(after_llm_call)]
fn trim(response: &mut ModelResponse) -> Option<ModelResponse> { Some(response.clone()) }

//~ a text as the result of a tool
#[turn_hook(before_tool_call)]
fn gives_text_for_a_tool(call: &TurnToolCall) -> Option<String> { Some(call.name().to_owned()) }

//~ a text
#[turn_hook(before_llm_call)]
fn returns_text(request: &mut TurnRequest) -> String { request.turn().to_string() }

fn main() {}
