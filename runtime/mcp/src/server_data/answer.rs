//! Answers with data of a server, as the results of tools.

use onionskin_core::ToolOutput;
use onionskin_core::content::ContentBlock;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::resources::make_readable;
use crate::wire;

/// The fields that all results have.
#[derive(Deserialize)]
struct Common {
    #[serde(rename = "resultType", alias = "result_type")]
    kind: Option<String>,
    #[serde(rename = "_meta")]
    meta: Option<Value>,
}

impl Common {
    fn output(self, blocks: Vec<ContentBlock>) -> Result<ToolOutput, String> {
        if self.kind.is_some_and(|kind| kind != "complete") {
            return Err("it is of a kind that is not supported yet".to_owned());
        }
        let mut output = ToolOutput::blocks(blocks);
        if let Some(meta) = self.meta {
            output.set_remote_meta(meta);
        }
        Ok(output)
    }
}

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| wire::reason(&error))
}

/// The contents of a resource. Several texts are told apart by their URIs.
pub(super) fn read_resource(answer: &str) -> Result<ToolOutput, String> {
    #[derive(Deserialize)]
    struct Resource<'a> {
        #[serde(borrow)]
        contents: Vec<&'a RawValue>,
    }
    let resource: Resource<'_> = read(answer)?;
    let is_single = resource.contents.len() == 1;
    let blocks = resource.contents.into_iter().map(|content| {
        let block = read(&format!(r#"{{"type":"resource","resource":{content}}}"#))?;
        Ok(with_text(
            block,
            |uri, text| if is_single { text.to_owned() } else { format!("{uri}:\n{text}\n") },
        ))
    });
    let blocks = blocks.collect::<Result<_, String>>()?;
    read::<Common>(answer)?.output(blocks)
}

/// The messages of a prompt. Several are told apart by their roles.
pub(super) fn read_prompt(answer: &str) -> Result<ToolOutput, String> {
    #[derive(Deserialize)]
    struct Prompt {
        messages: Vec<Message>,
    }
    #[derive(Deserialize)]
    struct Message {
        role: Role,
        content: ContentBlock,
    }
    #[derive(Deserialize, Clone, Copy)]
    #[serde(rename_all = "lowercase")]
    enum Role {
        User,
        Assistant,
    }
    let prompt: Prompt = read(answer)?;
    let is_single = prompt.messages.len() == 1;
    let mut blocks = Vec::new();
    for message in prompt.messages {
        let block = with_text(message.content, |_, text| text.to_owned());
        if is_single {
            blocks.push(block);
            continue;
        }
        let role = match message.role {
            Role::User => "user:\n",
            Role::Assistant => "assistant:\n",
        };
        blocks.extend([ContentBlock::text(role), block, ContentBlock::text("\n")]);
    }
    read::<Common>(answer)?.output(blocks)
}

/// A file that is a text as a block of text, in which hooks and people see it too.
fn with_text(mut block: ContentBlock, text: impl Fn(&str, &str) -> String) -> ContentBlock {
    make_readable(&mut block);
    if let ContentBlock::Resource(resource) = &block
        && let Some(own) = resource.as_text()
    {
        return ContentBlock::text(text(resource.uri(), own));
    }
    block
}
