//! The entries of the lists of resources, of templates for their URIs, and of prompts.

use onionskin_core::servers::ToolFilter;
use rmcp::model::{
    ClientRequest, ErrorCode, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
    PaginatedRequestParams,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Data;
use crate::connection::{Connection, RequestError};
use crate::pages::{self, PageError};
use crate::visible::cut;
use crate::wire;

/// A model gets this many entries at once.
const SHOWN: usize = 200;
/// A longer description is cut.
const MAX_DESCRIPTION_BYTES: usize = 1_000;

/// The lists of the protocol.
#[derive(Clone, Copy)]
enum List {
    Resources,
    Templates,
    Prompts,
}

impl List {
    fn of(data: Data) -> &'static [Self] {
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
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Vec<Argument>>,
}

/// An argument of a prompt.
#[derive(Serialize, Deserialize)]
struct Argument {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(default)]
    required: bool,
}

impl Entry {
    /// Whether a filter takes it; `None` if it is not an entry of this list.
    fn is_taken(&self, list: List, filter: &ToolFilter) -> Option<bool> {
        Some(match list {
            List::Resources => filter.takes(self.uri.as_ref()?),
            List::Templates => takes_some(filter, self.uri_template.as_ref()?),
            List::Prompts => filter.takes(self.name.as_ref()?),
        })
    }

    fn contains(&self, text: &str) -> bool {
        let texts = [&self.uri, &self.uri_template, &self.name, &self.title, &self.description];
        texts.into_iter().flatten().any(|own| own.to_lowercase().contains(&text.to_lowercase()))
    }
}

/// Whether a filter may take a URI that is made from a template: both begin alike.
fn takes_some(filter: &ToolFilter, template: &str) -> bool {
    let beginning = template.split('{').next().unwrap_or_default();
    filter.unmatched([]).into_iter().any(|pattern| {
        let fixed = pattern.split(['*', '?']).next().unwrap_or_default();
        beginning.starts_with(fixed) || (fixed.starts_with(beginning) && beginning != template)
    })
}

/// The entries that a call asked for.
pub(super) struct Entries<'c> {
    data: Data,
    filter: &'c ToolFilter,
    contains: &'c str,
    lines: Vec<String>,
    more: usize,
    unreadable: usize,
}

impl<'c> Entries<'c> {
    /// Those that a filter takes, and that contain a text.
    pub(super) fn new(data: Data, filter: &'c ToolFilter, contains: &'c str) -> Self {
        Self { data, filter, contains, lines: Vec::new(), more: 0, unreadable: 0 }
    }

    /// Requests them.
    pub(super) async fn read(&mut self, connection: &Connection) -> Result<(), PageError> {
        let mut unknown = None;
        let lists = List::of(self.data);
        for list in lists {
            let page = |text: &str| self.page(*list, text);
            match pages::all(connection, list.word(), |params| list.request(params), page).await {
                // Many servers have one of the lists only.
                Err(PageError::Request(RequestError::Refused(error)))
                    if error.code == ErrorCode::METHOD_NOT_FOUND && unknown.is_none() && lists.len() > 1 =>
                {
                    unknown = Some(error);
                }
                read => read?,
            }
        }
        Ok(())
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
        let Ok(mut entry) = serde_json::from_str::<Entry>(entry.get()) else {
            self.unreadable += 1;
            return;
        };
        match entry.is_taken(list, self.filter) {
            None => self.unreadable += 1,
            Some(true) if entry.contains(self.contains) => {
                if self.lines.len() == SHOWN {
                    self.more += 1;
                    return;
                }
                entry.description = entry.description.map(|text| cut(text, MAX_DESCRIPTION_BYTES));
                self.lines.extend(serde_json::to_string(&entry).ok());
            }
            Some(_) => {}
        }
    }

    /// Them as lines, and what is missing.
    pub(super) fn into_lines(self) -> Vec<String> {
        let mut lines = self.lines;
        if self.more > 0 {
            lines.push(format!("{} more match: ask for those that contain a text.", self.more));
        }
        if self.unreadable > 0 {
            lines.push(format!("{} entries of the server cannot be read.", self.unreadable));
        }
        lines
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
