//! What the tests share.

use std::sync::{Arc, Mutex};

use onionskin::question::{Answer, Paused};
use onionskin::{AgentHandle, RunError, RunOutput};

/// What happened, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn push(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// The paused run, as another process reads it.
#[track_caller]
pub(crate) fn paused(end: Result<RunOutput, RunError>) -> Paused {
    match end {
        Err(RunError::Paused(paused)) => {
            let text = serde_json::to_string(&paused).unwrap();
            let read: Paused = serde_json::from_str(&text).unwrap();
            assert_eq!(read, paused);
            read
        }
        other => panic!("it does not pause: {other:?}"),
    }
}

/// The tools and arguments of the open questions.
pub(crate) fn open(paused: &Paused) -> Vec<String> {
    paused
        .questions()
        .iter()
        .map(|question| format!("{} {}", question.tool_name(), question.arguments()))
        .collect()
}

/// The key of the question about these arguments.
#[track_caller]
pub(crate) fn key(paused: &Paused, arguments: &serde_json::Value) -> String {
    let found = paused.questions().iter().find(|question| question.arguments() == arguments);
    found.unwrap_or_else(|| panic!("{:?}", open(paused))).key().to_owned()
}

/// Resumes a paused run: its first question is answered with yes.
pub(crate) async fn allowed(agent: &AgentHandle, paused: &Paused) -> RunOutput {
    agent.resume(paused).answer(paused.questions()[0].key(), Answer::allow()).run().await.unwrap()
}
