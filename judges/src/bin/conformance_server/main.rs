//! The server under test of MCP's conformance kit: the tools, prompts and resources that its scenarios name. It prints its address.

mod tasks;

use std::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

use onionskin::content::{self, Audio, ContentBlock, Image, Media};
use onionskin::question::{AskError, CallerRequest};
use onionskin::serve::{Client, Prompt, PromptMessage, Resource, ResourceError, Server, ServerBuilder};
use onionskin::{Progress, Provided, ScriptedModel, ToolContext, ToolOutput, agent, tool};
use serde_json::{Value, json};

use tasks::{TASK_AFTER, TaskFixture};

type BoxError = Box<dyn Error + Send + Sync>;

const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SOUND: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/// The server, for the tools that tell of changes.
static SERVER: OnceLock<Server> = OnceLock::new();

fn pixel() -> ContentBlock {
    Image(Media::new(PIXEL, "image/png")).into()
}

/// Answers with a text.
#[tool]
fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Answers with an image.
#[tool]
fn test_image_content() -> ToolOutput {
    ToolOutput::blocks([pixel()])
}

/// Answers with a sound.
#[tool]
fn test_audio_content() -> ToolOutput {
    ToolOutput::blocks([Audio(Media::new(SOUND, "audio/wav")).into()])
}

/// Answers with a file.
#[tool]
fn test_embedded_resource() -> content::Resource {
    content::Resource::text("test://embedded-resource", "This is an embedded resource content.")
        .with_mime_type("text/plain")
}

/// Answers with a text, an image and a file.
#[tool]
fn test_multiple_content_types() -> ToolOutput {
    let file = content::Resource::text("test://mixed-content-resource", r#"{"test":"data","value":123}"#);
    let file = file.with_mime_type("application/json");
    ToolOutput::blocks([ContentBlock::text("Multiple content types test:"), pixel(), file.into()])
}

/// Fails.
#[tool]
fn test_error_handling() -> Result<String, &'static str> {
    Err("This tool intentionally returns an error for testing")
}

/// Reports its progress.
#[tool]
async fn test_tool_with_progress(progress: Progress) -> &'static str {
    for done in [0.0, 50.0, 100.0] {
        progress.report(done, Some(100.0), None);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    "done"
}

/// Writes a log.
#[tool]
async fn test_tool_with_logging(cx: &ToolContext) -> Result<&'static str, serde_json::Error> {
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        cx.emit(line)?;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok("logged")
}

/// Writes a log for clients that ask for it.
#[tool]
fn test_logging_tool(cx: &ToolContext) -> Result<&'static str, serde_json::Error> {
    cx.emit("a line")?;
    Ok("logged")
}

fn sampling(text: &str, tokens: u32) -> CallerRequest {
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    CallerRequest::new("sampling/createMessage", json!({ "messages": [message], "maxTokens": tokens }))
}

/// Asks the model of the client.
#[tool(asks)]
async fn test_sampling(cx: &ToolContext, prompt: String) -> Result<String, AskError> {
    let answer = cx.ask_caller("sample", sampling(&prompt, 100)).await?;
    Ok(format!("LLM response: {}", answer["content"]["text"].as_str().unwrap_or_default()))
}

/// Asks the user.
#[tool(asks)]
async fn test_elicitation(cx: &ToolContext, message: String) -> Result<String, AskError> {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let properties = json!({ "username": text("User's response"), "email": text("User's email address") });
    let schema = json!({ "type": "object", "properties": properties, "required": ["username", "email"] });
    Ok(format!("User response: {}", cx.ask_json(message, schema).await?))
}

/// Asks the user, with defaults.
#[tool(asks)]
async fn test_elicitation_sep1034_defaults(cx: &ToolContext) -> Result<String, AskError> {
    let properties = json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    });
    let answer = cx.ask_json("Is this right?", json!({ "type": "object", "properties": properties })).await?;
    Ok(format!("Elicitation completed: action=accept, content={answer}"))
}

