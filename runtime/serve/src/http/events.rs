//! The events of streams in sessions, so that a client whose connection breaks off gets the rest (`Last-Event-ID`).

use std::collections::{HashMap, VecDeque};
use std::mem::take;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::Stream;
use rmcp::model::{JsonRpcMessage, RequestId};
use rmcp::transport::streamable_http_server::session::{
    EventStore, EventStoreError, EventStream, ServerSseMessage,
};

/// The maximum number of notifications of one stream. The oldest ones are forgotten first; requests and answers are not.
const MAX_NOTIFICATIONS: usize = 1024;
/// The maximum number of their bytes.
const MAX_NOTIFICATION_BYTES: usize = 1024 * 1024;
/// The maximum number of bytes of the answers that wait for their clients.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// How long a client can come back for the rest of a stream after its answer is there and its connection has gone.
const LIFETIME: Duration = Duration::from_mins(5);
/// The number of streams from which on those that nobody needs are looked for.
const FIRST_SWEEP: usize = 64;

/// The streams of all sessions. The protocol library writes to them, and connections read them.
#[derive(Default)]
pub(crate) struct Events(Mutex<Streams>);

#[derive(Default)]
struct Streams {
    all: HashMap<String, StreamEvents>,
    /// The bytes of the answers that wait for their clients.
    waiting_bytes: usize,
    sweep_at: usize,
}

/// The events of one stream. The id of an event is the name of its stream and its own number.
struct StreamEvents {
    /// Its session; empty until the stream is claimed.
    session: Arc<str>,
    /// Its request; none for the stream of a session that belongs to no request.
    request: Option<RequestId>,
    /// The events and their numbers.
    events: VecDeque<(usize, ServerSseMessage)>,
    /// The bytes of each notification among them, the oldest first, and of all.
    notifications: VecDeque<usize>,
    notification_bytes: usize,
    /// The number of the next event.
    next: usize,
    /// The number of the first event that no connection has read.
    unread: usize,
    has_answer: bool,
    /// The number of the newest connection.
    connection: u64,
    is_read: bool,
    waker: Option<Waker>,
    /// When it got an event, or lost its connection.
    touched: Instant,
    /// Its part of the bytes of all answers that wait.
    waiting_bytes: usize,
}

/// What the protocol library adds to a session for the name of its stream that belongs to no request.
const COMMON: &str = ":common";

/// The name of that stream.
pub(crate) fn common(session: &str) -> String {
    format!("{session}{COMMON}")
}

impl StreamEvents {
    fn new(session: &str) -> Self {
        Self {
            session: session.into(),
            request: None,
            events: VecDeque::new(),
            notifications: VecDeque::new(),
            notification_bytes: 0,
            next: 0,
            unread: 0,
            has_answer: false,
            connection: 0,
            is_read: false,
            waker: None,
            touched: Instant::now(),
            waiting_bytes: 0,
        }
    }

    fn push(&mut self, event: ServerSseMessage) {
        if is_notification(&event) {
            let bytes = bytes(&event);
            self.notifications.push_back(bytes);
            self.notification_bytes += bytes;
        }
        self.events.push_back((self.next, event));
        self.next += 1;
        self.touched = Instant::now();
        while self.notifications.len() > MAX_NOTIFICATIONS || self.notification_bytes > MAX_NOTIFICATION_BYTES
        {
            self.notification_bytes -= self.notifications.pop_front().unwrap_or_default();
            let oldest = self.events.iter().position(|(_, event)| is_notification(event));
            oldest.map(|oldest| self.events.remove(oldest));
        }
    }

    /// The first event from a number on.
    fn from(&self, number: usize) -> Option<&(usize, ServerSseMessage)> {
        self.events.get(self.events.partition_point(|(own, _)| *own < number))
    }

    fn bytes(&self) -> usize {
        self.events.iter().map(|(_, event)| bytes(event)).sum()
    }
}

/// The bytes of the message of an event.
fn bytes(event: &ServerSseMessage) -> usize {
    let text = event.message.as_ref().and_then(|message| serde_json::to_vec(message).ok());
    text.map_or(0, |text| text.len())
}

