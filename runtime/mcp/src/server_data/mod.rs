//! Resources and prompts of a server, as tools that list and read them.

mod answer;
mod entries;
mod uri;

use std::sync::Arc;

use onionskin_core::servers::ToolFilter;
use onionskin_core::text::list;
use onionskin_core::{Effect, ErrorKind, Exit, ToolDefinition, ToolError, ToolOutput};
use onionskin_vocabulary::server_data as words;
use rmcp::model::{
    ClientRequest, GetPromptRequest, GetPromptRequestParams, ReadResourceRequest, ReadResourceRequestParams,
    ServerCapabilities,
};
use serde_json::{Map, Value, json};

use super::connection::{Connection, RequestError};
use super::input_required::Input;
use super::pages::PageError;
use super::visible::name;
use entries::Entries;

/// The data of a server that an agent names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Data {
    Resources,
    Prompts,
}

impl Data {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Resources => "resources",
            Self::Prompts => "prompts",
        }
    }

    pub(super) fn is_declared(self, server: &ServerCapabilities) -> bool {
        match self {
            Self::Resources => server.resources.is_some(),
            Self::Prompts => server.prompts.is_some(),
        }
    }

    /// The argument that names one of them.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Resources => "uri",
            Self::Prompts => "name",
        }
    }
}

/// What a call of one of these tools does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    List,
    Read,
}

/// A tool for the data of a server that match a filter.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    data: Data,
    pub(super) operation: Operation,
    filter: ToolFilter,
}

impl Reader {
    /// The tools for the data that match a filter: one lists them, one reads them.
    pub(super) fn both(data: Data, filter: &ToolFilter) -> [Self; 2] {
        [Operation::List, Operation::Read].map(|operation| Self { data, operation, filter: filter.clone() })
    }

    /// Its own name.
    pub(super) fn name(&self) -> &'static str {
        match (self.data, self.operation) {
            (Data::Resources, Operation::List) => words::LIST_RESOURCES,
            (Data::Resources, Operation::Read) => words::READ_RESOURCE,
            (Data::Prompts, Operation::List) => words::LIST_PROMPTS,
            (Data::Prompts, Operation::Read) => words::GET_PROMPT,
        }
    }

    pub(super) fn definition(&self, server: &str) -> ToolDefinition {
        let text = |description: &str| json!({ "type": "string", "description": description });
        let (description, properties, required): (_, _, &[&str]) = match (self.data, self.operation) {
            (Data::Resources, Operation::List) => (
                format!(
                    "Lists resources of the server `{server}`: files, documents and other data, each as a line of JSON. `{}` reads one. A \
                     `uriTemplate` is a URI whose places in braces you fill in.",
                    words::READ_RESOURCE
                ),
                json!({ "contains": text("Only those whose URI, name or description contain this text.") }),
                &[],
            ),
            (Data::Resources, Operation::Read) => (
                format!("Reads a resource of the server `{server}`."),
                json!({ "uri": text("The URI of the resource.") }),
                &["uri"],
            ),
            (Data::Prompts, Operation::List) => (
                format!(
                    "Lists prompts of the server `{server}`: prepared instructions for tasks, each as a line of JSON. `{}` gets one.",
                    words::GET_PROMPT
                ),
                json!({ "contains": text("Only those whose name or description contain this text.") }),
                &[],
            ),
            (Data::Prompts, Operation::Read) => (
                format!("Gets a prompt of the server `{server}`."),
                json!({
                    "name": text("The name of the prompt."),
                    "arguments": {
                        "type": "object",
                        "description": "The arguments of the prompt, each a text.",
                        "additionalProperties": { "type": "string" },
                    },
                }),
                &["name"],
            ),
        };
        let mut definition = ToolDefinition::new(format!("{server}__{}", self.name()), description);
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        definition.input_schema = Arc::new(schema);
        definition.annotations.read_only = Some(true);
        definition.effect = Effect::Pure;
        definition
    }

    /// The request that reads one of the data.
    ///
    /// # Errors
    /// Returns an error for the model if the filter does not take it.
    pub(super) fn request(
        &self,
        server: &str,
        mut arguments: Map<String, Value>,
        input: Input,
    ) -> Result<ClientRequest, Exit> {
        let wanted = match arguments.remove(self.data.key()) {
            Some(Value::String(wanted)) => wanted,
            _ => String::new(),
        };
        let refused = |reason: &str| {
            let text =
                format!("`{}` was not requested from the MCP server `{server}`: {reason}", name(&wanted));
            Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Denied)))
        };
        if !self.filter.takes(&wanted) {
            return refused(&format!("only {} that match {} may be", self.data.word(), self.patterns()));
        }
        if let Some(reason) = self.refused(&wanted) {
            return refused(reason);
        }
        let responses = (!input.responses.is_empty()).then_some(input.responses);
        Ok(match self.data {
            Data::Resources => {
                let mut params = ReadResourceRequestParams::new(wanted);
                (params.input_responses, params.request_state) = (responses, input.state);
                ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
            }
            Data::Prompts => {
                let mut params = GetPromptRequestParams::new(wanted);
                (params.input_responses, params.request_state) = (responses, input.state);
                if let Some(Value::Object(arguments)) = arguments.remove("arguments") {
                    params.arguments = Some(arguments);
                }
                ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
            }
        })
    }

    /// Why a name that the filter takes is refused.
    fn refused(&self, wanted: &str) -> Option<&'static str> {
        match self.data {
            Data::Resources => uri::refused(wanted),
            Data::Prompts => None,
        }
    }

    /// The result of a call in its answer, which is a text for a list.
    ///
    /// # Errors
    /// Returns why it cannot be read.
    pub(super) fn output(&self, answer: &str) -> Result<ToolOutput, String> {
        match (self.operation, self.data) {
            (Operation::List, _) => Ok(ToolOutput::text(answer)),
            (Operation::Read, Data::Resources) => answer::read_resource(answer),
            (Operation::Read, Data::Prompts) => answer::read_prompt(answer),
        }
    }

    /// The list, a line for each entry. What was read of one that fails later is shown all the same.
    pub(super) async fn list(
        &self,
        server: &str,
        connection: &Connection,
        arguments: &Map<String, Value>,
    ) -> Result<String, RequestError> {
        let contains = arguments.get("contains").and_then(Value::as_str).unwrap_or_default();
        let mut entries = Entries::new(self, contains);
        let limit = connection.timeout();
        let error = match tokio::time::timeout(limit, entries.read(connection)).await {
            Ok(Ok(())) => None,
            Ok(Err(PageError::Request(error))) => Some(error),
            Ok(Err(PageError::List(reason))) => Some(RequestError::Unreadable(reason)),
            Err(_) => Some(RequestError::Timeout(limit)),
        };
        let (mut lines, notes) = entries.into_lines();
        match error {
            Some(error) if lines.is_empty() => return Err(error),
            Some(_) => lines.push("The server did not list the rest.".to_owned()),
            None if lines.is_empty() => {
                let and =
                    if contains.is_empty() { String::new() } else { format!(" and contains {contains:?}") };
                let (word, key, patterns) = (self.data.word(), self.data.key(), self.patterns());
                lines.push(format!(
                    "The server `{server}` lists no {word} whose {key} matches {patterns}{and}."
                ));
            }
            None => {}
        }
        lines.extend(notes);
        Ok(lines.join("\n"))
    }

    fn patterns(&self) -> String {
        list(self.filter.unmatched([]).into_iter().map(|pattern| format!("`{pattern}`")))
    }
}
