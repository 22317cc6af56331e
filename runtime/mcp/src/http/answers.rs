//! The messages of a server, as the protocol library gets them. Like the transport over standard streams, it gets the result of a request
//! as text, and nothing that concerns no request.

use std::collections::VecDeque;

use futures_util::Stream;
use futures_util::stream::unfold;
use reqwest::Response;
use rmcp::model::{
    ClientRequest, ErrorCode, ErrorData, JsonRpcRequest, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;

use super::client::{Extra, HttpClient};
use super::events::{Event, Events};
use super::param_headers;
use crate::wire::{self, Incoming, Pace};

/// The longest message that the library reads itself.
const LONGEST_OWN: usize = 1 << 20;

/// The request that a body answers.
pub(super) enum AnswerTo {
    /// One whose answer the library reads itself: a handshake, or a subscription.
    Library(RequestId),
    /// Whether the server has the protocol of 2026.
    Discovery(RequestId),
    Tools(RequestId),
    Call(RequestId),
}

impl AnswerTo {
    pub(super) fn new(request: &JsonRpcRequest<ClientRequest>) -> Self {
        let id = request.id.clone();
        match request.request {
            ClientRequest::InitializeRequest(_) | ClientRequest::SubscriptionsListenRequest(_) => {
                Self::Library(id)
            }
            ClientRequest::DiscoverRequest(_) => Self::Discovery(id),
            ClientRequest::ListToolsRequest(_) => Self::Tools(id),
            _ => Self::Call(id),
        }
    }

    fn id(&self) -> &RequestId {
        match self {
            Self::Library(id) | Self::Discovery(id) | Self::Tools(id) | Self::Call(id) => id,
        }
    }
}

/// The answer to a request in a body that is one document. `None` for one that is too long.
pub(super) fn document(
    client: &HttpClient,
    body: Option<&[u8]>,
    asked: &AnswerTo,
    extra: &Extra,
) -> ServerJsonRpcMessage {
    let none = "it does not answer the request";
    match asked {
        AnswerTo::Library(id) | AnswerTo::Discovery(id) => match own(asked, body) {
            message @ (ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)) => message,
            _ => wire::unreadable(id.clone(), true, none),
        },
        AnswerTo::Tools(id) | AnswerTo::Call(id) => {
            let incoming = body.map_or_else(|| vec![too_long()], |body| wire::read(body.trim_ascii()));
            let answers =
                incoming.into_iter().filter_map(|incoming| answer(Some(asked), client, extra, incoming));
            answers.last().unwrap_or_else(|| wire::unreadable(id.clone(), false, none))
        }
    }
}

/// A message that the library reads itself. `None` for one that is too long.
fn own(asked: &AnswerTo, text: Option<&[u8]>) -> ServerJsonRpcMessage {
    let unreadable = |reason: &str| wire::unreadable(asked.id().clone(), true, reason);
    let Some(text) = text.filter(|text| text.len() <= LONGEST_OWN) else {
        return unreadable("it is too long");
    };
    match (serde_json::from_slice(text), asked) {
        // Some servers of earlier protocols have an empty result for what they do not know.
        (Ok(ServerJsonRpcMessage::Response(answer)), AnswerTo::Discovery(id))
            if !matches!(answer.result, ServerResult::DiscoverResult(_)) =>
        {
            let error = ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                "its answer is not the result of a discovery",
                None,
            );
            ServerJsonRpcMessage::error(error, Some(id.clone()))
        }
        (Ok(message), _) => message,
        (Err(error), _) => unreadable(&wire::reason(&error)),
    }
}

