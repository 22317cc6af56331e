//! The parts of a built agent, for its handle and for requests.

use std::sync::Arc;

use onionskin_definitions::debug_fields;
use onionskin_tools::onion::caught;
use onionskin_tools::session::{Session, SessionError, StateKeeper};

use crate::agent::built::instance::Instance;
use crate::agent::built::shared::Shared;
use crate::agent::declaration::RunFn;

/// A built agent, the function that runs it, and what it shares with the other agents of its program.
#[derive(Clone)]
pub(in crate::agent) struct Built {
    pub(in crate::agent) instance: Arc<Instance>,
    pub(in crate::agent) run: RunFn,
    pub(in crate::agent) shared: Arc<Shared>,
}

impl Built {
    /// The stored session with this id.
    pub(super) async fn open_session(&self, id: Arc<str>) -> Result<Session, SessionError> {
        let Some(sessions) = &self.shared.sessions else {
            return Err(SessionError::not_stored(&id));
        };
        let session = sessions.session(id, || self.session())?;
        session.open().await?;
        Ok(session)
    }

    /// A new session, with the messages and copies of the states that the agent was built with.
    pub(super) fn session(&self) -> Session {
        let mut secrets = self.shared.secrets.clone();
        let states = self.shared.states.iter().map(|(id, maker)| {
            let made = caught(|| maker.state.copy(maker.visitor)).map(|(state, visited)| {
                secrets.extend(visited);
                state
            });
            (*id, made)
        });
        let session = Session::new(states.collect());
        let keepers = self.shared.states.iter().map(|(id, maker)| {
            let (name, restorer, codec) =
                (maker.name, maker.state.restorer(), maker.codec.filter(|_| !maker.is_unstored));
            (*id, StateKeeper { name, restorer, codec })
        });
        session.keep_states_with(keepers.collect());
        session.state().concealed().add(&secrets);
        session.append(&self.instance.messages, 0);
        session
    }
}

debug_fields!(Built: this => name: this.instance.name);
