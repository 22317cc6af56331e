//! Asks a server for its tools: all pages, within bounds.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use rmcp::model::{ClientRequest, ListToolsRequest, Tool};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::connection::{Connection, RequestError};
use super::http_error::HttpError;
use super::pages::{self, PageError};
use super::visible::{cut, is_plain, visible};
use super::{convert, descriptions, instructions, wire};

/// More tools than this fit into no model.
const MAX_TOOLS: usize = 10_000;
/// The maximum number of bytes of one tool. Each of its texts is searched at once.
const MAX_TOOL_BYTES: usize = 1 << 20;
/// The maximum number of bytes of the schema of a tool's arguments, whose texts are cut. It is a part of each request.
const MAX_SCHEMA_BYTES: usize = 256 << 10;
/// How long a server that declares no tools may take to list them. Some do not answer at all.
const UNDECLARED: Duration = Duration::from_secs(5);

/// The protocol asks for names of at most 128 characters.
const MAX_NAME_BYTES: usize = 256;

/// The tools of a server.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) tools: Vec<Tool>,
    pub(super) refused: Vec<LeftOut>,
    /// The tools whose schemas were rewritten, and how.
    pub(super) rewritten: Vec<String>,
    /// What was taken out of descriptions.
    pub(super) cleaned: Vec<String>,
    /// The tools that try to give the model other instructions, by name, and where.
    pub(super) instructing: HashMap<String, String>,
    /// Whether the server does not declare that it has tools.
    pub(super) is_undeclared: bool,
}

/// A tool of a server that agents do not get.
#[derive(Debug, Clone)]
pub(super) struct LeftOut {
    /// The server's own name for it, if it can be read.
    pub(super) name: Option<String>,
    /// Names the tool, and says why, for people.
    pub(super) reason: String,
}

/// Why the tools could not be listed.
pub(super) struct ListError {
    pub(super) reason: String,
    /// The failed exchange with a server that is reached by address.
    pub(super) http: Option<HttpError>,
}

impl From<String> for ListError {
    fn from(reason: String) -> Self {
        Self { reason, http: None }
    }
}

impl From<PageError> for ListError {
    fn from(error: PageError) -> Self {
        let error = match error {
            PageError::List(reason) => return reason.into(),
            PageError::Request(error) => error,
        };
        match error {
            RequestError::Died(how) => format!("it died ({how})").into(),
            RequestError::Http(error) => Self { reason: error.to_string(), http: Some(error) },
            RequestError::Timeout(limit) => format!("it did not answer within {limit:?}").into(),
            RequestError::Unreadable(reason) => format!("its answer cannot be read: {reason}").into(),
            RequestError::Refused(error) => {
                format!("it answered with an error: {}", visible(&error.message)).into()
            }
            RequestError::Broken(reason) => reason.into(),
        }
    }
}

/// One page with unread tools, so that a broken one does not affect the others.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<'p> {
    #[serde(borrow)]
    tools: Vec<&'p RawValue>,
    // As Python writes a model without its aliases.
    #[serde(default, alias = "next_cursor")]
    next_cursor: Option<String>,
}

/// All tools of a server, in its order.
///
/// A server that does not declare tools is asked all the same, because some only forget it.
pub(super) async fn all(connection: &Connection) -> Result<Listed, ListError> {
    if connection.declares(|server| server.tools.is_some()) {
        return pages(connection).await;
    }
    let listed = match tokio::time::timeout(UNDECLARED, pages(connection)).await {
        Ok(Ok(listed)) => listed,
        // It died.
        Ok(Err(reason)) if !connection.is_alive() => return Err(reason),
        Ok(Err(_)) | Err(_) => Listed::default(),
    };
    Ok(Listed { is_undeclared: true, ..listed })
}

async fn pages(connection: &Connection) -> Result<Listed, ListError> {
    let mut listed = Listed::default();
    connection.forget_unmirrored();
    let mut names = HashSet::new();
    let request = |params| ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
    let take = |text: &str| {
        let next = listed.page(text, &mut names)?;
        listed.leave_out_unmirrored(connection);
        Ok(next)
    };
    pages::all(connection, "tools", request, take).await?;
    listed.read_texts().await;
    Ok(listed)
}

