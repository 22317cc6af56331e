//! What a model is asked, without secrets.

use std::sync::Arc;

use super::needles::Needles;
use crate::model::{History, Message, ModelRequest, ToolDeclaration};

/// Takes secrets out of the requests of one run. A request differs from the one before by a few messages, so what was looked at
/// is kept: while the secrets stay the same, only what is new is looked at.
#[derive(Default)]
pub(crate) struct Asked(Option<Known>);

struct Known {
    needles: Arc<Needles>,
    /// The conversation so far, without the secrets.
    messages: History,
    /// The tools as they are, and as they are shown.
    tools: [Arc<[ToolDeclaration]>; 2],
}

impl Asked {
    pub(crate) fn hide(&mut self, needles: Arc<Needles>, request: &mut ModelRequest) {
        request.system.iter_mut().for_each(|system| needles.shared(system));
        let before = self.0.take().filter(|known| Arc::ptr_eq(&known.needles, &needles));
        let (mut messages, tools) = match before {
            Some(known) => (known.messages, Some(known.tools)),
            None => (History::new(), None),
        };
        for message in request.messages.since(messages.len()) {
            messages.push_shared(shown(&needles, message));
        }
        let tools = match tools {
            Some(tools) if Arc::ptr_eq(&tools[0], &request.tools) => tools,
            _ => [Arc::clone(&request.tools), needles.declarations(&request.tools)],
        };
        request.messages = messages.clone();
        request.tools = Arc::clone(&tools[1]);
        self.0 = Some(Known { needles, messages, tools });
    }
}

/// A message that shows no secret stays shared.
fn shown(needles: &Needles, message: Arc<Message>) -> Arc<Message> {
    let mut hidden = (*message).clone();
    needles.message(&mut hidden);
    if hidden == *message { message } else { Arc::new(hidden) }
}
