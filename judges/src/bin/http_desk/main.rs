//! The desk of a shop over plain HTTP and MCP, at the address that it prints: agents that answer, call tools, ask a person and wait, and a
//! UI tool with a page.
//! usage: `http_desk TOKEN=USER...`

#![expect(clippy::needless_pass_by_value, reason = "tools own their arguments")]

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use onionskin::model::{Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall};
use onionskin::question::AskError;
use onionskin::serve::{Http, Server, User};
use onionskin::sessions::MemorySessions;
use onionskin::ui::ui_tool;
use onionskin::{Secret, ToolContext, agent, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

type BoxError = Box<dyn Error + Send + Sync>;

/// A parcel.
#[derive(Deserialize, Serialize, JsonSchema)]
#[schemars(example = Parcel { grams: 250, city: "Oslo".to_owned(), fragile: true })]
struct Parcel {
    /// The weight in grams.
    grams: u32,
    /// Where it goes.
    #[schemars(length(min = 1))]
    city: String,
    /// Whether it breaks.
    #[serde(default)]
    fragile: bool,
}

/// What a parcel costs.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Postage {
    cents: u32,
}

/// A colour.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Colour {
    Red,
    Blue,
}

/// Finds an article.
#[tool(effect = pure)]
fn find_article(words: String) -> String {
    format!("there is no {words}")
}

/// Waits.
#[tool]
async fn wait() -> &'static str {
    tokio::time::sleep(Duration::from_mins(5)).await;
    "it took five minutes"
}

/// Pays.
#[tool(approval, effect = once)]
fn pay(cents: u32) -> String {
    format!("paid {cents}")
}

/// Paints in the colour that a person chooses.
#[tool(asks)]
async fn paint(cx: &ToolContext) -> Result<String, AskError> {
    let colour: Colour = cx.ask_as("colour", "Which colour?").await?;
    Ok(format!("painted in {colour:?}"))
}

/// Lets a person pick a colour on a page.
#[ui_tool(component = "ColourPicker", html = include_str!("picker.html"))]
async fn pick_colour(cx: &ToolContext) -> Result<String, AskError> {
    cx.ui().use_ui_tool("colour", "Painting", json!({ "of": "the door" })).await
}

agent! {
    /// Knows the articles.
    Clerk { instruction: "Answer.", function_tools: [find_article, wait] }
    /// Pays bills.
    Cashier { instruction: "Pay.", function_tools: [pay] }
    /// Paints doors.
    Painter { instruction: "Paint.", function_tools: [paint, pick_colour] }
    /// Weighs parcels.
    Scale { instruction: "Weigh.", input: Parcel, output: Postage }
}

/// Makes the first call whose word is in the input, and then says what the tools said.
struct Calls(&'static [(&'static str, &'static str, &'static str)]);

impl Model for Calls {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let text = match request.messages.last() {
            Some(Message::User { content, .. }) => {
                let text: String = content.iter().filter_map(|part| part.as_text()).collect();
                let chosen = self.0.iter().find(|(word, _, _)| text.contains(word));
                if let Some((_, tool, arguments)) = chosen {
                    let id = format!("call-{}", request.messages.len());
                    return Ok(ModelResponse::tool_calls([ToolCall::new(id, *tool, *arguments)]));
                }
                text
            }
            Some(last) => format!("The tool says: {}.", last.to_text()),
            None => String::new(),
        };
        deltas(ModelDelta::Text(text.clone()));
        Ok(ModelResponse::text(text))
    }
}

/// Weighs everything alike.
struct Weighs;

impl Model for Weighs {
    async fn respond(
        &self,
        _: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        Ok(ModelResponse::text(r#"{"cents":120}"#))
    }
}

async fn server() -> Result<Server, BoxError> {
    let clerk = Clerk::builder()
        .model(Calls(&[("wait", "wait", "{}"), ("find", "find_article", r#"{"words":"lamp"}"#)]))
        .session_store(Arc::new(MemorySessions::default()));
    let cashier = Cashier::builder()
        .model(Calls(&[("", "pay", r#"{"cents":300}"#)]))
        .session_store(Arc::new(MemorySessions::default()));
    let painter = Painter::builder().model(Calls(&[("pick", "pick_colour", "{}"), ("", "paint", "{}")]));
    let builder = Server::builder("shop", "1.2.3")
        .agent(&clerk.build().await?)
        .agent(&cashier.build().await?)
        .agent(&painter.build().await?)
        .agent(&Scale::builder().model(Weighs).build().await?)
        .tool(pick_colour::spec());
    Ok(builder.build().await?)
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let mut http = server().await?.http().api();
    for word in std::env::args().skip(1) {
        let (token, user) = word.split_once('=').ok_or("usage: http_desk TOKEN=USER...")?;
        http = Http::token(http, Secret::new(token.to_owned()), User::new(user)?);
    }
    let listening = http.listen(([127, 0, 0, 1], 0).into()).await?;
    println!("http://{}", listening.address());
    // It ends with the program that started it.
    let mut input = tokio::io::stdin();
    listening.run(async { drop(tokio::io::copy(&mut input, &mut tokio::io::sink()).await) }).await;
    Ok(())
}
