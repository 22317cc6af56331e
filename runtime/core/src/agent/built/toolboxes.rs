//! The toolboxes provided for agents.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use onionskin_definitions::definition::{ToolDefinition, ToolSource};
use onionskin_tools::context::ToolEntry;
use onionskin_tools::onion::{Undefined, caught, define};
use onionskin_tools::tool::{DynTool, Dynamic, Toolbox, ToolboxLink, disagreement};

/// The tools of all toolboxes, by type and prefix.
#[derive(Default)]
pub(in crate::agent) struct Toolboxes(HashMap<ToolboxLink, ProvidedToolbox>);

/// The tools of one toolbox.
pub(in crate::agent) struct ProvidedToolbox {
    pub(in crate::agent) tools: Vec<(&'static str, Arc<dyn DynTool>)>,
    instructions: Option<&'static str>,
    /// The mismatch between the toolbox's lists, if any.
    problem: Option<String>,
}

impl Toolboxes {
    /// Adds a toolbox. Returns the builder's call for it if it replaces one of the same type and prefix.
    pub(in crate::agent) fn give<T: Toolbox>(
        &mut self,
        prefix: Option<&str>,
        toolbox: &Arc<T>,
    ) -> Option<String> {
        let names = T::TOOLS.iter().copied().flatten().copied();
        let listed = names.clone().count();
        let (bound, problem) = match caught(|| T::bound(toolbox)) {
            Ok(bound) => {
                let problem = caught(|| disagreement::<T>(&bound)).unwrap_or_else(|_| {
                    // A definition panicked. It is reported with its tool, if the tool is listed.
                    let text =
                        || format!("`bound` returns {} tools, and `TOOLS` lists {listed}", bound.len());
                    (bound.len() != listed).then(text)
                });
                (bound, problem)
            }
            Err(panic) => (Vec::new(), Some(format!("`bound` panicked: {panic}"))),
        };
        let tools = names.zip(bound).collect();
        let provided = ProvidedToolbox { tools, instructions: T::INSTRUCTIONS, problem };
        let link = ToolboxLink::new::<T>(prefix);
        let call = link.call();
        self.0.insert(link, provided).map(|_| call)
    }

    /// The provided toolboxes.
    pub(in crate::agent) fn links(&self) -> impl Iterator<Item = &ToolboxLink> {
        self.0.keys()
    }

    /// The mismatches between lists, by the toolbox's name.
    pub(in crate::agent) fn problems(&self) -> BTreeMap<&'static str, &str> {
        self.0.iter().filter_map(|(link, provided)| Some((link.name, provided.problem.as_deref()?))).collect()
    }

    pub(in crate::agent) fn get(&self, toolbox: &ToolboxLink) -> Option<&ProvidedToolbox> {
        self.0.get(toolbox)
    }
}

impl ProvidedToolbox {
    /// The toolbox's tools under the names of an agent. The first one carries the toolbox's instructions for
    /// the system prompt.
    ///
    /// # Errors
    /// Returns an error if one of them panics in its `definition`.
    pub(in crate::agent) fn entries(&self, prefix: Option<&str>) -> Result<Vec<ToolEntry>, Undefined> {
        let mut instructions = self.instructions;
        let entry = |(name, tool): &(&'static str, Arc<dyn DynTool>)| {
            let mut definition = define(name, &|| tool.definition())?;
            if let Some(prefix) = prefix {
                definition.name = format!("{prefix}_{}", definition.name).into();
            }
            if let Some(text) = instructions.take() {
                add_instructions(&mut definition, text);
            }
            let name = Arc::clone(&definition.name);
            Ok(ToolEntry::new(
                name,
                ToolSource::Function,
                None,
                definition,
                Dynamic::target(Arc::clone(tool)),
            ))
        };
        self.tools.iter().map(entry).collect()
    }
}

/// Puts the instructions of a toolbox before those of its first tool.
pub(in crate::agent) fn add_instructions(definition: &mut ToolDefinition, text: &'static str) {
    let own = definition.instructions.as_deref().map(|own| format!("{text}\n\n{own}"));
    definition.instructions = Some(own.map_or_else(|| text.into(), Into::into));
}
