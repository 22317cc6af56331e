//! The operations of the protocol, which both bindings have.

use std::sync::Arc;

use super::drive::{self, Start};
use super::places::{Place, Places};
use super::store::{Owner, cut_history, history_length};
use super::task::{TaskCell, Turn, Work};
use super::{Inner, input, questions};
use crate::wire::{
    Fault, ListParams, Message, Reason, SendConfiguration, SendParams, StreamResponse, Task, TaskPage,
    TaskParams,
};

/// A task, and the turn that a message began.
type Begun = (Arc<TaskCell>, Arc<Turn>);

/// The events of a task for a client.
pub(super) struct Stream {
    turn: Arc<Turn>,
    /// What the client reads before the events.
    first: Option<Task>,
    read: usize,
    history: Option<usize>,
    /// Its place among the open streams.
    _place: Place,
}

impl Stream {
    /// The next events; none at the end.
    ///
    /// Cancel safety: dropping the future has no effect.
    pub(super) async fn next(&mut self) -> Vec<StreamResponse> {
        if let Some(task) = self.first.take() {
            return vec![self.cut(StreamResponse { task: Some(task), ..StreamResponse::default() })];
        }
        let events = self.turn.after(self.read).await;
        self.read += events.len();
        events.into_iter().map(|event| self.cut(StreamResponse::clone(&event))).collect()
    }

    fn cut(&self, mut event: StreamResponse) -> StreamResponse {
        if let Some(task) = &mut event.task {
            cut_history(task, self.history);
        }
        event
    }
}

fn place(places: &Arc<Places>, owner: &Owner, busy: &'static str) -> Result<Place, Fault> {
    places.take(owner).ok_or_else(|| Fault::new(Reason::Busy, busy))
}

impl Inner {
    /// Sends a message, and returns the task at the end of its turn, or at once if the client wants that.
    pub(super) async fn send(
        self: &Arc<Self>,
        owner: &Owner,
        params: SendParams,
    ) -> Result<StreamResponse, Fault> {
        let configuration = params.configuration.as_ref();
        let is_immediate = configuration.is_some_and(|configuration| configuration.return_immediately);
        let history = configured_history(&params)?;
        let (task, turn) = self.begin(owner, params)?;
        if !is_immediate {
            turn.ended().await;
        }
        let mut shown = task.snapshot().0;
        cut_history(&mut shown, history);
        Ok(StreamResponse { task: Some(shown), ..StreamResponse::default() })
    }

    /// Sends a message, and returns the events of its turn.
    pub(super) fn send_streaming(
        self: &Arc<Self>,
        owner: &Owner,
        params: SendParams,
    ) -> Result<Stream, Fault> {
        let history = configured_history(&params)?;
        let place = self.stream_place(owner)?;
        let (_, turn) = self.begin(owner, params)?;
        Ok(Stream { turn, first: None, read: 0, history, _place: place })
    }

    pub(super) fn subscribe(&self, owner: &Owner, params: &TaskParams) -> Result<Stream, Fault> {
        let task = self.store.find(owner, &params.id)?;
        let place = self.stream_place(owner)?;
        let (task, turn, read) = task.snapshot();
        if task.status.state.is_terminal() {
            return Err(Fault::unsupported("the task has ended: get it"));
        }
        Ok(Stream { turn, first: Some(task), read, history: None, _place: place })
    }

    pub(super) fn get(&self, owner: &Owner, params: &TaskParams) -> Result<Task, Fault> {
        let history = history_length(params.history_length)?;
        let mut task = self.store.find(owner, &params.id)?.snapshot().0;
        cut_history(&mut task, history);
        Ok(task)
    }

    pub(super) fn list(&self, owner: &Owner, params: &ListParams) -> Result<TaskPage, Fault> {
        self.store.list(owner, params)
    }

    pub(super) fn cancel(&self, owner: &Owner, params: &TaskParams) -> Result<Task, Fault> {
        let task = self.store.find(owner, &params.id)?;
        match task.cancel(self.store.next()) {
            Some(Work::Runs(token)) => token.cancel(),
            // The next task of its context gives up a stored run.
            Some(Work::Waits(_) | Work::Over) => {}
            None => return Err(Fault::new(Reason::TaskNotCancelable, "the task has ended")),
        }
        Ok(task.snapshot().0)
    }

    fn stream_place(&self, owner: &Owner) -> Result<Place, Fault> {
        place(&self.streams, owner, "too many streams are open: try again later")
    }

    /// Begins a turn with a message: of a new task, or of one that waits.
    fn begin(self: &Arc<Self>, owner: &Owner, params: SendParams) -> Result<Begun, Fault> {
        let mut message = params.message.ok_or_else(|| Fault::param("message", "expected a message"))?;
        input::check(&mut message, self.limits.parts)?;
        let is_push = |params: &SendConfiguration| params.task_push_notification_config.is_some();
        if params.configuration.as_ref().is_some_and(is_push) {
            return Err(Fault::new(
                Reason::PushNotificationNotSupported,
                "push notifications are not supported",
            ));
        }
        let Some(id) = message.task_id.clone() else {
            let input = input::read(&message)?;
            let place = self.run_place(owner)?;
            let token = self.cancellation.child_token();
            let task = self.store.submit(owner, message, token.clone())?;
            let turn = task.turn();
            drive::start(Arc::clone(self), Arc::clone(&task), Start::Input(input), token, place);
            return Ok((task, turn));
        };
        self.go_on(owner, self.store.find(owner, &id)?, message)
    }

    fn run_place(&self, owner: &Owner) -> Result<Place, Fault> {
        place(&self.running, owner, "too many tasks are at work: try again later")
    }

    /// Goes on with a task that waits for an answer.
    fn go_on(
        self: &Arc<Self>,
        owner: &Owner,
        task: Arc<TaskCell>,
        mut message: Message,
    ) -> Result<Begun, Fault> {
        let context_id = task.conversation.context_id();
        if message.context_id.as_deref().is_some_and(|id| id != context_id) {
            return Err(Fault::param("message.contextId", "expected the context of the task, or none"));
        }
        message.context_id = Some(context_id.to_owned());
        let Some(paused) = task.paused() else {
            return Err(Fault::unsupported(if task.state().is_terminal() {
                "the task has ended: send the message without its `taskId`"
            } else {
                "the task is at work: wait until it has ended or asks, or cancel it"
            }));
        };
        self.store.make_room_of(owner)?;
        let answers = match questions::answers(&paused, &message) {
            Ok(answers) => answers,
            Err(problem) => {
                let question = questions::repeated(&paused, &problem);
                let turn = task.refuse(message, question, self.store.next());
                return Ok((task, turn));
            }
        };
        let place = self.run_place(owner)?;
        let token = self.cancellation.child_token();
        task.conversation.add_bytes(message.bytes());
        let turn = task.resume(&paused, message, token.clone(), self.store.next());
        let turn =
            turn.ok_or_else(|| Fault::unsupported("another message answered the question: get the task"))?;
        let start = Start::Answers(paused, answers);
        drive::start(Arc::clone(self), Arc::clone(&task), start, token, place);
        Ok((task, turn))
    }
}

/// How much of the history the client wants in the task.
fn configured_history(params: &SendParams) -> Result<Option<usize>, Fault> {
    history_length(params.configuration.as_ref().and_then(|configuration| configuration.history_length))
}
