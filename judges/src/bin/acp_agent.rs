//! The agent that editors of others use: `acp_agent acp`. What a prompt says decides what it does.

use std::time::Duration;

use onionskin::model::{Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall};
use onionskin::{Exit, ToolContext, agent, tool};

/// Gives the money of an order back.
#[tool(approval, effect = once)]
fn refund(order: u32) -> String {
    // Not a message of the protocol: it must not reach the client.
    println!("a line of a tool");
    format!("refunded order {order}")
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Paint {
    /// The name of a colour.
    colour: String,
}

/// Paints in the colour that a person chooses.
#[tool]
async fn paint(cx: &ToolContext) -> Result<String, Exit> {
    let Paint { colour } = cx.ask("Which colour?").await?;
    Ok(format!("painted in {colour}"))
}

/// Takes its time.
#[tool]
async fn wait() -> &'static str {
    tokio::time::sleep(Duration::from_mins(1)).await;
    "it took a minute"
}

agent! { Desk { instruction: "Serve.", model: "by-words", function_tools: [refund, paint, wait] } }

/// Chooses by words, and says which message it answers.
struct ByWords;

impl Model for ByWords {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let messages = &request.messages;
        let asked = messages.iter().filter(|message| message.is_input()).count();
        let text = match messages.last() {
            Some(Message::User { content, .. }) => {
                let text: String = content.iter().filter_map(|part| part.as_text()).collect();
                let tools = [("refund", r#"{"order":4711}"#), ("ask", "{}"), ("slow", "{}")];
                let chosen =
                    tools.iter().zip(["refund", "paint", "wait"]).find(|((word, _), _)| text.contains(word));
                if let Some(((_, arguments), tool)) = chosen {
                    let call = ToolCall::new(format!("call-{asked}"), tool, *arguments);
                    return Ok(ModelResponse::tool_calls([call]));
                }
                format!("This is answer {asked}.")
            }
            Some(last) => format!("The tool says: {}.", last.to_text()),
            None => String::new(),
        };
        for piece in text.split_inclusive(' ') {
            deltas(ModelDelta::Text(piece.to_owned()));
        }
        Ok(ModelResponse::text(text))
    }
}

onionskin::main! {
    agents: [Desk],
    setup: |app| app.model(ByWords),
}