/// Asks the user, with choices.
#[tool(asks)]
async fn test_elicitation_sep1330_enums(cx: &ToolContext) -> Result<String, AskError> {
    let titled = |names: [(&str, &str); 3]| -> Value {
        names.iter().map(|(value, title)| json!({ "const": value, "title": title })).collect()
    };
    let options = ["option1", "option2", "option3"];
    let properties = json!({
        "untitledSingle": { "type": "string", "enum": options },
        "titledSingle": { "type": "string", "oneOf": titled([
            ("value1", "First Option"), ("value2", "Second Option"), ("value3", "Third Option"),
        ]) },
        "legacyEnum": {
            "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled([
            ("value1", "First Choice"), ("value2", "Second Choice"), ("value3", "Third Choice"),
        ]) } },
    });
    let answer = cx.ask_json("Choose.", json!({ "type": "object", "properties": properties })).await?;
    Ok(format!("Elicitation completed: action=accept, content={answer}"))
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Color {
    color: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Confirmed {
    ok: bool,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Context {
    context: String,
}

/// Asks for a name.
#[tool(asks)]
async fn test_input_required_result_elicitation(cx: &ToolContext) -> Result<String, AskError> {
    let Name { name } = cx.ask_as("user_name", "What is your name?").await?;
    Ok(format!("Hello, {name}!"))
}

/// Asks the model of the client.
#[tool(asks)]
async fn test_input_required_result_sampling(cx: &ToolContext) -> Result<String, AskError> {
    let answer = cx.ask_caller("capital_question", sampling("What is the capital of France?", 100)).await?;
    Ok(answer["content"]["text"].as_str().unwrap_or_default().to_owned())
}

fn roots() -> CallerRequest {
    CallerRequest::new("roots/list", json!({}))
}

/// Lists the roots of the client.
#[tool(asks)]
async fn test_input_required_result_list_roots(cx: &ToolContext) -> Result<String, AskError> {
    Ok(cx.ask_caller("client_roots", roots()).await?["roots"].to_string())
}

/// Asks for a confirmation.
#[tool(asks)]
async fn test_input_required_result_request_state(cx: &ToolContext) -> Result<String, AskError> {
    let Confirmed { ok } = cx.ask_as("confirm", "Please confirm").await?;
    Ok(format!("state-ok: {ok}"))
}

/// Asks for a confirmation, too.
#[tool(asks)]
async fn test_input_required_result_tampered_state(cx: &ToolContext) -> Result<String, AskError> {
    let Confirmed { ok } = cx.ask_as("confirm", "Please confirm").await?;
    Ok(format!("state-ok: {ok}"))
}

/// Asks three things at once.
#[tool(asks)]
async fn test_input_required_result_multiple_inputs(cx: &ToolContext) -> Result<String, AskError> {
    let (name, greeting, folders) = tokio::join!(
        cx.ask_as::<Name>("user_name", "What is your name?"),
        cx.ask_caller("greeting", sampling("Generate a greeting", 50)),
        cx.ask_caller("client_roots", roots()),
    );
    Ok(format!("{}: {} {}", name?.name, greeting?["content"]["text"], folders?["roots"]))
}

/// Asks twice.
#[tool(asks)]
async fn test_input_required_result_multi_round(cx: &ToolContext) -> Result<String, AskError> {
    let Name { name } = cx.ask_as("step1", "Step 1: What is your name?").await?;
    let Color { color } = cx.ask_as("step2", "Step 2: What is your favorite color?").await?;
    Ok(format!("{name} likes {color}."))
}

/// Asks what the client can answer.
#[tool(asks)]
async fn test_input_required_result_capabilities(
    cx: &ToolContext,
    client: Provided<Client>,
) -> Result<String, AskError> {
    if client.can_ask() {
        let Name { name } = cx.ask_as("user_name", "What is your name?").await?;
        return Ok(name);
    }
    Ok(cx.ask_caller("capital_question", sampling("What is the capital of France?", 100)).await?.to_string())
}

/// Needs the model of the client.
#[tool(asks)]
async fn test_missing_capability(cx: &ToolContext) -> Result<String, AskError> {
    Ok(cx.ask_caller("sample", sampling("Hello?", 10)).await?.to_string())
}

/// Asks in the middle of its work.
#[tool(asks)]
async fn test_streaming_elicitation(cx: &ToolContext) -> Result<String, AskError> {
    let Name { name } = cx.ask_as("user_name", "What is your name?").await?;
    Ok(name)
}

/// Tells of other tools.
#[tool]
fn test_trigger_tool_change() -> &'static str {
    SERVER.get().map_or("no server", |server| {
        server.tools_changed();
        "told"
    })
}

/// Tells of other prompts.
#[tool]
fn test_trigger_prompt_change() -> &'static str {
    SERVER.get().map_or("no server", |server| {
        server.prompts_changed();
        "told"
    })
}

