//! Cases in which two requests differ in one part: a model that leaves the part out sends the same request twice.

use serde_json::{Value, json};

use super::answers::{add_one, follow, hello};
use super::options::with_response_schema;
use super::probe::{Check, Failure, Probe, ensure};
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::definition::{ToolDeclaration, ToolDefinition};
use onionskin_tools::model::{Message, Model, ModelRequest, ToolResultMessage};

/// A part for which not every provider has a place.
fn shown(differ: bool, otherwise: &'static str) -> Check {
    if differ { Ok(()) } else { Err(Failure::NotShown(otherwise)) }
}

pub(super) async fn model_name<M: Model>(probe: &Probe<'_, M>) -> Check {
    let [first, second] = ["suite-one", "suite-two"].map(|name| hello().with_model(name));
    let differ = probe.distinguishes(&first, &second).await?;
    shown(differ, "the provider does not get the model's name of the request, `ModelRequest::model`")
}

pub(super) async fn tool_schema<M: Model>(probe: &Probe<'_, M>) -> Check {
    let request = |schema: Value| {
        let tool = ToolDefinition::new("add_one", "Adds one.").with_input_schema(schema);
        ModelRequest::new([Message::user("Add one to 41.")])
            .with_tools([ToolDeclaration::new("add_one", &tool)])
    };
    let whole = (*add_one().input_schema).clone();
    let changed = |path: &str, value: Value| {
        let mut schema = whole.clone();
        *schema.pointer_mut(path).expect("the schema has it") = value;
        schema
    };
    let base = request(whole.clone());
    for (part, schema) in [
        ("type of a property", changed("/properties/number/type", json!("string"))),
        ("list `required`", changed("/required", json!([]))),
        ("name of a property", changed("/properties", json!({ "figure": { "type": "integer" } }))),
    ] {
        let differ = probe.distinguishes(&base, &request(schema)).await?;
        ensure(differ, || format!("the provider does not get the {part} of a tool's schema"))?;
    }
    Ok(())
}

/// A conversation whose last message is the result of a call, and one with another result.
async fn results<M: Model>(
    probe: &Probe<'_, M>,
    change: impl FnOnce(&mut ToolResultMessage),
) -> Check<[ModelRequest; 2]> {
    let request = ModelRequest::new([Message::user("Add one to 41.")]).with_tools([add_one()]);
    let response = probe.ask(&request).await?;
    ensure(response.tool_calls.len() == 1, || {
        format!("there are {} calls, not 1", response.tool_calls.len())
    })?;
    let call = response.tool_calls[0].clone();
    let mut first = request.clone();
    follow(&mut first, response.clone(), &[("42 it is", false)]);
    let content = [ContentBlock::text("42 it is")];
    let mut result = ToolResultMessage::new(call.id, call.name, content);
    change(&mut result);
    let mut second = request;
    second.messages.push(response.into());
    second.messages.push(Message::tool([result]));
    Ok([first, second])
}

pub(super) async fn result_errors<M: Model>(probe: &Probe<'_, M>) -> Check {
    let [good, failed] = results(probe, |result| result.is_error = true).await?;
    let differ = probe.distinguishes(&good, &failed).await?;
    shown(differ, "the provider does not get which results are errors, `ToolResultMessage::is_error`")
}

pub(super) async fn result_names<M: Model>(probe: &Probe<'_, M>) -> Check {
    let [own, other] = results(probe, |result| result.name = "add_two".into()).await?;
    let differ = probe.distinguishes(&own, &other).await?;
    shown(differ, "the provider does not get the tool's name with a result, `ToolResultMessage::name`")
}

pub(super) async fn response_schema_name<M: Model>(probe: &Probe<'_, M>) -> Check {
    let [first, second] = ["weather", "climate"].map(with_response_schema);
    let differ = probe.distinguishes(&first, &second).await?;
    shown(differ, "the provider does not get the name of the response schema")
}
