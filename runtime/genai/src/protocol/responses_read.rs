//! Answers of Responses.

use serde_json::{Value, json};

use onionskin_core::model::{ModelError, Usage};

use super::{Flow, count, list, named, text};
use crate::answer::{Answer, Stop, unread};
use crate::failure::failed;
use crate::items::Marks;

// The types of items that are a part of an answer here.
const CALL: &str = "function_call";
const MESSAGE: &str = "message";
const REASONING: &str = "reasoning";

/// Items that want something of the program that no tool of an agent gives.
const RUN_BY_THE_PROGRAM: [&str; 6] = [
    "custom_tool_call",
    "computer_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "mcp_approval_request",
];

/// An event of a stream.
pub(super) fn event(answer: &mut Answer<'_>, event: &Value) -> Result<Flow, ModelError> {
    let number = number_of(event.get("output_index"));
    let piece = |kind| Marks { kind, number: &number, id: text(event, "/item_id"), call_id: "" };
    let item = event.get("item").filter(|item| !text(item, "/type").is_empty());
    match text(event, "/type") {
        "response.output_text.delta" => {
            let at = item_at(answer, &piece(MESSAGE))?;
            say(answer, at, text(event, "/delta"), false)?;
        }
        "response.refusal.delta" => {
            let at = item_at(answer, &piece(MESSAGE))?;
            say(answer, at, text(event, "/delta"), true)?;
        }
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            let at = item_at(answer, &piece(REASONING))?;
            answer.items.get(at).is_thought = true;
            answer.reasoning(text(event, "/delta"))?;
        }
        "response.output_item.added" => {
            if let Some(item) = item {
                let marks = marks_of(item, &number);
                let at = match answer.items.find_begun(&marks) {
                    Some(at) => at,
                    None => answer.items.begin(&marks)?,
                };
                if marks.kind == CALL {
                    begin_call(answer, at, item)?;
                }
            }
        }
        "response.function_call_arguments.delta" => {
            let at = item_at(answer, &piece(CALL))?;
            let call = begin_call(answer, at, &Value::Null)?;
            answer.add(call, "", "", text(event, "/delta"))?;
        }
        "response.function_call_arguments.done" => {
            if let Some(at) = answer.items.find(&piece(CALL)) {
                let call = begin_call(answer, at, &Value::Null)?;
                ends(answer, call, event.get("arguments"))?;
            }
        }
        "response.output_item.done" => {
            if let Some(item) = item {
                let marks = marks_of(item, &number);
                // An ended call of the same id with other arguments is another call.
                let known = answer.items.find(&marks).filter(|at| {
                    let known = answer.items.get(*at);
                    let call = known.call.filter(|_| known.has_ended());
                    call.is_none_or(|call| is_so(answer, call, item))
                });
                let at = match known.or_else(|| same_call(answer, &marks, item)) {
                    Some(at) => at,
                    None => answer.items.begin(&marks)?,
                };
                answer.items.mark(at, &marks);
                whole_item(answer, at, item)?;
                answer.items.get(at).end();
            }
        }
        "response.completed" | "response.incomplete" | "response.failed" => {
            document(answer, event.get("response").unwrap_or(&Value::Null))?;
            return Ok(Flow::End);
        }
        kind if kind.starts_with("response.") => {}
        _ => return Ok(Flow::Unknown),
    }
    Ok(Flow::Part)
}

/// The item of a piece, which can be the first sign of it.
fn item_at(answer: &mut Answer<'_>, marks: &Marks<'_>) -> Result<usize, ModelError> {
    match answer.items.find(marks) {
        Some(at) => {
            answer.items.mark(at, marks);
            Ok(at)
        }
        None => answer.items.begin(marks),
    }
}

/// The call of the same number with the same name and arguments: with another id, it is the same call.
fn same_call(answer: &mut Answer<'_>, marks: &Marks<'_>, item: &Value) -> Option<usize> {
    let at = answer.items.numbered(marks).filter(|_| marks.kind == CALL)?;
    let call = answer.items.get(at).call?;
    is_so(answer, call, item).then_some(at)
}

fn is_so(answer: &mut Answer<'_>, call: usize, item: &Value) -> bool {
    let arguments = answer.argument_text(item.get("arguments"));
    arguments.is_ok_and(|arguments| answer.calls().is_so(call, text(item, "/name"), &arguments))
}

/// The call of an item, which begins with the first event that has something of it.
fn begin_call(answer: &mut Answer<'_>, at: usize, item: &Value) -> Result<usize, ModelError> {
    let call = match answer.items.get(at).call {
        Some(call) => call,
        None => answer.begin(None, "", "", true)?,
    };
    answer.items.get(at).call = Some(call);
    if !answer.calls().is_named(call) {
        answer.add(call, text(item, "/call_id"), text(item, "/name"), "")?;
    }
    Ok(call)
}

fn say(answer: &mut Answer<'_>, at: usize, piece: &str, refuses: bool) -> Result<(), ModelError> {
    let from = answer.said().len();
    if refuses { answer.refusal(piece) } else { answer.text(piece) }?;
    let to = answer.said().len();
    answer.items.get(at).say(from, to);
    Ok(())
}

