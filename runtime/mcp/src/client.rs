//! Our end of the protocol: handles what a server sends without a request.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientConfig, ErrorCode, ErrorData, Implementation, ProgressNotificationParam, ProgressToken, RequestId,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::announced::Changes;
use super::elicitation;
use super::grants::{Answer, ELICITATION, Grants};
use super::server_log::ServerLog;
use super::visible::visible;
use crate::mutex::lock;

/// Progress reports that may wait for their call to look at them; further ones are dropped.
const WAITING: usize = 64;

/// The most questions of a server in one call.
pub(super) const QUESTIONS: usize = 10;
/// Questions that may wait for their call to listen; further ones are refused.
const EARLY: usize = 16;
/// So long a server may still work on a call that was given up, and ask for it.
const ABANDONED: Duration = Duration::from_mins(5);

/// The receivers of what a server sends without a request.
#[derive(Clone)]
pub(super) struct Unasked {
    listeners: Listeners,
    changes: Changes,
    grants: Grants,
    log: ServerLog,
}

/// A question of a server during a call.
pub(super) struct ServerQuestion {
    /// The parameters of its request.
    pub(super) params: String,
    /// Dropped, the server learns that nobody answers.
    pub(super) answer: oneshot::Sender<Answer>,
}

/// The answer to a request of a server.
pub(super) enum Reply {
    Now(Answer),
    /// When a person answers.
    Later(oneshot::Receiver<Answer>),
}

impl Reply {
    pub(super) async fn answer(self) -> Answer {
        match self {
            Self::Now(answer) => answer,
            Self::Later(answer) => answer.await.unwrap_or_else(|_| Ok(elicitation::cancelled())),
        }
    }
}

impl Unasked {
    pub(super) fn new(listeners: Listeners, changes: Changes, grants: Grants, log: ServerLog) -> Self {
        Self { listeners, changes, grants, log }
    }

    /// Logs a message of the server.
    pub(super) fn log(&self, params: &str) {
        self.log.write(params);
    }

    /// The client of this connection.
    pub(super) fn client(&self) -> Client {
        Client(self.grants.clone())
    }

    /// Takes a request of the server, which belongs to `call` if it came on the stream of one. A question goes to its call, and to no person if
    /// that is not clear.
    pub(super) fn request(&self, call: Option<&RequestId>, method: &str, params: Option<&str>) -> Reply {
        if method != ELICITATION || !self.grants.asks() {
            return Reply::Now(self.grants.answer(method));
        }
        let params = params.unwrap_or("null");
        // The rest of one that is too long is of no use.
        let params = &params[..params.floor_char_boundary(elicitation::LONGEST + 4)];
        let (answer, receiver) = oneshot::channel();
        match self.listeners.ask(call, ServerQuestion { params: params.to_owned(), answer }) {
            Ok(()) => Reply::Later(receiver),
            Err(reason) => Reply::Now(Err(ErrorData::new(ErrorCode::INVALID_REQUEST, reason, None))),
        }
    }

    pub(super) fn progress(&self, mut report: ProgressNotificationParam) {
        report.message = report.message.map(|message| visible(&message));
        let mut listeners = self.listeners.lock();
        match listeners.reports.get(&report.progress_token) {
            Some(call) => drop(call.try_send(report)),
            // The first report may be faster than the call that begins to listen.
            None => {
                if listeners.early.len() == WAITING {
                    listeners.early.pop_front();
                }
                listeners.early.push_back(report);
            }
        }
    }

    pub(super) fn tools_changed(&self) {
        self.changes.announce();
    }
}

/// The calls that wait for progress reports and take questions.
#[derive(Clone, Default)]
pub(super) struct Listeners(Arc<Mutex<Calls>>);

#[derive(Default)]
struct Calls {
    reports: HashMap<ProgressToken, mpsc::Sender<ProgressNotificationParam>>,
    /// Reports for calls that do not listen yet, or no longer.
    early: VecDeque<ProgressNotificationParam>,
    /// The calls that take questions, by their numbers.
    open: BTreeMap<u64, Questions>,
    /// The number of the next one.
    next: u64,
    /// Questions that may belong to a call that has no identifier yet.
    early_questions: Vec<(RequestId, ServerQuestion)>,
    /// When the last call was given up while its server could still ask for it.
    abandoned: Option<Instant>,
}

/// The questions of one call.
struct Questions {
    /// `None` until its request is sent.
    call: Option<RequestId>,
    to: mpsc::Sender<ServerQuestion>,
    /// How many the server may still ask.
    left: usize,
}

