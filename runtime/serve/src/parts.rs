//! The parts of a server.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rmcp::model::{
    Implementation, JsonObject, PromptsCapability, ResourcesCapability, ServerCapabilities, ServerConfig,
    TASKS_EXTENSION_ID, ToolsCapability,
};
#[cfg(feature = "skills")]
use rmcp::model::{SKILLS_EXTENSION_ID, SkillsCapability};

use crate::changes::Changes;
use crate::offer::Offer;
use crate::state::StateKeeper;
use crate::tasks::Tasks;

/// The parts of a server.
pub(crate) struct Parts {
    pub(crate) implementation: Implementation,
    pub(crate) instructions: Option<String>,
    /// What it offers now. A request works to its end with the offer that it began with.
    pub(crate) offer: RwLock<Arc<Offer>>,
    pub(crate) states: StateKeeper,
    pub(crate) question_timeout: Duration,
    /// The key of the ids of sessions.
    pub(crate) session_key: [u8; 32],
    /// Whether other processes have the keys too.
    pub(crate) has_shared_key: bool,
    pub(crate) changes: Changes,
    pub(crate) tasks: Arc<Tasks>,
    /// The time after which a call becomes a task.
    pub(crate) task_after: Duration,
    /// The time for which clients may use a list.
    pub(crate) list_ttl: Duration,
}

impl Drop for Parts {
    fn drop(&mut self) {
        self.tasks.end.cancel();
    }
}

impl Parts {
    /// What it offers now.
    pub(crate) fn offer(&self) -> Arc<Offer> {
        Arc::clone(&self.offer.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What the server says of itself.
    pub(crate) fn info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::default();
        let mut tools = ToolsCapability::default();
        tools.list_changed = Some(true);
        let mut prompts = PromptsCapability::default();
        prompts.list_changed = Some(true);
        let mut resources = ResourcesCapability::default();
        (resources.subscribe, resources.list_changed) = (Some(true), Some(true));
        (capabilities.tools, capabilities.prompts, capabilities.resources) =
            (Some(tools), Some(prompts), Some(resources));
        capabilities.completions = Some(JsonObject::new());
        // Clients before 2026-07-28 have logs.
        capabilities.logging = Some(JsonObject::new());
        let extensions = [(TASKS_EXTENSION_ID.to_owned(), JsonObject::new())];
        capabilities.extensions.get_or_insert_default().extend(extensions);
        #[cfg(feature = "skills")]
        if self.offer().skills.is_some() {
            let skills =
                serde_json::to_value(SkillsCapability::new().with_directory_read()).unwrap_or_default();
            let skills = skills.as_object().cloned().unwrap_or_default();
            capabilities.extensions.get_or_insert_default().insert(SKILLS_EXTENSION_ID.to_owned(), skills);
        }
        let mut info = ServerConfig::new(capabilities).with_server_info(self.implementation.clone());
        info.instructions.clone_from(&self.instructions);
        info
    }
}
