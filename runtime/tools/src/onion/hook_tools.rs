//! Tools that hooks bring to their agents.

use std::any::{Any, TypeId};

/// The tools that a hook brings to its agents: see [`Hook::tools`](super::Hook::tools).
#[derive(Default)]
pub struct HookTools(pub(crate) Vec<HookTool>);

/// A tool that a hook brings.
pub(crate) struct HookTool {
    pub(crate) name: &'static str,
    pub(crate) ty: TypeId,
    /// An `Arc<dyn DynTool>`, whose trait is in a higher module.
    pub(crate) tool: Box<dyn Any + Send + Sync>,
}