/// The message for the library, if it answers the request, or any if none is given. The rest is handled here.
fn answer(
    asked: Option<&AnswerTo>,
    client: &HttpClient,
    extra: &Extra,
    incoming: Incoming<'_>,
) -> Option<ServerJsonRpcMessage> {
    // An answer without an id is for the request of its body.
    let own = |id: Option<RequestId>| {
        let id = id.map(|id| wire::as_number(&id).unwrap_or(id));
        match (id, asked.map(AnswerTo::id)) {
            (Some(id), Some(asked)) => (id == *asked).then_some(id),
            (id, asked) => id.or_else(|| asked.cloned()),
        }
    };
    match incoming {
        Incoming::Answer(id, result) => own(Some(id)).map(|id| match asked {
            Some(AnswerTo::Tools(_)) => param_headers::answer(id, result),
            Some(AnswerTo::Library(_) | AnswerTo::Discovery(_) | AnswerTo::Call(_)) | None => {
                wire::answer(id, Ok(result))
            }
        }),
        Incoming::Refusal(id, error) => own(id).map(|id| ServerJsonRpcMessage::error(error, Some(id))),
        Incoming::Unreadable(id, reason) => own(id).map(|id| wire::unreadable(id, false, &reason)),
        Incoming::Request(id, method, params) => {
            client.reply(asked.map(AnswerTo::id), id, &method, params, extra);
            None
        }
        Incoming::Progress(report) => {
            client.unasked().progress(report);
            None
        }
        Incoming::ToolsChanged => {
            client.unasked().tools_changed();
            None
        }
        Incoming::Log(params) => {
            client.unasked().log(params);
            None
        }
        Incoming::Other | Incoming::Foreign => None,
    }
}

fn too_long() -> Incoming<'static> {
    wire::read_ends(b"{\"jsonrpc\"", b"")
}

/// The messages of a stream.
pub(super) struct Answers {
    client: HttpClient,
    events: Events,
    /// None for the stream of a session, or one that was resumed.
    asked: Option<AnswerTo>,
    extra: Extra,
    pace: Pace,
    ready: VecDeque<Sse>,
}

impl Answers {
    pub(super) fn new(client: HttpClient, response: Response, asked: Option<AnswerTo>, extra: Extra) -> Self {
        let events = Events::new(response);
        Self { client, events, asked, extra, pace: Pace::new(), ready: VecDeque::new() }
    }

    pub(super) fn into_stream(self) -> impl Stream<Item = Result<Sse, SseError>> + Send {
        unfold(Some(self), |answers| async {
            let mut answers = answers?;
            match answers.next().await {
                Ok(Some(event)) => Some((Ok(event), Some(answers))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        })
    }

    async fn next(&mut self) -> Result<Option<Sse>, SseError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            if let Some(pause) = self.pace.pause() {
                tokio::time::sleep_until(pause).await;
            }
            match self.events.next().await {
                Ok(Some(event)) => self.take(event),
                Ok(None) => return Ok(None),
                Err(error) => return Err(SseError::Body(Box::new(error))),
            }
        }
    }

    fn take(&mut self, event: Event) {
        self.pace.count();
        let data = event.data.unwrap_or_default();
        let mut messages = match &self.asked {
            // An event without a message has an id at most.
            Some(AnswerTo::Library(_) | AnswerTo::Discovery(_)) if data.trim_ascii().is_empty() => {
                VecDeque::new()
            }
            Some(asked @ (AnswerTo::Library(_) | AnswerTo::Discovery(_))) => {
                encoded(&own(asked, (!event.is_cut).then_some(&*data)))
            }
            asked @ (Some(AnswerTo::Tools(_) | AnswerTo::Call(_)) | None) => {
                let asked = asked.as_ref();
                let incoming = if event.is_cut { vec![too_long()] } else { wire::read(&data) };
                let answers = incoming
                    .into_iter()
                    .filter_map(|incoming| answer(asked, &self.client, &self.extra, incoming));
                answers.flat_map(|message| encoded(&message)).collect()
            }
        };
        // Its id says where a stream goes on that broke off, also if the library gets no message.
        if messages.is_empty() && (event.id.is_some() || event.retry.is_some()) {
            self.ready.push_back(Sse { id: event.id, retry: event.retry, ..Sse::default() });
            return;
        }
        let last = messages.pop_back();
        self.ready.extend(messages.into_iter().map(|data| Sse::default().data(data)));
        self.ready.extend(last.map(|data| Sse {
            id: event.id,
            retry: event.retry,
            data: Some(data),
            event: None,
        }));
    }
}

fn encoded(message: &ServerJsonRpcMessage) -> VecDeque<String> {
    VecDeque::from_iter(serde_json::to_string(message).ok())
}