/// Whether a client loses no more than news without an event.
fn is_notification(event: &ServerSseMessage) -> bool {
    match event.message.as_deref() {
        None | Some(JsonRpcMessage::Notification(_)) => true,
        Some(JsonRpcMessage::Request(_) | JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) => false,
    }
}

impl Streams {
    fn remove(&mut self, name: &str) -> Option<Waker> {
        let stream = self.all.remove(name)?;
        self.waiting_bytes -= stream.waiting_bytes;
        stream.waker
    }

    /// Counts the bytes of an answer without a connection. Those that have waited longest are forgotten if there are too many.
    fn count(&mut self, name: &str) {
        if let Some(stream) = self.all.get_mut(name).filter(|stream| stream.has_answer && !stream.is_read) {
            stream.waiting_bytes = stream.bytes();
            self.waiting_bytes += stream.waiting_bytes;
        }
        while self.waiting_bytes > MAX_BYTES {
            let waiting = self.all.iter().filter(|(_, stream)| stream.waiting_bytes > 0);
            let Some(oldest) = waiting.min_by_key(|(_, stream)| stream.touched).map(|(name, _)| name.clone())
            else {
                return;
            };
            self.remove(&oldest);
        }
    }
}

impl Events {
    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores an event. Returns its id. The answer to a request whose stream has ended is for nobody: its client has cancelled it.
    pub(crate) fn store(&self, name: &str, event: &ServerSseMessage) -> String {
        let message = event.message.as_deref();
        let is_answer = matches!(message, Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)));
        let session = name.strip_suffix(COMMON);
        let mut streams = self.streams();
        let stream = streams
            .all
            .entry(name.to_owned())
            .or_insert_with(|| StreamEvents::new(session.unwrap_or_default()));
        let id = format!("{name}/{}", stream.next);
        if is_answer && session.is_some() {
            return id;
        }
        let mut event = event.clone();
        event.event_id = Some(id.clone());
        stream.push(event);
        stream.has_answer |= is_answer;
        let waker = stream.waker.take();
        if is_answer {
            streams.count(name);
        }
        drop(streams);
        wake(waker);
        id
    }

    /// Notes whose stream it is, and for which request.
    pub(crate) fn claim(&self, name: &str, session: &Arc<str>, request: Option<RequestId>) {
        if let Some(stream) = self.streams().all.get_mut(name) {
            (stream.session, stream.request) = (Arc::clone(session), request);
        }
    }

    /// A connection for the events of a session's stream after the one with this number; without a number, for those that no connection has
    /// read. `None` if the session has no such stream. An earlier connection ends: each event is for one of them.
    pub(crate) fn read(self: &Arc<Self>, name: &str, session: &str, after: Option<usize>) -> Option<Reader> {
        let mut streams = self.streams();
        if name.strip_suffix(COMMON) == Some(session) {
            streams.all.entry(name.to_owned()).or_insert_with(|| StreamEvents::new(session));
        }
        let stream = streams.all.get_mut(name).filter(|stream| *stream.session == *session)?;
        stream.connection += 1;
        stream.is_read = true;
        let (bytes, waker) = (take(&mut stream.waiting_bytes), stream.waker.take());
        let next = after.map_or(stream.unread, |after| after.saturating_add(1));
        let reader =
            Reader { events: Arc::clone(self), name: name.to_owned(), next, connection: stream.connection };
        streams.waiting_bytes -= bytes;
        drop(streams);
        wake(waker);
        Some(reader)
    }

    /// Ends a stream: its session has ended, or its request was cancelled.
    pub(crate) fn end(&self, name: &str) {
        let waker = self.streams().remove(name);
        wake(waker);
    }

    /// The requests of a session that have no answer yet, and the names of their streams.
    pub(crate) fn open(&self, session: &str) -> Vec<(RequestId, String)> {
        let streams = self.streams();
        let open = streams.all.iter().filter(|(_, stream)| *stream.session == *session && !stream.has_answer);
        open.filter_map(|(name, stream)| Some((stream.request.clone()?, name.clone()))).collect()
    }

    /// Whether there are so many streams that [`Self::sweep`] is worth it.
    pub(crate) fn is_full(&self) -> bool {
        let streams = self.streams();
        streams.all.len() >= streams.sweep_at.max(FIRST_SWEEP)
    }

    /// Forgets the streams that nobody comes back for.
    pub(crate) fn sweep(&self, is_live: impl Fn(&str) -> bool) {
        let mut streams = self.streams();
        let is_over = |name: &str, stream: &StreamEvents| {
            let is_late = !stream.is_read && stream.touched.elapsed() > LIFETIME;
            // A stream that was not claimed yet has no session.
            let has_session = is_live(&stream.session) || stream.session.is_empty() && !is_late;
            !has_session || stream.has_answer && is_late && !name.ends_with(COMMON)
        };
        let over = streams.all.iter().filter(|(name, stream)| is_over(name, stream));
        let over: Vec<_> = over.map(|(name, _)| name.clone()).collect();
        let wakers: Vec<_> = over.iter().map(|name| streams.remove(name)).collect();
        streams.sweep_at = 2 * streams.all.len();
        drop(streams);
        wakers.into_iter().for_each(wake);
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// The connection of a stream. It ends after the answer, and when a newer one begins.
pub(crate) struct Reader {
    events: Arc<Events>,
    name: String,
    /// The number of the next event.
    next: usize,
    connection: u64,
}

impl Stream for Reader {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        let events = Arc::clone(&self.events);
        let mut streams = events.streams();
        let connection = self.connection;
        let own = streams.all.get_mut(&self.name).filter(|stream| stream.connection == connection);
        let Some(stream) = own else { return Poll::Ready(None) };
        if let Some((number, event)) = stream.from(self.next) {
            let event = event.clone();
            self.next = number + 1;
            stream.unread = stream.unread.max(self.next);
            return Poll::Ready(Some(event));
        }
        if stream.has_answer {
            // It was read to its end.
            streams.remove(&self.name);
            return Poll::Ready(None);
        }
        stream.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut streams = self.events.streams();
        let connection = self.connection;
        if let Some(stream) = streams.all.get_mut(&self.name).filter(|stream| stream.connection == connection)
        {
            (stream.is_read, stream.waker, stream.touched) = (false, None, Instant::now());
            streams.count(&self.name);
        }
    }
}

