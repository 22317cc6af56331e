//! The parts that all agents of a program share.

use std::sync::Arc;

use onionskin_tools::approval::DynApprover;
use onionskin_tools::journal::Journal;
use onionskin_tools::question::DynAnswerer;

use crate::agent::parts::server_pool::Pool;

use super::initial_state::StateMakers;
use super::run_ids::RunIds;
use super::stored_sessions::StoredSessions;
use super::toolboxes::Toolboxes;

/// The parts that all agents of a program share.
#[derive(Default)]
pub(in crate::agent) struct Shared {
    pub(in crate::agent) states: StateMakers,
    /// The secrets that every session knows.
    pub(in crate::agent) secrets: Vec<Vec<u8>>,
    pub(in crate::agent) toolboxes: Toolboxes,
    pub(in crate::agent) journal: Option<Arc<dyn Journal>>,
    pub(in crate::agent) approver: Option<Arc<dyn DynApprover>>,
    pub(in crate::agent) answerer: Option<Arc<dyn DynAnswerer>>,
    pub(in crate::agent) servers: Pool,
    pub(in crate::agent) run_ids: RunIds,
    pub(in crate::agent) sessions: Option<StoredSessions>,
}
