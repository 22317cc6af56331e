//! Serves agents again when their cards change.

use std::convert::Infallible;
use std::future::pending;
use std::path::PathBuf;
use std::time::Duration;

use onionskin_core::App;
use onionskin_loader::CardChanges;
use onionskin_serve::Server;
use tokio::time::sleep;

use super::{ServeArguments, agents_and_server};
use crate::agents::AgentArguments;
use crate::loaded::{is_address, loader, with_children};
use crate::output;
use crate::program::Program;

/// The time between two looks at the files.
const INTERVAL: Duration = Duration::from_secs(1);

/// The cards and workflows of the arguments, as they are before they are loaded; none if all agents are the program's.
pub(super) fn changes(program: &Program, agents: &AgentArguments) -> Option<CardChanges> {
    if let Some(folder) = &agents.workflow {
        return Some(loader(program).workflow_changes(folder));
    }
    let files: Vec<PathBuf> =
        with_children(program, &agents.cards).into_iter().filter(|path| !is_address(path)).collect();
    (!files.is_empty()).then(|| loader(program).changes(files))
}

/// Loads the agents again when their cards change, and serves them in place of those of `app`.
///
/// Cancel safety: dropping the future ends the servers that were started.
pub(super) async fn follow(
    program: &Program,
    arguments: &ServeArguments,
    server: &Server,
    app: &mut App,
    before: Option<CardChanges>,
) -> Infallible {
    let Some(mut current) = before else { return pending().await };
    loop {
        sleep(INTERVAL).await;
        if !current.has_changed() {
            continue;
        }
        // Before they are loaded, so that no change is missed.
        if let Some(next) = changes(program, &arguments.agents) {
            current = next;
        }
        match Box::pin(agents_and_server(program, arguments)).await {
            Ok((next, offered)) => {
                server.replace_offer(&offered);
                // The servers of the former app end with its last call.
                *app = next;
                output::aside("the cards have changed: their agents are served now");
            }
            Err(failure) => {
                output::warning(&format!(
                    "the cards have changed, and the agents of before are served: {}",
                    failure.text()
                ));
            }
        }
    }
}
