//! The parts that all agents of a program share.

use std::sync::Arc;

use super::initial_state::StateMakers;
use super::run_ids::RunIds;
use super::server_pool::Pool;
use super::toolboxes::Toolboxes;
use onionskin_tools::approval::DynApprover;
use onionskin_tools::journal::Journal;
use onionskin_tools::question::DynAnswerer;

/// The parts that all agents of a program share.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) states: StateMakers,
    /// The secrets that every session knows.
    pub(super) secrets: Vec<Vec<u8>>,
    pub(super) toolboxes: Toolboxes,
    pub(super) journal: Option<Arc<dyn Journal>>,
    pub(super) approver: Option<Arc<dyn DynApprover>>,
    pub(super) answerer: Option<Arc<dyn DynAnswerer>>,
    pub(super) servers: Pool,
    pub(super) run_ids: RunIds,
}
