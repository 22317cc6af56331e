//! All tools of one request.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::Value;

use super::anthropic::strict_input_schema;
use super::error::{ExportError, Provider, Site};
use super::openai::strict_parameters;
use super::options::ExportOptions;
use super::{anthropic, count, gemini, gemini_json_schema, openai_chat, openai_responses};
use crate::definition::{ToolDeclaration, ToolDefinition, wire_name};

/// The format of a request's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// [`openai_chat`].
    OpenAiChat,
    /// [`openai_responses`].
    OpenAiResponses,
    /// [`anthropic`].
    Anthropic,
    /// [`gemini`].
    Gemini,
    /// [`gemini_json_schema`].
    GeminiJsonSchema,
}

impl Form {
    fn provider(self) -> Provider {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => Provider::OpenAi,
            Self::Anthropic => Provider::Anthropic,
            Self::Gemini | Self::GeminiJsonSchema => Provider::Gemini,
        }
    }
}

/// Exports all tools of one request, and checks the totals: duplicate names, and Anthropic's limits on the strict tools
/// of a request.
///
/// ```
/// use onionskin::ToolDefinition;
/// use onionskin::export::{ExportOptions, Form, request};
/// let tools = [ToolDefinition::new("now", "Tells the time."), ToolDefinition::new("today", "Tells the date.")];
/// let exported = request(Form::OpenAiChat, &tools, &ExportOptions::new()).unwrap();
/// assert_eq!(exported.len(), 2);
/// ```
///
/// # Errors
/// Returns all errors, of each tool and of the request.
pub fn request<'t>(
    form: Form,
    tools: impl IntoIterator<Item = &'t ToolDefinition>,
    options: &ExportOptions,
) -> Result<Vec<Value>, Vec<ExportError>> {
    let export = match form {
        Form::OpenAiChat => openai_chat,
        Form::OpenAiResponses => openai_responses,
        Form::Anthropic => anthropic,
        Form::Gemini => gemini,
        Form::GeminiJsonSchema => gemini_json_schema,
    };
    let (mut exported, mut errors, mut names) = (Vec::new(), Vec::new(), HashMap::new());
    for tool in tools {
        match export(tool, options) {
            Ok(form) => exported.push(form),
            Err(error) => errors.push(error),
        }
        let name = wire_name(&tool.name).into_owned();
        match names.entry(name) {
            Entry::Occupied(taken) => errors.push(ExportError::SameName {
                first: String::clone(taken.get()),
                second: tool.name.to_string(),
                provider: form.provider(),
                name: taken.key().clone(),
            }),
            Entry::Vacant(free) => {
                free.insert(tool.name.to_string());
            }
        }
    }
    if form == Form::Anthropic {
        let strict = exported.iter().filter(|form| form["strict"] == true);
        let schemas: Vec<_> = strict.map(|form| &form["input_schema"]).collect();
        errors.extend(count::anthropic("the request", &schemas));
    }
    if errors.is_empty() { Ok(exported) } else { Err(errors) }
}

/// The schemas of a request's strict tools in a provider's strict dialect, for implementations of
/// [`Model`](crate::model::Model). The result has an error for each tool without a form in the dialect, and for each
/// tool that exceeds the limits of a request.
///
/// Once one tool exceeds the limit, all later ones have no strict schema, so the choice depends on the order only.
pub fn strict_schemas(
    provider: Provider,
    tools: &[ToolDeclaration],
) -> (Vec<Option<Value>>, Vec<ExportError>) {
    let schema = |tool: &ToolDeclaration| {
        let site = Site::new(&tool.name, provider, false);
        let mut schema = (*tool.input_schema).clone();
        // Examples of calls would be added to the descriptions of the arguments.
        if let Value::Object(root) = &mut schema {
            root.remove("examples");
        }
        match provider {
            Provider::OpenAi => strict_parameters(&site, &schema),
            _ => strict_input_schema(&site, &schema),
        }
    };
    let (mut schemas, mut errors) = (vec![None; tools.len()], Vec::new());
    if !matches!(provider, Provider::OpenAi | Provider::Anthropic) {
        return (schemas, errors);
    }
    let mut beyond = false;
    for (at, tool) in tools.iter().enumerate().filter(|(_, tool)| tool.strict) {
        match schema(tool) {
            Err(error) => errors.push(error),
            Ok(_) if beyond => {}
            Ok(schema) => {
                schemas[at] = Some(schema);
                let strict: Vec<_> = schemas.iter().flatten().collect();
                let subject = format!("the request with the tool `{}`", tool.name);
                let over = if provider == Provider::Anthropic {
                    count::anthropic(&subject, &strict)
                } else {
                    Vec::new()
                };
                if !over.is_empty() {
                    errors.extend(over);
                    schemas[at] = None;
                    beyond = true;
                }
            }
        }
    }
    (schemas, errors)
}