/// A whole answer, alone or at the end of a stream: what the events left out is taken from it.
pub(super) fn document(answer: &mut Answer<'_>, document: &Value) -> Result<Flow, ModelError> {
    if !document.get("output").is_some_and(Value::is_array) && text(document, "/status").is_empty() {
        return Ok(Flow::Unknown);
    }
    answer.items.begin_list();
    let items = list(document, "/output").iter().enumerate();
    for (place, item) in items.filter(|(_, item)| !text(item, "/type").is_empty()) {
        let number = place.to_string();
        let marks = marks_of(item, &number);
        let known = answer.items.find_listed(&marks).or_else(|| same_call(answer, &marks, item));
        let at = match known {
            Some(at) => at,
            None => answer.items.begin(&marks)?,
        };
        answer.items.list(at);
        whole_item(answer, at, item)?;
    }
    (answer.carried.order, answer.carried.phases) = (answer.items.places(), answer.items.phases());
    answer.usage = tokens(document, &answer.carried.blocks);
    (answer.id, answer.model) = (named(document, "/id"), named(document, "/model"));
    answer.stop(match text(document, "/status") {
        "completed" | "" => Stop::Done,
        "incomplete" => match text(document, "/incomplete_details/reason") {
            "max_output_tokens" => Stop::Length,
            "content_filter" => Stop::Filter,
            reason => Stop::Early(format!("incomplete: {}", short(reason))),
        },
        "failed" => return Err(failed(document.get("error").unwrap_or(&Value::Null))),
        status => Stop::Early(short(status)),
    });
    Ok(Flow::End)
}

/// The usage, in which the provider's own tools are no count: each use of one is an item.
fn tokens(document: &Value, blocks: &[Value]) -> Usage {
    let mut usage =
        Usage::new(count(document, "/usage/input_tokens"), count(document, "/usage/output_tokens"));
    usage.cached_input_tokens = count(document, "/usage/input_tokens_details/cached_tokens");
    usage.cache_write_tokens = count(document, "/usage/input_tokens_details/cache_write_tokens");
    usage.reasoning_tokens = count(document, "/usage/output_tokens_details/reasoning_tokens");
    let uses = blocks.iter().filter(|block| text(block, "/type").ends_with("_call")).count();
    usage.server_tool_uses = u64::try_from(uses).unwrap_or(u64::MAX);
    usage
}

/// A whole item, of which pieces can have come before.
fn whole_item(answer: &mut Answer<'_>, at: usize, item: &Value) -> Result<(), ModelError> {
    match text(item, "/type") {
        CALL => {
            let call = begin_call(answer, at, item)?;
            ends(answer, call, item.get("arguments"))?;
        }
        MESSAGE => {
            text(item, "/phase").clone_into(&mut answer.items.get(at).phase);
            rest_of_message(answer, at, item)?;
        }
        REASONING => {
            if !std::mem::replace(&mut answer.items.get(at).is_thought, true) {
                for part in list(item, "/summary").iter().chain(list(item, "/content")) {
                    answer.reasoning(text(part, "/text"))?;
                }
            }
            let encrypted = text(item, "/encrypted_content");
            if !encrypted.is_empty() {
                let summary = list(item, "/summary");
                let block = json!({ "type": REASONING, "encrypted_content": encrypted, "summary": summary });
                carry(answer, at, block)?;
            }
        }
        "image_generation_call" => return Err(unread("a picture")),
        kind if RUN_BY_THE_PROGRAM.contains(&kind) => {
            return Err(unread(&format!("an item of the type `{kind}`")));
        }
        // The provider's own tools, which have run there: they go back as they are, with the reasoning before them.
        _ => carry(answer, at, item.clone())?,
    }
    Ok(())
}

/// What the pieces of a message left out. If the server says now that it was another text, the one that was passed on counts.
fn rest_of_message(answer: &mut Answer<'_>, at: usize, item: &Value) -> Result<(), ModelError> {
    let ranges = answer.items.get(at).texts().to_vec();
    let said: String = ranges.iter().filter_map(|(from, to)| answer.said().get(*from..*to)).collect();
    let parts = list(item, "/content").iter();
    let parts: Vec<_> =
        parts.flat_map(|part| [(text(part, "/text"), false), (text(part, "/refusal"), true)]).collect();
    let whole: String = parts.iter().map(|(text, _)| *text).collect();
    if !whole.starts_with(&said) {
        return Ok(());
    }
    let mut known = said.len();
    for (piece, refuses) in parts {
        say(answer, at, piece.get(known..).unwrap_or_default(), refuses)?;
        known = known.saturating_sub(piece.len());
    }
    Ok(())
}

/// What goes back of an item: the latest form of it.
fn carry(answer: &mut Answer<'_>, at: usize, block: Value) -> Result<(), ModelError> {
    answer.grow(block.to_string().len())?;
    match answer.items.get(at).block {
        Some(place) => answer.carried.blocks[place] = block,
        None => {
            answer.items.get(at).block = Some(answer.carried.blocks.len());
            answer.block(block)?;
        }
    }
    Ok(())
}

/// A call has ended, with this text.
fn ends(answer: &mut Answer<'_>, at: usize, arguments: Option<&Value>) -> Result<(), ModelError> {
    let whole = answer.argument_text(arguments)?;
    // Which of two texts the model wrote is not known, so neither may run.
    if !answer.calls().allows(at, &whole) {
        return Err(ModelError::Incomplete("one of its calls has two texts of arguments".to_owned()));
    }
    if answer.calls().has_arguments(at) {
        answer.calls().set_arguments(at, &whole);
    } else {
        answer.add(at, "", "", &whole)?;
    }
    answer.calls().close(at);
    Ok(())
}

/// The marks of an item, which has this number.
fn marks_of<'v>(item: &'v Value, number: &'v str) -> Marks<'v> {
    Marks { kind: text(item, "/type"), number, id: text(item, "/id"), call_id: text(item, "/call_id") }
}

fn number_of(number: Option<&Value>) -> String {
    number.filter(|number| !number.is_null()).map_or_else(String::new, Value::to_string)
}

fn short(text: &str) -> String {
    text.chars().take(500).collect()
}
