//! The desk of a shop, served to MCP clients of others: over the standard streams, or over HTTP at an address that it prints.
//! usage: `served_desk FOLDER stdio`, or `served_desk FOLDER http [TOKEN=USER...]`
//!
//! `pack` writes into the folder how each of its calls ended.

#![expect(clippy::needless_pass_by_value, reason = "tools own their arguments")]

use std::error::Error;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use onionskin::content::{self, ContentBlock};
use onionskin::question::AskError;
use onionskin::serve::{
    Client, Http, Prompt, PromptMessage, Resource, ResourceError, Server, ServerBuilder, User,
};
use onionskin::{Progress, Provided, ScriptedModel, ScriptedTurn, Secret, ToolContext, agent, tool, toolbox};
use serde_json::json;

type BoxError = Box<dyn Error + Send + Sync>;

/// The milliseconds of a parcel and of a model's answer. The SDK of 2025 forgets a report that it reads together with the result.
const PAUSE_MS: u64 = 50;

/// The server, for the tool that tells of changes.
static SERVER: OnceLock<Server> = OnceLock::new();

/// An article of the shop.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Article {
    /// Its name.
    name: String,
    /// Its price.
    cents: u32,
}

/// What was found.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Matches {
    articles: Vec<Article>,
    /// How many more there are.
    more: usize,
}

/// A payment.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Receipt {
    cents: u32,
    /// Who paid; nobody where the server checks no tokens.
    user: Option<String>,
}

/// What a person orders.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Order {
    /// The size.
    #[schemars(range(min = 30, max = 50))]
    size: u8,
    /// The colour.
    colour: Colour,
    /// Whether it is a gift.
    gift: bool,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Colour {
    Red,
    Blue,
}

/// Finds articles.
#[tool(title = "Find articles", effect = pure, annotations(read_only, open_world = false))]
fn find_article(
    /// A part of the name.
    words: String,
    /// The maximum number of articles.
    #[arg(default = 2, range(1..=10))]
    limit: usize,
) -> Matches {
    let names = [("hammer", 1250), ("small hammer", 850), ("large hammer", 2100), ("saw", 990)];
    let all = names.iter().filter(|(name, _)| name.contains(&words));
    let all: Vec<_> = all.map(|(name, cents)| Article { name: (*name).to_owned(), cents: *cents }).collect();
    let more = all.len().saturating_sub(limit);
    Matches { articles: all.into_iter().take(limit).collect(), more }
}

/// Pays.
#[tool(approval, effect = once, annotations(destructive, idempotent = false))]
fn pay(cents: u32, client: Provided<Client>) -> Receipt {
    Receipt { cents, user: client.user().map(|user| user.id().to_owned()) }
}

/// Orders shoes.
#[tool(asks, effect = once)]
async fn order_shoes(cx: &ToolContext, model: String) -> Result<String, AskError> {
    let order: Order = cx.ask_as("order", format!("Which {model}?")).await?;
    let wrapping = if order.gift { ", wrapped" } else { "" };
    Ok(format!("ordered {model} in size {} and {:?}{wrapping}", order.size, order.colour))
}

/// Opens the till.
#[tool]
fn open_till() -> Result<String, &'static str> {
    Err("the till is locked: ask the manager")
}

/// Says who asks.
#[tool]
fn who_asks(client: Provided<Client>) -> String {
    let user = client.user().map_or("nobody", User::id);
    format!("{} for {user}", client.name())
}

/// Writes a line of the log.
#[tool]
fn note(cx: &ToolContext, line: String) -> Result<&'static str, serde_json::Error> {
    cx.emit(json!({ "line": line }))?;
    Ok("noted")
}

/// Tells the clients that everything has changed.
#[tool]
fn refurbish() -> &'static str {
    let Some(server) = SERVER.get() else { return "there is no server" };
    server.tools_changed();
    server.prompts_changed();
    server.resources_changed();
    server.resource_changed("shop://terms");
    "refurbished"
}

/// The packing table. It keeps a note of how each of its calls ended.
struct Table {
    folder: PathBuf,
}

/// Writes how a call ended, when it is dropped.
struct Ending {
    file: PathBuf,
    how: &'static str,
}

impl Drop for Ending {
    fn drop(&mut self) {
        // A reader of the file never sees a part of it.
        let part = self.file.with_extension("part");
        if std::fs::write(&part, self.how).and_then(|()| std::fs::rename(&part, &self.file)).is_err() {
            eprintln!("cannot write {}", self.file.display());
        }
    }
}

#[toolbox]
impl Table {
    /// Packs parcels.
    #[tool(effect = idempotent)]
    async fn pack(
        &self,
        progress: Progress,
        /// The name of the note about the call.
        label: String,
        parcels: u32,
    ) -> Result<String, &'static str> {
        if label.is_empty() || !label.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-') {
            return Err("a label has letters, digits and hyphens");
        }
        let mut ending = Ending { file: self.folder.join(label), how: "cancelled" };
        for done in 1..=parcels {
            progress.report(done.into(), Some(parcels.into()), format!("parcel {done}"));
            tokio::time::sleep(Duration::from_millis(PAUSE_MS)).await;
        }
        ending.how = "finished";
        Ok(format!("packed {parcels}"))
    }
}