impl Questions {
    fn ask(&mut self, asked: ServerQuestion) -> Result<(), &'static str> {
        self.left = self.left.checked_sub(1).ok_or("it asked too many questions in one call")?;
        self.to.try_send(asked).map_err(|_| "nobody is asked for this request")
    }
}

impl Calls {
    /// The call that a question belongs to whose server does not say it: the only one that the server can work on.
    fn only(&mut self) -> Option<&mut Questions> {
        if self.abandoned.is_some_and(|at| at.elapsed() < ABANDONED) {
            return None;
        }
        let mut open = self.open.values_mut();
        open.next().filter(|_| open.next().is_none())
    }

    /// Drops the early questions if no call can take them, and so they are answered.
    fn drop_unclaimed(&mut self) {
        if self.open.values().all(|open| open.call.is_some()) {
            self.early_questions.clear();
        }
    }
}

/// A request that the server may ask for. Dropped, it is over.
pub(super) struct OpenCall {
    number: u64,
    questions: mpsc::Receiver<ServerQuestion>,
    /// Whether a question waits for its answer.
    pub(super) is_asking: bool,
    has_ended: bool,
    listeners: Listeners,
}

impl OpenCall {
    /// Nobody can be asked for it.
    pub(super) fn take_no_questions(&mut self) {
        self.questions.close();
    }

    /// Its request was sent.
    pub(super) fn sent(&self, call: &RequestId) {
        let mut listeners = self.listeners.lock();
        let (mine, others) =
            std::mem::take(&mut listeners.early_questions).into_iter().partition(|(of, _)| of == call);
        listeners.early_questions = others;
        let Some(questions) = listeners.open.get_mut(&self.number) else { return };
        questions.call = Some(call.clone());
        for (_, asked) in mine {
            // One too many is dropped, and so it is answered.
            let _ = questions.ask(asked);
        }
        listeners.drop_unclaimed();
    }

    /// The next question.
    pub(super) async fn question(&mut self) -> Option<ServerQuestion> {
        let question = self.questions.recv().await?;
        self.is_asking = true;
        Some(question)
    }

    /// The server has answered the request.
    pub(super) fn end(mut self) {
        self.has_ended = true;
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let mut listeners = self.listeners.lock();
        let is_sent = listeners.open.remove(&self.number).is_some_and(|open| open.call.is_some());
        // A server that waits for the answer to a question learns that there is none.
        let is_waiting = self.is_asking || !self.questions.is_empty();
        if is_sent && !is_waiting && !self.has_ended {
            listeners.abandoned = Some(Instant::now());
        }
        listeners.drop_unclaimed();
    }
}

impl Listeners {
    /// Listens to the progress of a call that was just sent.
    pub(super) fn listen(&self, token: &ProgressToken) -> mpsc::Receiver<ProgressNotificationParam> {
        let (sender, receiver) = mpsc::channel(WAITING);
        let mut listeners = self.lock();
        listeners.reports.retain(|_, call| !call.is_closed());
        let (mine, others) = std::mem::take(&mut listeners.early)
            .into_iter()
            .partition(|report| report.progress_token == *token);
        listeners.early = others;
        for report in mine {
            let _ = sender.try_send(report);
        }
        listeners.reports.insert(token.clone(), sender);
        receiver
    }

    /// Begins to take the questions for a request that will be sent.
    pub(super) fn open(&self) -> OpenCall {
        let (to, questions) = mpsc::channel(QUESTIONS);
        let mut listeners = self.lock();
        let number = listeners.next;
        listeners.next += 1;
        listeners.open.insert(number, Questions { call: None, to, left: QUESTIONS });
        OpenCall { number, questions, is_asking: false, has_ended: false, listeners: self.clone() }
    }

    /// Gives a question to a call.
    fn ask(&self, call: Option<&RequestId>, asked: ServerQuestion) -> Result<(), &'static str> {
        let mut listeners = self.lock();
        let Some(call) = call else {
            let unclear = "it is not clear to which call of a tool the question belongs";
            return listeners.only().ok_or(unclear)?.ask(asked);
        };
        if let Some(questions) = listeners.open.values_mut().find(|open| open.call.as_ref() == Some(call)) {
            return questions.ask(asked);
        }
        // It may be faster than the call that learns its identifier.
        if listeners.open.values().all(|open| open.call.is_some()) || listeners.early_questions.len() == EARLY
        {
            return Err("a person is asked during a call of a tool only");
        }
        listeners.early_questions.push((call.clone(), asked));
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        lock(&self.0)
    }
}

/// The client side of a connection, with its description for the server.
pub(super) struct Client(Grants);

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let implementation = Implementation::new("onionskin", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(self.0.capabilities(), implementation)
    }
}