#[async_trait]
impl EventStore for Events {
    async fn store_event(&self, name: &str, event: &ServerSseMessage) -> Result<String, EventStoreError> {
        Ok(self.store(name, event))
    }

    /// The manager of the sessions replays events itself: it knows whose they are.
    async fn replay_events_after(&self, _: &str) -> Result<EventStream, EventStoreError> {
        Err("events are replayed in their session".into())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, StreamExt as _};
    use rmcp::model::ServerJsonRpcMessage;
    use serde_json::{Value, json};

    use super::*;

    fn event(message: Value) -> ServerSseMessage {
        ServerSseMessage::from_message(serde_json::from_value::<ServerJsonRpcMessage>(message).unwrap())
    }

    fn notification() -> ServerSseMessage {
        event(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
    }

    fn answer() -> ServerSseMessage {
        event(json!({ "jsonrpc": "2.0", "id": 1, "result": {} }))
    }

    /// The ids of the events that are there, and whether the stream has ended.
    fn read(reader: &mut Reader) -> (Vec<String>, bool) {
        let mut ids = Vec::new();
        loop {
            match reader.next().now_or_never() {
                Some(Some(event)) => ids.push(event.event_id.unwrap()),
                Some(None) => return (ids, true),
                None => return (ids, false),
            }
        }
    }

    fn session(name: &str) -> Arc<str> {
        name.into()
    }

    #[test]
    fn o2_a_client_comes_back_for_the_events_after_the_last_one() {
        let events = Arc::<Events>::default();
        for name in ["a", "b"] {
            events.store(name, &notification());
            events.claim(name, &session("s"), Some(RequestId::Number(1)));
        }
        let mut first = events.read("a", "s", None).unwrap();
        events.store("a", &notification());
        assert_eq!(read(&mut first), (vec!["a/0".to_owned(), "a/1".to_owned()], false));
        drop(first);
        events.store("a", &answer());
        assert!(events.read("a", "other session", Some(0)).is_none());
        assert!(events.read("c", "s", Some(0)).is_none() && events.read("a", "", Some(0)).is_none());
        let mut second = events.read("a", "s", Some(1)).unwrap();
        let mut third = events.read("a", "s", Some(0)).unwrap();
        assert_eq!(read(&mut second), (vec![], true), "the newest connection has it");
        assert_eq!(read(&mut third), (vec!["a/1".to_owned(), "a/2".to_owned()], true));
        assert!(events.read("a", "s", Some(0)).is_none(), "it was read to its end");
        assert!(read(&mut events.read("b", "s", Some(usize::MAX)).unwrap()).0.is_empty());
        assert_eq!(events.open("s"), [(RequestId::Number(1), "b".to_owned())]);
    }

    #[test]
    fn o2_the_newest_connection_gets_what_no_other_has_read() {
        let (events, name) = (Arc::<Events>::default(), common("s"));
        events.store(&name, &notification());
        let mut first = events.read(&name, "s", None).unwrap();
        assert_eq!(read(&mut first), (vec!["s:common/0".to_owned()], false));
        let mut second = events.read(&name, "s", None).unwrap();
        events.store(&name, &answer());
        events.store(&name, &notification());
        assert_eq!(read(&mut first), (vec![], true));
        assert_eq!(read(&mut second), (vec!["s:common/1".to_owned()], false));
        assert!(events.read(&name, "t", None).is_none());
        events.end(&name);
        assert_eq!(read(&mut second), (vec![], true));
    }

    #[test]
    fn o2_questions_and_answers_are_kept_among_many_notifications() {
        let events = Arc::<Events>::default();
        events.store("a", &event(json!({ "jsonrpc": "2.0", "id": 7, "method": "ping" })));
        events.claim("a", &session("s"), Some(RequestId::Number(1)));
        for _ in 0..3000 {
            events.store("a", &notification());
        }
        events.store("a", &answer());
        let (ids, has_ended) = read(&mut events.read("a", "s", None).unwrap());
        assert!(has_ended && ids.len() == MAX_NOTIFICATIONS + 2, "{ids:?}");
        assert_eq!((&*ids[0], &*ids[1], &**ids.last().unwrap()), ("a/0", "a/1977", "a/3001"));
    }

    #[test]
    fn o2_streams_that_nobody_comes_back_for_are_forgotten() {
        let events = Arc::<Events>::default();
        for (name, owner) in [("a", "live"), ("b", "gone")] {
            events.store(name, &answer());
            events.claim(name, &session(owner), None);
        }
        events.store(&common("gone"), &notification());
        events.store("unclaimed", &notification());
        let names = || {
            let mut names: Vec<_> = events.streams().all.keys().cloned().collect();
            names.sort();
            names
        };
        events.sweep(|session| session == "live");
        assert_eq!(names(), ["a", "unclaimed"]);
        for stream in events.streams().all.values_mut() {
            stream.touched = Instant::now().checked_sub(LIFETIME * 2).unwrap();
        }
        events.sweep(|session| session == "live");
        assert!(names().is_empty());
    }

    #[test]
    fn o2_the_bytes_of_answers_that_wait_are_bounded() {
        let events = Arc::<Events>::default();
        let big =
            event(json!({ "jsonrpc": "2.0", "id": 1, "result": { "text": "x".repeat(MAX_BYTES / 2) } }));
        for name in ["a", "b"] {
            events.store(name, &notification());
            events.claim(name, &session("s"), None);
            events.store(name, &big);
        }
        assert!(events.read("a", "s", None).is_none(), "the oldest one is forgotten");
        let reader = events.read("b", "s", None).unwrap();
        assert_eq!(events.streams().waiting_bytes, 0);
        drop(reader);
        assert!(events.streams().waiting_bytes > MAX_BYTES / 2);
        read(&mut events.read("b", "s", None).unwrap());
        assert!(events.streams().all.is_empty() && events.streams().waiting_bytes == 0);
    }
}