agent! {
    Desk {
        name: "desk",
        instruction: "Serve.",
        function_tools: [find_article, pay, order_shoes, open_till, who_asks, note, refurbish],
        toolboxes: [Table],
    }
    Clerk {
        name: "clerk",
        description: "Knows the articles.",
        instruction: "Answer.",
        function_tools: [find_article],
    }
    Cashier {
        name: "cashier",
        description: "Pays bills.",
        instruction: "Pay.",
        function_tools: [pay],
    }
}

/// Writes to a customer.
#[tool(asks)]
async fn letter(
    cx: &ToolContext,
    /// The customer.
    customer: String,
) -> Result<String, AskError> {
    let topic: String = cx.ask("What about?").await?;
    Ok(format!("Write to {customer} about {topic}."))
}

fn prompts() -> [Prompt; 3] {
    let review = Prompt::new("review", "Reviews an article.", "Review the {article} for {quality}.")
        .title("Review")
        .argument("article", "The article.")
        .optional_argument("quality", "What to look at.")
        .values("quality", ["price", "precision", "weight"]);
    let talk = Prompt::with_messages("talk", "A talk.", |_| {
        vec![
            PromptMessage::user(ContentBlock::text("Is the hammer good?")),
            PromptMessage::assistant(ContentBlock::text("It is.")),
        ]
    });
    [review, talk, Prompt::from_tool(letter::spec())]
}

fn resources() -> [Resource; 3] {
    let order = Resource::template("shop://orders/{id}", "Order", |uri, variables| async move {
        match variables.first() {
            Some((_, id)) if id.chars().all(|digit| digit.is_ascii_digit()) => {
                Ok(vec![content::Resource::text(uri, format!("{{\"id\":{id}}}"))])
            }
            _ => Err(ResourceError::NotFound),
        }
    });
    let logo = Resource::new("shop://logo", "Logo", |uri| async move {
        Ok(vec![content::Resource::blob(uri, "aGFtbWVy").with_mime_type("image/png")])
    });
    [
        Resource::text("shop://terms", "Terms", "All sales are final.")
            .with_title("Terms of sale")
            .with_description("What customers agree to.")
            .with_mime_type("text/plain"),
        order.with_mime_type("application/json"),
        logo.with_mime_type("image/png"),
    ]
}

async fn server(folder: PathBuf) -> Result<Server, BoxError> {
    let mut answer = ScriptedTurn::say("I found {last}");
    answer.wait_ms = PAUSE_MS;
    let clerk =
        ScriptedModel::turns([ScriptedTurn::call("find_article", json!({ "words": "{input}" })), answer]);
    let cashier = ScriptedModel::turns([
        ScriptedTurn::call("pay", json!({ "cents": 300 })),
        ScriptedTurn::say("The till says {last}"),
    ]);
    let desk = Desk::builder().model(ScriptedModel::new()).toolbox(Table { folder });
    let desk = desk.provide_per_request::<Client>().build().await?;
    let clerk = Clerk::builder().model(clerk).build().await?;
    let cashier = Cashier::builder().model(cashier).provide_per_request::<Client>().build().await?;
    let builder = Server::builder("shop", "1.2.3").title("The shop").instructions("Ask for articles first.");
    let builder = builder.tools_of(&desk).agent(&clerk).agent(&cashier);
    let builder = prompts().into_iter().fold(builder, ServerBuilder::prompt);
    let builder = resources().into_iter().fold(builder, ServerBuilder::resource);
    Ok(builder.build().await?)
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let mut words = std::env::args().skip(1);
    let (Some(folder), Some(transport)) = (words.next(), words.next()) else {
        return Err("usage: served_desk FOLDER stdio | served_desk FOLDER http [TOKEN=USER...]".into());
    };
    let server = server(folder.into()).await?;
    let _ = SERVER.set(server.clone());
    if transport == "stdio" {
        return Ok(Box::pin(server.serve_stdio()).await?);
    }
    let users = words.filter_map(|word| {
        let (token, user) = word.split_once('=')?;
        Some((Secret::new(token.to_owned()), User::new(user).ok()?))
    });
    let http = users.fold(server.http(), |http: Http, (token, user)| http.token(token, user));
    let listening = http.listen(([127, 0, 0, 1], 0).into()).await?;
    println!("{}", listening.url());
    // It ends with the program that started it.
    let mut input = tokio::io::stdin();
    listening.run(async { drop(tokio::io::copy(&mut input, &mut tokio::io::sink()).await) }).await;
    Ok(())
}
