//! Answers with data of a server, as results of tools.

use onionskin_core::content::ContentBlock;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::resources::make_readable;
use crate::wire;

/// The contents of a resource. Texts are blocks of text, as other results are; several are told apart by their URIs.
pub(super) fn of_resource(answer: &str) -> Result<String, String> {
    #[derive(Deserialize)]
    struct Resource<'a> {
        #[serde(borrow)]
        contents: Vec<&'a RawValue>,
    }
    let resource: Resource<'_> = serde_json::from_str(answer).map_err(|error| wire::reason(&error))?;
    let is_single = resource.contents.len() == 1;
    let mut blocks = Vec::new();
    for content in resource.contents {
        let block = format!(r#"{{"type":"resource","resource":{content}}}"#);
        let mut block = serde_json::from_str(&block).map_err(|error| wire::reason(&error))?;
        make_readable(&mut block);
        let resource = if let ContentBlock::Resource(resource) = &block { Some(resource) } else { None };
        let own = resource.and_then(|resource| Some((resource.uri(), resource.as_text()?)));
        blocks.push(match own {
            Some((_, own)) if is_single => text(own),
            Some((uri, own)) => text(&format!("{uri}:\n{own}\n")),
            None => json!(block),
        });
    }
    Ok(result(blocks, "The resource has no contents."))
}

/// The messages of a prompt. Several are told apart by their roles.
pub(super) fn of_prompt(answer: &str) -> Result<String, String> {
    #[derive(Deserialize)]
    struct Prompt {
        messages: Vec<Message>,
    }
    #[derive(Deserialize)]
    struct Message {
        role: Role,
        content: Value,
    }
    #[derive(Deserialize, Clone, Copy)]
    #[serde(rename_all = "lowercase")]
    enum Role {
        User,
        Assistant,
    }
    let prompt: Prompt = serde_json::from_str(answer).map_err(|error| wire::reason(&error))?;
    let is_single = prompt.messages.len() == 1;
    let mut blocks = Vec::new();
    for message in prompt.messages {
        if is_single {
            blocks.push(message.content);
            continue;
        }
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        blocks.push(text(&format!("{role}:\n")));
        blocks.push(message.content);
        blocks.push(text("\n"));
    }
    Ok(result(blocks, "The prompt has no messages."))
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// The result of a tool with these blocks, or a text if there are none.
fn result(blocks: Vec<Value>, nothing: &str) -> String {
    let blocks = if blocks.is_empty() { vec![text(nothing)] } else { blocks };
    json!({ "content": blocks }).to_string()
}
