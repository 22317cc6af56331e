//! The tools that hooks and sources of prompts bring to their agents, and hooks with the filter `everywhere` also to the
//! agents below.

use std::collections::HashMap;
use std::sync::Arc;

use onionskin_definitions::definition::wire_name;
use onionskin_tools::onion::{HookTools, caught};

use crate::agent::declaration::AgentId;
use crate::agent::error::build_error::BuildError;
use crate::agent::parts::{BroughtTool, Parts};
use crate::prompt::Prompt;

use super::declared::Declared;

/// Adds them to the declarations, each of which is after those of its children.
///
/// # Errors
/// Returns an error if the code of a hook, a source or a tool panics.
pub(super) fn bring(declared: &mut [Declared]) -> Result<(), BuildError> {
    let mut below: HashMap<AgentId, Vec<BroughtTool>> = HashMap::new();
    for Declared { agent, declaration, .. } in declared.iter_mut().rev() {
        let mut reaching = below.remove(&agent.id).unwrap_or_default();
        let mut own = reaching.clone();
        let brought = caught(|| brought(&declaration.parts));
        for (by, tool) in brought.map_err(|reason| BuildError::declaring(agent.name(), reason))? {
            match by {
                By::HookEverywhere => {
                    add(&mut reaching, tool.clone());
                    add(&mut own, tool);
                }
                By::Hook => add(&mut own, tool),
                By::Source => own.push(tool),
            }
        }
        for child in &declaration.children {
            let of_child = below.entry(child.id).or_default();
            for tool in &reaching {
                add(of_child, tool.clone());
            }
        }
        declaration.parts.brought = own;
    }
    Ok(())
}

/// What brings a tool.
#[derive(Clone, Copy)]
enum By {
    Hook,
    /// A hook that brings it also to the agents below.
    HookEverywhere,
    /// A source of the prompt. Its tools have its data, so they are never those of another one.
    Source,
}

impl By {
    fn hook(is_everywhere: bool) -> Self {
        if is_everywhere { Self::HookEverywhere } else { Self::Hook }
    }
}

/// The tools of the hooks and of the prompt of an agent.
fn brought(parts: &Parts) -> Vec<(By, BroughtTool)> {
    let mut all = Vec::new();
    let mut list = |hook: String, by: By, tools: &dyn Fn(&mut HookTools)| {
        let mut brought = HookTools::default();
        tools(&mut brought);
        all.extend(brought.into_tools().map(|(name, ty, tool, instructions)| {
            let hook = hook.clone();
            (by, BroughtTool { hook, name, ty, tool, instructions })
        }));
    };
    for hook in &parts.compiled_hooks {
        list(hook.name.to_owned(), By::hook(hook.is_everywhere()), &hook.tools);
    }
    for hook in &parts.hooks {
        let is_everywhere = parts.reaching.iter().any(|reaching| Arc::ptr_eq(reaching, hook));
        list(hook.shown_name_dyn(), By::hook(is_everywhere), &|brought| hook.tools_dyn(brought));
    }
    let changed = parts.changed.as_ref().map(|changed| &changed.prompt);
    let is_replaced = |part| changed.is_some_and(|changed| changed.speaks_of(part));
    let declared = parts.prompt.sources().filter(|(part, _)| !is_replaced(*part));
    for (part, source) in declared.chain(changed.into_iter().flat_map(Prompt::sources)) {
        list(format!("PromptPart::{part}"), By::Source, &|brought| source.tools_dyn(brought));
    }
    all
}

/// Adds a tool of a hook, unless another hook brings the same one. The tools of a hook come from its type.
fn add(tools: &mut Vec<BroughtTool>, tool: BroughtTool) {
    if tools.iter().all(|other| (other.name, other.ty) != (tool.name, tool.ty)) {
        tools.push(tool);
    }
}

/// Checks that each of these tools has a name of its own among the other tools of its agent.
pub(super) fn check(agent: &str, brought: &[BroughtTool], others: &[&str]) -> Result<(), BuildError> {
    let clash = brought.iter().enumerate().find(|(at, tool)| {
        let before = brought[..*at].iter().map(|other| other.name);
        before.chain(others.iter().copied()).any(|other| wire_name(other) == wire_name(tool.name))
    });
    match clash {
        None => Ok(()),
        Some((_, BroughtTool { hook, name, .. })) => Err(BuildError::HookTool {
            agent: agent.to_owned(),
            hook: hook.clone(),
            tool: (*name).to_owned(),
        }),
    }
}
