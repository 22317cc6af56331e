//! Lists of tools, resources and prompts, in pages; contents of resources, messages of prompts, and suggestions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt as _;
use onionskin_core::CancellationToken;
use onionskin_core::content;
use onionskin_core::text::short;
use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, ReadResourceResult, Reference,
    Resource, ResourceContents, ResourceTemplate, Role,
};
use serde_json::{Value, json};

use super::call::{self, Call, Ended, Place};
use super::client::Requester;
use super::result::{MAX_ECHO, block};
use crate::changes::Change;
use crate::offer::{Offer, Target};
use crate::prompt::MessageSource;
use crate::resource::ResourceError;
use crate::tools::PAGE_TYPE;
use crate::{PromptMessage as Said, prompt, resource};

/// The maximum number of entries of one page.
const PAGE: usize = 250;

/// A page of all entries, and the cursor of the next one.
///
/// # Errors
/// Returns an error if the cursor is not one of this list.
pub(super) fn page<T: Clone>(all: &[T], cursor: Option<&str>) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let start = cursor.parse::<usize>().ok().filter(|start| *start > 0 && *start < all.len());
            start.ok_or_else(|| ErrorData::invalid_params("unknown cursor: list from the beginning", None))?
        }
    };
    let next = (start + PAGE < all.len()).then(|| (start + PAGE).to_string());
    Ok((all.iter().skip(start).take(PAGE).cloned().collect(), next))
}

/// The lists and the fixed texts that are different in the next offer.
pub(crate) fn changes(before: &Offer, next: &Offer) -> Vec<Change> {
    let tools = |offer: &Offer| offer.tools().map(|tools| tools.listed.clone()).ok();
    let of_lists = [
        (Change::Tools, tools(before) != tools(next)),
        (Change::Prompts, prompts(before) != prompts(next)),
        (
            Change::Resources,
            resources(before).ok() != resources(next).ok() || templates(before) != templates(next),
        ),
    ];
    let of_lists = of_lists.into_iter().filter_map(|(change, is_different)| is_different.then_some(change));
    let of_texts = next.resources.iter().filter(|resource| {
        let former = before.resources.iter().find(|former| former.uri() == resource.uri());
        former.is_some_and(|former| former.fixed_text() != resource.fixed_text())
    });
    of_lists.chain(of_texts.map(|resource| Change::Resource(resource.uri().to_owned()))).collect()
}

/// The resources that are no templates, the skills, and the pages of UI tools.
///
/// # Errors
/// Returns an error if a source of tools fails.
pub(super) fn resources(offer: &Offer) -> Result<Vec<Resource>, ErrorData> {
    let fixed = offer.resources.iter().filter(|resource| !resource.is_template());
    let shown = fixed.map(|resource| {
        let mut shown = Resource::new(resource.uri(), resource.name());
        shown.title = resource.title().map(str::to_owned);
        shown.description = resource.description().map(str::to_owned);
        shown.mime_type = resource.mime_type().map(str::to_owned);
        shown
    });
    let tools = offer.tools().map_err(|error| call::unlisted(&error))?;
    let pages = tools.pages().map(|(tool, uri)| {
        let mut page = Resource::new(uri, &*tool.name);
        page.title = tool.title.as_deref().map(str::to_owned);
        page.mime_type = Some(PAGE_TYPE.to_owned());
        page
    });
    Ok(shown.chain(offer.skill_resources.iter().cloned()).chain(pages).collect())
}

/// Whether a resource has the URI, or a template is one of it.
pub(super) fn has_resource(offer: &Offer, uri: &str) -> bool {
    offer.resources.iter().any(|resource| resource.matches(uri).is_some())
        || resources(offer).is_ok_and(|listed| listed.iter().any(|listed| listed.uri == uri))
}

/// The templates of resources.
pub(super) fn templates(offer: &Offer) -> Vec<ResourceTemplate> {
    let templates = offer.resources.iter().filter(|resource| resource.is_template());
    let shown = templates.map(|resource| {
        let mut shown = ResourceTemplate::new(resource.uri(), resource.name());
        shown.title = resource.title().map(str::to_owned);
        shown.description = resource.description().map(str::to_owned);
        shown.mime_type = resource.mime_type().map(str::to_owned);
        shown
    });
    shown.collect()
}

