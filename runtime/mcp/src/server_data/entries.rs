//! The entries of the lists of resources, of templates for their URIs, and of prompts.

use onionskin_core::servers::ToolFilter;
use rmcp::model::{
    ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
    PaginatedRequestParams,
};
use serde::{Deserialize, Serialize};
use serde_json::Number;
use serde_json::value::RawValue;

use super::{Data, Reader};
use crate::connection::{Connection, RequestError};
use crate::pages::{self, PageError};
use crate::visible::cut;
use crate::wire;

/// A model gets this many entries at once.
const SHOWN: usize = 200;
/// A longer text of an entry is cut. Its URI, and the name of a prompt, are not: they name it.
const MAX_TEXT_BYTES: usize = 1_000;
/// An entry that is longer then is left out.
const MAX_ENTRY_BYTES: usize = 16 << 10;

/// The lists of the protocol.
#[derive(Clone, Copy)]
enum List {
    Resources,
    Templates,
    Prompts,
}

impl List {
    fn every(data: Data) -> &'static [Self] {
        match data {
            Data::Resources => &[Self::Resources, Self::Templates],
            Data::Prompts => &[Self::Prompts],
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Resources => "resources",
            Self::Templates => "resource templates",
            Self::Prompts => "prompts",
        }
    }

    fn request(self, params: PaginatedRequestParams) -> ClientRequest {
        match self {
            Self::Resources => ClientRequest::ListResourcesRequest(ListResourcesRequest::with_param(params)),
            Self::Templates => {
                let request = ListResourceTemplatesRequest::with_param(params);
                ClientRequest::ListResourceTemplatesRequest(request)
            }
            Self::Prompts => ClientRequest::ListPromptsRequest(ListPromptsRequest::with_param(params)),
        }
    }
}

/// One page with unread entries, so that a broken one does not affect the others.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<'p> {
    #[serde(borrow)]
    resources: Option<Vec<&'p RawValue>>,
    // The other spellings are those of Python, which writes a model without its aliases.
    #[serde(borrow, alias = "resource_templates")]
    resource_templates: Option<Vec<&'p RawValue>>,
    #[serde(borrow)]
    prompts: Option<Vec<&'p RawValue>>,
    #[serde(alias = "next_cursor")]
    next_cursor: Option<String>,
}

/// An entry of any of the lists, with the fields that a model can use.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    #[serde(alias = "uri_template", skip_serializing_if = "Option::is_none")]
    uri_template: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(alias = "mime_type", skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Vec<Argument>>,
}

/// An argument of a prompt.
#[derive(Serialize, Deserialize)]
struct Argument {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    required: Option<bool>,
}

impl Entry {
    /// Whether a tool reads it; `None` if it is not an entry of this list, or one that is refused.
    fn is_taken(&self, list: List, reader: &Reader) -> Option<bool> {
        let whole = |named: &str| reader.refused(named).is_none().then(|| reader.filter.takes(named));
        match list {
            List::Resources => whole(self.uri.as_ref()?),
            List::Templates => Some(takes_some(&reader.filter, self.uri_template.as_ref()?)),
            List::Prompts => whole(self.name.as_ref()?),
        }
    }

    /// Whether it contains a text in lower case.
    fn contains(&self, text: &str) -> bool {
        let texts = [&self.uri, &self.uri_template, &self.name, &self.title, &self.description];
        texts.into_iter().flatten().any(|own| own.to_lowercase().contains(text))
    }

    /// The line that the model gets; `None` if it is too long.
    fn line(mut self, list: List) -> Option<String> {
        let arguments = self.arguments.iter_mut().flatten().map(|argument| &mut argument.description);
        let texts = [&mut self.title, &mut self.description, &mut self.mime_type];
        for text in texts.into_iter().chain(arguments).flatten() {
            *text = cut(std::mem::take(text), MAX_TEXT_BYTES);
        }
        if !matches!(list, List::Prompts) {
            self.name = self.name.map(|name| cut(name, MAX_TEXT_BYTES));
        }
        serde_json::to_string(&self).ok().filter(|line| line.len() <= MAX_ENTRY_BYTES)
    }
}

