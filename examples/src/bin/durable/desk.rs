//! The desk, its courier, and what they do outside of the program.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use onionskin::run::IdempotencyKey;
use onionskin::{
    Args, Next, ScriptedModel, ScriptedTurn, State, ToolContext, ToolResult, agent, tool_hook, toolbox,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::moments::Moments;

/// The world outside of the program: what it was asked to do is in a file, one line for each request.
#[derive(Debug, Clone)]
pub(crate) struct World {
    requests: Arc<Mutex<File>>,
    moments: Moments,
}

impl World {
    pub(crate) fn open(path: &Path, moments: Moments) -> io::Result<Self> {
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Self { requests: Arc::new(Mutex::new(file)), moments })
    }

    /// Asks for something, which takes its time, as requests over a network do.
    async fn ask(&self, what: &str, key: &IdempotencyKey) -> io::Result<()> {
        tokio::time::sleep(Duration::from_millis(2)).await;
        self.moments.pass(&format!("before the effect of {what}"));
        {
            let mut file = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
            file.write_all(format!("{what}\t{key}\n").as_bytes())?;
            file.sync_data()?;
        }
        self.moments.pass(&format!("after the effect of {what}"));
        tokio::time::sleep(Duration::from_millis(2)).await;
        Ok(())
    }
}

/// The state of the session. The journal records what tools change in it, so a replay leaves the same.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Sales {
    quoted_cents: usize,
    paid_cents: u32,
    reserved: Vec<String>,
    vans: Vec<u32>,
    texts: u32,
}

/// The shop and its bank.
pub(crate) struct Shop(pub(crate) World);

#[toolbox]
impl Shop {
    /// Looks up the price of an article, in cents.
    #[tool(effect = pure)]
    async fn price(&self, article: &str, key: IdempotencyKey, sales: State<Sales>) -> io::Result<usize> {
        self.0.ask(&format!("price of {article}"), &key).await?;
        let cents = article.len() * 1250;
        sales.update(|sales| sales.quoted_cents += cents);
        Ok(cents)
    }

    /// Charges the customer. The bank would charge again if it were asked again.
    #[tool(effect = once)]
    async fn charge(
        &self,
        customer: &str,
        cents: u32,
        key: IdempotencyKey,
        sales: State<Sales>,
    ) -> io::Result<String> {
        self.0.ask(&format!("charge {customer}"), &key).await?;
        sales.update(|sales| sales.paid_cents += cents);
        Ok(format!("{customer} paid {cents} cents"))
    }

    /// Reserves an article. The stock counts requests with the same key as one.
    #[tool(effect = idempotent)]
    async fn reserve(&self, article: &str, key: IdempotencyKey, sales: State<Sales>) -> io::Result<String> {
        self.0.ask(&format!("reserve {article}"), &key).await?;
        sales.update(|sales| sales.reserved.push(article.to_owned()));
        Ok(format!("the {article} is reserved"))
    }
}

/// The vans of the courier.
pub(crate) struct Vans(pub(crate) World);

#[toolbox]
impl Vans {
    /// Finds a van that is free.
    #[tool(effect = pure)]
    async fn find_van(&self, day: &str, key: IdempotencyKey) -> io::Result<String> {
        self.0.ask(&format!("van on {day}"), &key).await?;
        Ok(format!("van 4 is free on {day}"))
    }

    /// Books a van.
    #[tool(effect = idempotent)]
    async fn book_van(&self, van: u32, key: IdempotencyKey, sales: State<Sales>) -> io::Result<String> {
        self.0.ask(&format!("book van {van}"), &key).await?;
        sales.update(|sales| sales.vans.push(van));
        Ok(format!("van {van} is booked"))
    }

    /// Sends the customer a text message, which cannot be taken back.
    #[tool(effect = once)]
    async fn text_customer(
        &self,
        customer: &str,
        message: &str,
        key: IdempotencyKey,
        sales: State<Sales>,
    ) -> io::Result<String> {
        self.0.ask(&format!("text {customer}"), &key).await?;
        sales.update(|sales| sales.texts += 1);
        Ok(format!("{customer} was told: {message}"))
    }
}

/// Gives what was done a receipt. A replay makes the same receipt, because it asks `ctx` for the time and the number.
#[tool_hook]
async fn receipt(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let begun = ctx.now().await.duration_since(UNIX_EPOCH)?.as_millis();
    let mut output = next.run(args).await?;
    let number = ctx.random().await;
    output.push_text(format!(" [receipt {number:016x} of {begun}]"));
    Ok(output)
}

agent! {
    /// Delivers.
    Courier {
        name: "courier",
        description: "Delivers what customers bought.",
        instruction: "Find a van, book it, and tell the customer.",
        state: Sales,
        toolboxes: [Vans],
    }

    /// Sells.
    pub(crate) Desk {
        name: "desk",
        instruction: "Sell what the customer asks for: look up the prices, then charge, reserve and send the courier.",
        state: Sales,
        toolboxes: [Shop],
        agents: [Courier],
        tool_hooks: [receipt for [Shop::charge, Shop::reserve]],
    }
}

/// What a model would do here, turn by turn.
pub(crate) fn script() -> ScriptedModel {
    ScriptedModel::new()
        .agent(
            "desk",
            [
                ScriptedTurn::call("price", json!({ "article": "lamp" }))
                    .and_call("price", json!({ "article": "chair" })),
                ScriptedTurn::call("charge", json!({ "customer": "Ada", "cents": 11250 }))
                    .and_call("reserve", json!({ "article": "lamp" }))
                    .and_call("agent__courier", json!({ "input": "A lamp to Ada, on Monday." })),
                ScriptedTurn::say("What was done:\n{last}"),
            ],
        )
        .agent(
            "courier",
            [
                ScriptedTurn::call("find_van", json!({ "day": "Monday" })),
                ScriptedTurn::call("book_van", json!({ "van": 4 })).and_call(
                    "text_customer",
                    json!({ "customer": "Ada", "message": "Your lamp comes on Monday." }),
                ),
                ScriptedTurn::say("{last}"),
            ],
        )
}
