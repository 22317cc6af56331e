//! Exports of all tools of a request.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::Value;

use super::anthropic::strict_input_schema;
use super::error::{ExportError, Provider, Site};
use super::openai::strict_parameters;
use super::options::ExportOptions;
use super::root::plain_object;
use super::{anthropic, count, gemini, gemini_json_schema, openai_chat, openai_responses};
use crate::definition::{ToolDeclaration, ToolDefinition, wire_name};

/// The form of tools in requests to an API. [`Form`] has the forms of this crate; implement it for other
/// APIs.
///
/// ```
/// use onionskin::export::{ExportError, ExportOptions, Provider, ToolExport, ToolForm, request};
/// use onionskin::ToolDefinition;
/// use serde_json::{Map, Value, json};
///
/// /// The tools of an API that wants `{"tool": .., "takes": ..}`.
/// struct Acme;
///
/// impl ToolForm for Acme {
///     fn provider(&self) -> Provider {
///         Provider::new("Acme")
///     }
///
///     fn export(&self, tool: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
///         let export = ToolExport::new(self.provider(), tool, options);
///         let mut form = Map::new();
///         form.insert("tool".to_owned(), json!(export.name()?));
///         form.insert("takes".to_owned(), export.schema()?);
///         export.add_fields(&mut form, &["tool", "takes"])?;
///         Ok(Value::Object(form))
///     }
/// }
///
/// let now = ToolDefinition::new("clock.now", "Tells the time.");
/// let tools = request(&Acme, [&now], &ExportOptions::new()).unwrap();
/// assert_eq!(tools, [json!({ "tool": "clock_now", "takes": { "type": "object" } })]);
/// let error = request(&Acme, [&now, &now], &ExportOptions::new()).unwrap_err();
/// assert!(error[0].to_string().contains("are both called `clock_now` for Acme"));
/// ```
pub trait ToolForm {
    /// The provider, for errors.
    fn provider(&self) -> Provider;

    /// Exports one tool. [`ToolExport`](super::ToolExport) has the parts that most forms need. The form
    /// itself must apply the options: add the custom fields
    /// ([`ToolExport::add_fields`](super::ToolExport::add_fields)), and check
    /// [`ToolExport::is_strict`](super::ToolExport::is_strict) if the provider has a strict dialect.
    ///
    /// # Errors
    /// Returns an error if the form cannot express the tool.
    fn export(&self, tool: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError>;

    /// Checks the provider's limits on all tools of a request together. Each tool comes with its exported
    /// form. The default returns no errors. [`ExportError::request_exceeds`] creates an error.
    fn check_request(&self, tools: &[(&ToolDefinition, Value)], options: &ExportOptions) -> Vec<ExportError> {
        let _ = (tools, options);
        Vec::new()
    }
}

impl<F: ToolForm + ?Sized> ToolForm for &F {
    fn provider(&self) -> Provider {
        (**self).provider()
    }

    fn export(&self, tool: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
        (**self).export(tool, options)
    }

    fn check_request(&self, tools: &[(&ToolDefinition, Value)], options: &ExportOptions) -> Vec<ExportError> {
        (**self).check_request(tools, options)
    }
}

/// The forms of this crate.
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

impl ToolForm for Form {
    fn provider(&self) -> Provider {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => Provider::OPENAI,
            Self::Anthropic => Provider::ANTHROPIC,
            Self::Gemini | Self::GeminiJsonSchema => Provider::GEMINI,
        }
    }

    fn export(&self, tool: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
        match self {
            Self::OpenAiChat => openai_chat(tool, options),
            Self::OpenAiResponses => openai_responses(tool, options),
            Self::Anthropic => anthropic(tool, options),
            Self::Gemini => gemini(tool, options),
            Self::GeminiJsonSchema => gemini_json_schema(tool, options),
        }
    }

    fn check_request(&self, tools: &[(&ToolDefinition, Value)], _: &ExportOptions) -> Vec<ExportError> {
        if *self != Self::Anthropic {
            return Vec::new();
        }
        let strict = tools.iter().map(|(_, form)| form).filter(|form| form["strict"] == true);
        count::anthropic("the request", &strict.map(|form| &form["input_schema"]).collect::<Vec<_>>())
    }
}

/// Exports all tools of one request in a form, and checks the totals: duplicate names, and the provider's
/// limits on a request ([`ToolForm::check_request`]), such as Anthropic's on the strict tools of a request.
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
    form: impl ToolForm,
    tools: impl IntoIterator<Item = &'t ToolDefinition>,
    options: &ExportOptions,
) -> Result<Vec<Value>, Vec<ExportError>> {
    let (mut exported, mut errors, mut names) = (Vec::new(), Vec::new(), HashMap::new());
    for tool in tools {
        match form.export(tool, options) {
            Ok(form) => exported.push((tool, form)),
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
    errors.extend(form.check_request(&exported, options));
    if errors.is_empty() { Ok(exported.into_iter().map(|(_, form)| form).collect()) } else { Err(errors) }
}

/// The schema of a non-strict tool in the form that all providers accept, for implementations of `Model`: its
/// root is an object with `properties`, without a union or a reference. The description of the root contains
/// what this form cannot express; the tool itself checks it.
///
/// ```
/// use onionskin::ToolDefinition;
/// use onionskin::export::{Provider, plain_schema};
/// use onionskin::model::ToolDeclaration;
/// use serde_json::json;
///
/// let one = json!({ "anyOf": [{ "required": ["path"] }, { "required": ["url"] }] });
/// let tool = ToolDefinition::new("read", "Reads a page.").with_input_schema(one);
/// let schema = plain_schema(Provider::OPENAI, &ToolDeclaration::new("read", &tool)).unwrap();
/// assert_eq!((&schema["type"], schema.get("anyOf")), (&json!("object"), None));
/// assert_eq!(schema["description"], "(give the arguments of one of these: path; url)");
/// ```
///
/// # Errors
/// Returns an error if the arguments are not an object, or if a reference has no target.
pub fn plain_schema(provider: Provider, tool: &ToolDeclaration) -> Result<Value, ExportError> {
    plain_object(&Site::new(&tool.name, provider, true), &tool.input_schema).map(Value::Object)
}

/// The schemas of a request's strict tools in a provider's strict dialect, for implementations of `Model`.
/// The result has an error for each tool that the dialect cannot express, and for each tool that exceeds the
/// limits of a request.
///
/// After the first tool that exceeds the limit, no tool has a strict schema, so the choice depends on the
/// order only.
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
            Provider::OPENAI => strict_parameters(&site, &schema),
            _ => strict_input_schema(&site, &schema),
        }
    };
    let (mut schemas, mut errors) = (vec![None; tools.len()], Vec::new());
    if !matches!(provider, Provider::OPENAI | Provider::ANTHROPIC) {
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
                let over = if provider == Provider::ANTHROPIC {
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
