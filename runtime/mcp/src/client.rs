//! Our end of the protocol: handles what a server sends without a request.

use std::collections::{HashMap, VecDeque};
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
/// A call that was sent listens after this time.
const SOON: Duration = Duration::from_secs(5);

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

    /// Takes a request of the server. A question goes to the call that it belongs to, and to no person if that is not clear.
    pub(super) fn request(&self, call: Option<&RequestId>, method: &str, params: Option<&str>) -> Reply {
        if method != ELICITATION || !self.grants.asks() {
            return Reply::Now(self.grants.answer(method));
        }
        let refused = |reason| Reply::Now(Err(ErrorData::new(ErrorCode::INVALID_REQUEST, reason, None)));
        let Some(call) = call else {
            return refused("it is not clear to which of several open calls of tools the question belongs");
        };
        let params = params.unwrap_or("null");
        // The rest of one that is too long is of no use.
        let params = &params[..params.floor_char_boundary(elicitation::LONGEST + 4)];
        let (answer, receiver) = oneshot::channel();
        match self.listeners.ask(call, ServerQuestion { params: params.to_owned(), answer }) {
            Ok(()) => Reply::Later(receiver),
            Err(reason) => refused(reason),
        }
    }

    /// Whether the server has asked a question during this call, which is one of the last.
    pub(super) fn has_asked(&self, call: &RequestId) -> bool {
        self.listeners.lock().asked.contains(call)
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

/// The calls that wait for progress reports.
#[derive(Clone, Default)]
pub(super) struct Listeners(Arc<Mutex<Calls>>);

#[derive(Default)]
struct Calls {
    reports: HashMap<ProgressToken, mpsc::Sender<ProgressNotificationParam>>,
    /// Reports for calls that do not listen yet, or no longer.
    early: VecDeque<ProgressNotificationParam>,
    /// The calls that take questions.
    asking: HashMap<RequestId, Questions>,
    /// Questions for calls that do not listen yet.
    early_questions: VecDeque<(RequestId, ServerQuestion, Instant)>,
    /// The last calls that got a question.
    asked: VecDeque<RequestId>,
}

/// The questions of one call.
struct Questions {
    to: mpsc::Sender<ServerQuestion>,
    /// How many the server may still ask.
    left: usize,
}

impl Questions {
    fn ask(&mut self, asked: ServerQuestion) -> Result<(), &'static str> {
        self.left = self.left.checked_sub(1).ok_or("it asked too many questions in one call")?;
        self.to.try_send(asked).map_err(|_| "the call is over")
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

    /// Listens to the questions of a call that was just sent.
    pub(super) fn listen_to_questions(&self, call: &RequestId) -> mpsc::Receiver<ServerQuestion> {
        let (to, receiver) = mpsc::channel(QUESTIONS);
        let mut questions = Questions { to, left: QUESTIONS };
        let mut listeners = self.lock();
        listeners.asking.retain(|_, call| !call.to.is_closed());
        let (mine, others) =
            std::mem::take(&mut listeners.early_questions).into_iter().partition(|(of, ..)| of == call);
        listeners.early_questions = others;
        for (_, asked, _) in mine {
            // One too many is dropped, and so it is answered.
            let _ = questions.ask(asked);
        }
        listeners.asking.insert(call.clone(), questions);
        receiver
    }

    /// Gives a question to a call.
    fn ask(&self, call: &RequestId, asked: ServerQuestion) -> Result<(), &'static str> {
        let mut listeners = self.lock();
        listeners.asking.retain(|_, call| !call.to.is_closed());
        if !listeners.asked.contains(call) {
            listeners.asked.push_back(call.clone());
            if listeners.asked.len() > WAITING {
                listeners.asked.pop_front();
            }
        }
        if let Some(questions) = listeners.asking.get_mut(call) {
            return questions.ask(asked);
        }
        // It may be faster than the call that begins to listen. Those of calls that are over are dropped, and so they are answered.
        listeners.early_questions.retain(|(_, _, since)| since.elapsed() < SOON);
        if listeners.early_questions.len() == EARLY {
            return Err("a person is asked during a call of a tool only");
        }
        listeners.early_questions.push_back((call.clone(), asked, Instant::now()));
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