/// Reads the resource of a URI.
///
/// # Errors
/// Returns an error if there is none, or if it cannot be read.
pub(super) async fn read(
    place: Place<'_>,
    requester: &Requester,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let _running = place.begin(requester)?;
    let offer = place.parts.offer();
    let known = |resource: &'_ resource::Resource| resource.matches(uri);
    let found = offer.resources.iter().find_map(|resource| Some((resource, known(resource)?)));
    #[cfg(feature = "skills")]
    if let (None, Some(skills)) = (&found, &offer.skills)
        && let Some(file) = skills.read_resource(uri)
    {
        return Ok(file);
    }
    let Some((resource, variables)) = found else {
        return page_of_tool(&offer, uri)?.ok_or_else(|| unknown_resource(uri));
    };
    let read = AssertUnwindSafe(async { resource.read(uri, variables).await }).catch_unwind().await;
    match read {
        Ok(Ok(contents)) => Ok(ReadResourceResult::new(contents.iter().map(contents_of).collect())),
        Ok(Err(ResourceError::NotFound)) => Err(unknown_resource(uri)),
        Ok(Err(ResourceError::Failed(reason))) => Err(ErrorData::internal_error(reason, None)),
        Err(_) => {
            tracing::error!(resource = resource.uri(), "the function of a resource panicked");
            Err(ErrorData::internal_error("the resource cannot be read", None))
        }
    }
}

/// The error for a resource whose reading was cancelled.
pub(super) fn cancelled(uri: &str) -> ErrorData {
    ErrorData::internal_error(format!("the reading of {} was cancelled", short(uri, MAX_ECHO)), None)
}

/// The error for a URI that no resource has.
pub(super) fn unknown_resource(uri: &str) -> ErrorData {
    let shown = short(uri, MAX_ECHO);
    ErrorData::resource_not_found(format!("unknown resource: {shown}"), Some(json!({ "uri": shown })))
}

/// The page of a UI tool.
fn page_of_tool(offer: &Offer, uri: &str) -> Result<Option<ReadResourceResult>, ErrorData> {
    let tools = offer.tools().map_err(|error| call::unlisted(&error))?;
    let page = tools.pages().find(|(_, known)| known == uri).and_then(|(tool, _)| tool.page());
    let contents = page.map(|html| ResourceContents::text(html, uri).with_mime_type(PAGE_TYPE));
    Ok(contents.map(|contents| ReadResourceResult::new(vec![contents])))
}

fn contents_of(content: &content::Resource) -> ResourceContents {
    let contents = match content.as_blob() {
        Some(blob) => ResourceContents::blob(blob, content.uri()),
        None => ResourceContents::text(content.as_text().unwrap_or_default(), content.uri()),
    };
    match content.mime_type() {
        Some(mime_type) => contents.with_mime_type(mime_type),
        None => contents,
    }
}

/// The prompts.
pub(super) fn prompts(offer: &Offer) -> Vec<Prompt> {
    let shown = offer.prompts.iter().map(|prompt| {
        let arguments: Vec<_> = prompt.arguments().iter().map(argument).collect();
        let arguments = (!arguments.is_empty()).then_some(arguments);
        let mut shown = Prompt::new(prompt.name(), Some(prompt.description()), arguments);
        shown.title = prompt.shown_title().map(str::to_owned);
        shown
    });
    shown.collect()
}

fn argument(argument: &prompt::Argument) -> PromptArgument {
    PromptArgument::new(&argument.name)
        .with_description(&argument.description)
        .with_required(argument.required)
}

/// The messages of a prompt.
///
/// # Errors
/// Returns an error if there is no such prompt, or if an argument is missing, unknown or no text.
pub(super) async fn prompt(
    place: Place<'_>,
    requester: &Requester,
    request: GetPromptRequestParams,
    cancelled: &CancellationToken,
) -> Result<GetPromptResponse, ErrorData> {
    let GetPromptRequestParams { name, arguments, input_responses, request_state, .. } = request;
    let offer = place.parts.offer();
    let prompt =
        offer.prompts.iter().find(|prompt| prompt.name() == name).ok_or_else(|| unknown_prompt(&name))?;
    let arguments = texts(prompt, arguments.unwrap_or_default())?;
    let said = match (prompt.source(), &offer.writer) {
        (MessageSource::Function(function), _) => {
            let made = catch_unwind(AssertUnwindSafe(|| function(&arguments)));
            made.map_err(|_| {
                tracing::error!(prompt = name, "the function of a prompt panicked");
                ErrorData::internal_error("the prompt cannot be written", None)
            })?
        }
        (MessageSource::Agent(agent), _) => {
            let request = agent.request("").offer(requester.client.clone());
            let request = match requester.client.user() {
                Some(user) => request.user(user.id()),
                None => request,
            };
            let written = request.system_prompt().await.map_err(|error| {
                tracing::error!(prompt = name, "the prompt of an agent cannot be written: {error}");
                ErrorData::internal_error("the prompt cannot be written", None)
            })?;
            written.map(|text| Said::user(content::ContentBlock::text(text))).into_iter().collect()
        }
        (MessageSource::Tool(_), None) => Vec::new(),
        (MessageSource::Tool(_), Some(writer)) => {
            let arguments = arguments.into_iter().map(|(name, text)| (name, text.into())).collect();
            let (responses, state) = (input_responses, request_state);
            let call = Call { method: "prompts/get", name, arguments, responses, state };
            match call::run(place, requester, &Target::ToolOf(writer), call, cancelled).await? {
                Ended::Output(output) => output.content().iter().cloned().map(Said::User).collect(),
                Ended::Asks(asks) => return Ok(asks.into()),
                Ended::Failed(result) => {
                    let text = result.content.iter().find_map(|block| Some(block.as_text()?.text.clone()));
                    return Err(ErrorData::internal_error(text.unwrap_or_default(), None));
                }
                // Calls of tools alone go on as tasks.
                Ended::Task(_) => return Err(ErrorData::internal_error("the prompt takes too long", None)),
            }
        }
    };
    let messages = said.into_iter().map(message).collect::<Result<_, _>>()?;
    let mut result = GetPromptResult::new(messages);
    result.description = Some(prompt.description().to_owned());
    Ok(result.into())
}