/// Whether a filter may take a URI that is made from a template: both begin alike.
fn takes_some(filter: &ToolFilter, template: &str) -> bool {
    let Some((beginning, _)) = template.split_once('{') else { return filter.takes(template) };
    filter.unmatched([]).into_iter().any(|pattern| {
        let fixed = pattern.split(['*', '?']).next().unwrap_or_default();
        beginning.starts_with(fixed) || fixed.starts_with(beginning)
    })
}

/// The entries that a call lists.
pub(super) struct Entries<'c> {
    reader: &'c Reader,
    /// In lower case.
    contains: String,
    lines: Vec<String>,
    more: usize,
    left_out: usize,
}

impl<'c> Entries<'c> {
    /// The entries that a tool reads, and that contain a text.
    pub(super) fn new(reader: &'c Reader, contains: &str) -> Self {
        Self { reader, contains: contains.to_lowercase(), lines: Vec::new(), more: 0, left_out: 0 }
    }

    /// Requests them.
    pub(super) async fn read(&mut self, connection: &Connection) -> Result<(), PageError> {
        let (mut has_answered, mut refusal) = (false, None);
        for list in List::every(self.reader.data) {
            let page = |text: &str| self.page(*list, text);
            match pages::all(connection, list.word(), |params| list.request(params), page).await {
                // Many servers have one of the lists only, and do not all say so in the same way.
                Err(error @ PageError::Request(RequestError::Refused(_))) => {
                    refusal = refusal.or(Some(error));
                }
                read => {
                    read?;
                    has_answered = true;
                }
            }
        }
        refusal.filter(|_| !has_answered).map_or(Ok(()), Err)
    }

    fn page(&mut self, list: List, text: &str) -> Result<Option<String>, String> {
        let page: Page<'_> = serde_json::from_str(text).map_err(|error| wire::reason(&error))?;
        let entries = match list {
            List::Resources => page.resources,
            List::Templates => page.resource_templates,
            List::Prompts => page.prompts,
        };
        for entry in entries.ok_or_else(|| format!("it is not a list of {}", list.word()))? {
            self.take(list, entry);
        }
        Ok(page.next_cursor)
    }

    fn take(&mut self, list: List, entry: &RawValue) {
        let entry = serde_json::from_str::<Entry>(entry.get()).ok();
        let taken = entry.and_then(|entry| Some((entry.is_taken(list, self.reader)?, entry)));
        match taken {
            Some((true, entry)) if entry.contains(&self.contains) => {
                if self.lines.len() == SHOWN {
                    self.more += 1;
                    return;
                }
                match entry.line(list) {
                    Some(line) => self.lines.push(line),
                    None => self.left_out += 1,
                }
            }
            Some(_) => {}
            None => self.left_out += 1,
        }
    }

    /// A line for each of them, and what people and models should know of the rest.
    pub(super) fn into_lines(self) -> (Vec<String>, Vec<String>) {
        let mut notes = Vec::new();
        if self.more > 0 {
            notes.push(format!("More match: {}. Ask for those that contain a text.", self.more));
        }
        if self.left_out > 0 {
            notes.push(format!("Entries of the server that cannot be used: {}.", self.left_out));
        }
        (self.lines, notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_templates_are_listed_if_a_pattern_may_take_what_they_make() {
        for (pattern, template, taken) in [
            ("file://*", "file:///{path}", true),
            ("file:///docs/*", "file:///{path}", true),
            ("file:///docs/*", "file:///etc/{path}", false),
            ("db://users/1", "db://users/{id}", true),
            ("db://users/1", "db://users", false),
            ("*", "{+uri}", true),
        ] {
            assert_eq!(takes_some(&ToolFilter::new([pattern]), template), taken, "{pattern} {template}");
        }
    }
}