/// Prompts with what the user says.
#[tool(asks)]
async fn test_input_required_result_prompt(cx: &ToolContext) -> Result<String, AskError> {
    let Context { context } = cx.ask_as("user_context", "What context should the prompt use?").await?;
    Ok(format!("Use this context: {context}"))
}

agent! {
    Fixture {
        name: "fixture",
        instruction: "Serve.",
        function_tools: [
            test_simple_text, test_image_content, test_audio_content, test_embedded_resource, test_multiple_content_types,
            test_error_handling, test_tool_with_progress, test_tool_with_logging, test_logging_tool, test_sampling,
            test_elicitation, test_elicitation_sep1034_defaults, test_elicitation_sep1330_enums,
            test_input_required_result_elicitation, test_input_required_result_sampling,
            test_input_required_result_list_roots, test_input_required_result_request_state,
            test_input_required_result_tampered_state, test_input_required_result_multiple_inputs,
            test_input_required_result_multi_round, test_input_required_result_capabilities, test_missing_capability,
            test_streaming_elicitation, test_trigger_tool_change, test_trigger_prompt_change,
        ],
    }
}

fn prompts() -> [Prompt; 5] {
    let with_file =
        Prompt::with_messages("test_prompt_with_embedded_resource", "A prompt with a file.", |arguments| {
            let uri = arguments.first().map_or("test://none", |(_, uri)| uri);
            let file = content::Resource::text(uri, "Embedded resource content for testing.");
            vec![
                PromptMessage::user(file.with_mime_type("text/plain")),
                PromptMessage::user(ContentBlock::text("Please process the embedded resource above.")),
            ]
        });
    let with_image = Prompt::with_messages("test_prompt_with_image", "A prompt with an image.", |_| {
        vec![
            PromptMessage::user(pixel()),
            PromptMessage::user(ContentBlock::text("Please analyze the image above.")),
        ]
    });
    let with_arguments = "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'";
    [
        Prompt::new("test_simple_prompt", "A simple prompt.", "This is a simple prompt for testing."),
        Prompt::new("test_prompt_with_arguments", "A prompt with arguments.", with_arguments)
            .argument("arg1", "The first.")
            .argument("arg2", "The second.")
            .values("arg1", ["test1", "test2"]),
        with_file.argument("resourceUri", "The file."),
        with_image,
        Prompt::from_tool(test_input_required_result_prompt::spec()),
    ]
}

fn resources() -> [Resource; 4] {
    let text =
        Resource::text("test://static-text", "Text", "This is the content of the static text resource.");
    let binary = Resource::new("test://static-binary", "Image", |uri| async move {
        Ok(vec![content::Resource::blob(uri, PIXEL)])
    });
    let template = Resource::template("test://template/{id}/data", "Data", |uri, variables| async move {
        let (_, id) = variables.first().ok_or(ResourceError::NotFound)?;
        let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
        Ok(vec![content::Resource::text(uri, data.to_string())])
    });
    [
        text.with_mime_type("text/plain"),
        binary.with_mime_type("image/png"),
        template.with_mime_type("application/json"),
        Resource::text("test://watched-resource", "Watched", "It may change."),
    ]
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let fixture =
        Fixture::builder().model(ScriptedModel::new()).provide_per_request::<Client>().build().await?;
    let long = TaskFixture::builder().model(ScriptedModel::new()).build().await?;
    let builder = Server::builder("onionskin-conformance", env!("CARGO_PKG_VERSION"));
    let builder = builder.task_after(TASK_AFTER).tools_of(&fixture).tools_of(&long);
    let builder = prompts().into_iter().fold(builder, ServerBuilder::prompt);
    let builder = resources().into_iter().fold(builder, ServerBuilder::resource);
    let server = builder.build().await?;
    let _ = SERVER.set(server.clone());
    let listening = server.http().listen(([127, 0, 0, 1], 0).into()).await?;
    println!("http://localhost:{}/mcp", listening.address().port());
    listening.run(std::future::pending()).await;
    Ok(())
}