impl Listed {
    /// Takes the tools of a page, and returns the cursor of the next one.
    ///
    /// # Errors
    /// Returns a reason if the text is not a page, or if there are too many tools.
    pub(super) fn page(&mut self, text: &str, names: &mut HashSet<String>) -> Result<Option<String>, String> {
        let page: Page<'_> = serde_json::from_str(text)
            .map_err(|error| format!("its answer is not a list of tools: {}", wire::reason(&error)))?;
        if self.tools.len() + self.refused.len() + page.tools.len() > MAX_TOOLS {
            return Err(format!("it has more than {MAX_TOOLS} tools"));
        }
        for tool in page.tools {
            self.take(tool, names);
        }
        Ok(page.next_cursor)
    }

    /// Leaves out the tools whose arguments cannot be mirrored in headers: the server would refuse each call.
    fn leave_out_unmirrored(&mut self, connection: &Connection) {
        let refused =
            self.tools.extract_if(.., |tool| connection.is_unmirrored(&tool.name)).collect::<Vec<_>>();
        for tool in refused {
            self.refuse(Some(tool.name.into_owned()), "an `x-mcp-header` in its schema is not valid");
        }
    }

    /// Cleans the texts of the tools, and searches them for instructions.
    async fn read_texts(&mut self) {
        for mut tool in std::mem::take(&mut self.tools) {
            self.cleaned.extend(descriptions::clean(&mut tool));
            if serde_json::to_string(&*tool.input_schema).is_ok_and(|schema| schema.len() > MAX_SCHEMA_BYTES)
            {
                let reason =
                    format!("the schema of its arguments is longer than {} KiB", MAX_SCHEMA_BYTES >> 10);
                self.refuse(Some(tool.name.into_owned()), &reason);
            } else {
                self.tools.push(tool);
            }
        }
        for tool in &self.tools {
            if let Some(place) = instructions::place(tool).await {
                self.instructing.insert(tool.name.to_string(), place);
            }
        }
    }

    fn take(&mut self, text: &RawValue, names: &mut HashSet<String>) {
        if text.get().len() > MAX_TOOL_BYTES {
            return self.refuse(named(text), &format!("it is longer than {} MiB", MAX_TOOL_BYTES >> 20));
        }
        let mut tool = match serde_json::from_str::<Tool>(text.get()) {
            Ok(tool) => tool,
            Err(error) => return self.refuse(named(text), &wire::reason(&error)),
        };
        if tool.name.is_empty() {
            return self.refuse(None, "its name is empty");
        }
        if tool.name.len() > MAX_NAME_BYTES || !is_plain(&tool.name) {
            let reason =
                format!("its name contains hidden characters, or is longer than {MAX_NAME_BYTES} bytes");
            return self.refuse(Some(tool.name.into_owned()), &reason);
        }
        if !names.insert(tool.name.to_string()) {
            return self
                .refuse(Some(tool.name.into_owned()), "it is listed twice, and the first one is used");
        }
        if runs_as_task_only(text) {
            let reason = "its calls run as tasks only, which are not supported yet";
            return self.refuse(Some(tool.name.into_owned()), reason);
        }
        match convert::normalise(&mut tool) {
            Ok(None) => {}
            Ok(Some(how)) => {
                self.rewritten.push(format!("the schema of `{}` is rewritten: {how}", tool.name));
            }
            Err(reason) => return self.refuse(Some(tool.name.into_owned()), &reason),
        }
        self.tools.push(tool);
    }

    fn refuse(&mut self, name: Option<String>, reason: &str) {
        let place = self.tools.len() + self.refused.len() + 1;
        let shown = match &name {
            Some(name) => format!("`{}`", visible(&cut(name.clone(), MAX_NAME_BYTES))),
            None => format!("number {place}"),
        };
        let reason = format!("the tool {shown} is left out: {}", visible(reason));
        self.refused.push(LeftOut { name, reason });
    }
}

/// The name of a tool that cannot be read as a whole.
fn named(text: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    serde_json::from_str::<Named>(text.get()).ok().map(|named| named.name)
}

/// Whether each call of a tool has to be a task. The library's type does not have the field.
fn runs_as_task_only(text: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Tool {
        execution: Execution,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Execution {
        task_support: String,
    }
    serde_json::from_str::<Tool>(text.get()).is_ok_and(|tool| tool.execution.task_support == "required")
}
