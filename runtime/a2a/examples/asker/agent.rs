//! An agent without a model of a provider: it asks, streams, works slowly and fails on request.

use std::time::Duration;

use onionskin::model::{Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall};
use onionskin::question::AskError;
use onionskin::{ToolContext, agent, tool};

/// Asks the client for a colour.
#[tool(asks)]
async fn choose(cx: &ToolContext) -> Result<String, AskError> {
    cx.ask("Which colour?").await
}

/// Pays.
#[tool(approval)]
fn pay(cents: u32) -> String {
    format!("paid {cents}")
}

agent! {
    pub(crate) Asker {
        description: "Asks for a colour, then names it.",
        instruction: "Ask for a colour.",
        function_tools: [choose, pay],
    }
}

/// Decides by the first word of the newest message.
pub(crate) struct Words;

impl Model for Words {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let Some(newest) = request.messages.last() else { return Ok(ModelResponse::text("Nothing.")) };
        let text = newest.to_text().into_owned();
        if !matches!(newest, Message::User { .. }) {
            return Ok(ModelResponse::text(format!("You chose {text}.")));
        }
        let call = |name, args| {
            // Each call of a conversation has an id of its own.
            ModelResponse::tool_calls([ToolCall::new(format!("call-{}", request.messages.len()), name, args)])
        };
        match text.split(' ').next() {
            Some("stream") => {
                for piece in ["one ", "two ", "three"] {
                    tokio::time::sleep(Duration::from_millis(60)).await;
                    deltas(ModelDelta::Text(piece.to_owned()));
                }
                Ok(ModelResponse::text("one two three"))
            }
            Some("slow") => {
                deltas(ModelDelta::Text("I begin. ".to_owned()));
                tokio::time::sleep(Duration::from_mins(1)).await;
                Ok(ModelResponse::text("I begin. I end."))
            }
            Some("fail") => Err(ModelError::status_that_lasts(500, "the address db.internal is down")),
            Some("pay") => Ok(call("pay", r#"{"cents": 5}"#)),
            Some("count") => Ok(ModelResponse::text(format!("{} messages", request.messages.len()))),
            Some("long") => Ok(ModelResponse::text("x".repeat(5_000))),
            _ => Ok(call("choose", "{}")),
        }
    }
}
