//! Tools that hooks and sources of prompts bring to their agents.

use std::any::{Any, TypeId};

/// The tools that a hook or a source of a prompt brings to its agents: see [`Hook::tools`](super::Hook::tools) and
/// `PromptSource::tools`.
#[derive(Default)]
pub struct HookTools(pub(crate) Vec<HookTool>);

/// A tool that it brings.
pub(crate) struct HookTool {
    pub(crate) name: &'static str,
    pub(crate) ty: TypeId,
    /// An `Arc<dyn DynTool>`, whose trait is in a higher module.
    pub(crate) tool: Box<dyn Any + Send + Sync>,
    /// The text for the system prompt of a toolbox whose first tool it is.
    pub(crate) instructions: Option<&'static str>,
}
