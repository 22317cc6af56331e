//! The tools of a server, prepared once for all requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use onionskin_core::ToolDefinition;
use onionskin_core::export::ExportOptions;
use rmcp::model::{Icon, Tool};
use serde_json::json;

use crate::error::ServeError;

/// The type of pages that MCP Apps show.
pub(crate) const PAGE_TYPE: &str = "text/html;profile=mcp-app";

/// The tools of each source. A list that has not changed is the same one.
pub(crate) type Lists = Vec<Arc<[ToolDefinition]>>;

/// Prepares tools, and again when a list has changed: a server can have thousands, and each request needs one of them.
#[derive(Debug, Default)]
pub(crate) struct Prepared(Mutex<Option<Arc<Tools>>>);

impl Prepared {
    /// The tools of these lists, with icons for some of them.
    pub(crate) fn tools(&self, lists: Lists, icons: &[(String, Icon)]) -> Arc<Tools> {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*current {
            Some(tools) if tools.has(&lists) => Arc::clone(tools),
            _ => Arc::clone(current.insert(Arc::new(Tools::new(lists, icons)))),
        }
    }
}

/// The tools of a server.
#[derive(Debug)]
pub(crate) struct Tools {
    lists: Lists,
    /// As MCP lists them. A tool that cannot be described is left out: the others can be used.
    pub(crate) listed: Vec<Tool>,
    places: HashMap<Arc<str>, Place>,
}

/// Where a tool is.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The index of its source.
    source: usize,
    /// Its index in the list of MCP.
    listed: Option<usize>,
}

impl Tools {
    fn new(lists: Lists, icons: &[(String, Icon)]) -> Self {
        let (mut listed, mut places) = (Vec::new(), HashMap::new());
        for (source, definition) in
            lists.iter().enumerate().flat_map(|(source, list)| list.iter().map(move |tool| (source, tool)))
        {
            let mut place = Place { source, listed: None };
            match export(definition) {
                Ok(mut tool) => {
                    if definition.page().is_some() {
                        let ui = json!({ "resourceUri": page_uri(&definition.name) });
                        tool.meta.get_or_insert_default().0.insert("ui".to_owned(), ui);
                    }
                    let own = icons.iter().filter(|(name, _)| **name == *definition.name);
                    let own: Vec<_> = own.map(|(_, icon)| icon.clone()).collect();
                    tool.icons = Some(own).filter(|own| !own.is_empty());
                    place.listed = Some(listed.len());
                    listed.push(tool);
                }
                Err(error) => tracing::warn!("{error}; it is not served"),
            }
            places.entry(Arc::clone(&definition.name)).or_insert(place);
        }
        Self { lists, listed, places }
    }

    fn has(&self, lists: &Lists) -> bool {
        self.lists.len() == lists.len()
            && self.lists.iter().zip(lists).all(|(own, list)| Arc::ptr_eq(own, list))
    }

    /// The index of the source that has the tool with this name.
    pub(crate) fn source(&self, name: &str) -> Option<usize> {
        self.places.get(name).map(|place| place.source)
    }

    /// The tool with this name, as MCP lists it.
    pub(crate) fn listed(&self, name: &str) -> Option<&Tool> {
        self.listed.get(self.places.get(name)?.listed?)
    }

    /// All definitions, in a fixed order.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.lists.iter().flat_map(|list| list.iter())
    }

    /// The pages of UI tools: the tools' definitions, and the URIs.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (&ToolDefinition, String)> {
        let with_page = self.definitions().filter(|definition| definition.page().is_some());
        with_page.map(|definition| (definition, page_uri(&definition.name)))
    }
}

/// The URI of the page of a tool, in the scheme of MCP Apps.
fn page_uri(tool: &str) -> String {
    format!("ui://tools/{tool}.html")
}

/// A tool as MCP lists it.
///
/// # Errors
/// Returns an error if it cannot be described.
pub(crate) fn export(definition: &ToolDefinition) -> Result<Tool, ServeError> {
    onionskin_mcp::export_tool(definition, &ExportOptions::new())
        .map_err(|source| ServeError::Tool { tool: definition.name.to_string(), source: Box::new(source) })
}