fn unknown_prompt(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("unknown prompt: {}", short(name, MAX_ECHO)), None)
}

fn texts(prompt: &crate::Prompt, arguments: JsonObject) -> Result<Vec<(String, String)>, ErrorData> {
    let invalid = |text: String| ErrorData::invalid_params(text, None);
    let known: Vec<_> = prompt.arguments().iter().map(|argument| argument.name.as_str()).collect();
    let mut texts = Vec::new();
    for (name, value) in arguments {
        if !known.contains(&name.as_str()) {
            return Err(invalid(format!(
                "the prompt `{}` has no argument `{}`; it has: {}",
                prompt.name(),
                short(&name, MAX_ECHO),
                known.join(", ")
            )));
        }
        match value {
            Value::String(text) => texts.push((name, text)),
            _ => return Err(invalid(format!("the argument `{name}` of a prompt is a text"))),
        }
    }
    let is_missing = |argument: &&prompt::Argument| {
        argument.required && !texts.iter().any(|(name, _)| *name == argument.name)
    };
    match prompt.arguments().iter().find(is_missing) {
        Some(missing) => {
            Err(invalid(format!("the prompt `{}` needs the argument `{}`", prompt.name(), missing.name)))
        }
        None => Ok(texts),
    }
}

fn message(said: Said) -> Result<PromptMessage, ErrorData> {
    let (role, content) = match said {
        Said::User(content) => (Role::User, content),
        Said::Assistant(content) => (Role::Assistant, content),
    };
    block(&content).map(|content| PromptMessage::new(role, content))
}

/// Suggestions for an argument of a prompt: its values that begin with the text so far.
///
/// # Errors
/// Returns an error if there is no such prompt or argument.
pub(super) fn complete(offer: &Offer, request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    let unknown = |what: String| ErrorData::invalid_params(what, None);
    let values = match &request.r#ref {
        Reference::Prompt(reference) => {
            let prompt = offer.prompts.iter().find(|prompt| prompt.name() == reference.name);
            let prompt = prompt.ok_or_else(|| unknown_prompt(&reference.name))?;
            let argument = prompt.arguments().iter().find(|argument| argument.name == request.argument.name);
            let argument = argument.ok_or_else(|| {
                unknown(format!("unknown argument: {}", short(&request.argument.name, MAX_ECHO)))
            })?;
            argument.values.as_slice()
        }
        Reference::Resource(reference) => {
            let is_known = offer.resources.iter().any(|resource| resource.uri() == reference.uri);
            if !is_known {
                return Err(unknown(format!(
                    "unknown resource template: {}",
                    short(&reference.uri, MAX_ECHO)
                )));
            }
            &[]
        }
        _ => return Err(unknown("this reference cannot be completed".to_owned())),
    };
    let typed = request.argument.value.to_lowercase();
    let fits: Vec<_> = values.iter().filter(|value| value.to_lowercase().starts_with(&typed)).collect();
    let total = u32::try_from(fits.len()).ok();
    let has_more = fits.len() > CompletionInfo::MAX_VALUES;
    let shown = fits.into_iter().take(CompletionInfo::MAX_VALUES).cloned().collect();
    let info = CompletionInfo::with_pagination(shown, total, has_more);
    info.map(CompleteResult::new).map_err(|error| ErrorData::internal_error(error, None))
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn o2_pages_have_all_entries_once() {
        let all: Vec<_> = (0..600).collect();
        let (mut read, mut cursor) = (Vec::new(), None);
        loop {
            let (entries, next) = page(&all, cursor.as_deref()).unwrap();
            read.extend(entries);
            match next {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        assert_eq!(read, all);
        for wrong in ["600", "-1", "x", "0"] {
            assert!(page(&all, Some(wrong)).is_err(), "{wrong}");
        }
        assert!(page::<u8>(&[], None).unwrap().0.is_empty());
    }
}
