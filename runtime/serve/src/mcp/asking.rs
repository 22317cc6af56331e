//! Calls that ask the client: by a request while the call waits, or by a result that the client answers with the same call again. Most ask a
//! person, by a form.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use onionskin_core::question::{Answer, Answerer, CallerRequest, Paused, Question, QuestionKind};
use onionskin_core::text::short;
use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, ClientResult, CreateMessageRequest, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationCapability, ElicitationSchema, FormElicitationCapability, InputRequest,
    InputRequests, InputResponses, ListRootsRequest, RootsCapabilities, SamplingCapability, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleServer, ServiceError};
use serde_json::{Value, json};

use super::result::MAX_ECHO;
use crate::client::Client;
use crate::question::{Form, own_name};

/// Answers the questions of a call by the client.
pub(super) enum ByClient {
    /// The client is asked by a request.
    Request(Box<ClientPeer>),
    /// The client brought answers with a call that begins, by the names that its tool gives its questions. Each counts once, and none is an
    /// approval: nobody has seen what would be approved.
    Named(Mutex<InputResponses>),
    /// The answers of the client belong to questions that it was asked, and are in the request of the run.
    Nobody,
}

/// A client that is asked by requests.
pub(super) struct ClientPeer {
    pub(super) peer: Peer<RoleServer>,
    pub(super) client: Client,
    /// The time for an answer.
    pub(super) timeout: Duration,
    /// Why it gave no answer.
    pub(super) refusal: Arc<Mutex<Option<String>>>,
}

impl Answerer for ByClient {
    async fn answer(&self, question: Question) -> Option<Answer> {
        match self {
            Self::Request(asked) => {
                let wanted = Wanted::new(&question)?;
                if wanted.is_missing(&asked.client).is_some() {
                    return None;
                }
                let answer = ask(&asked.peer, asked.timeout, &question, &wanted).await;
                answer
                    .map_err(|reason| {
                        *asked.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
                    })
                    .ok()
            }
            Self::Named(responses) => {
                let name = own_name(&question).filter(|_| question.step().scope().is_empty())?;
                let response = responses.lock().unwrap_or_else(PoisonError::into_inner).remove(name)?;
                answer(&question, &response).ok()
            }
            Self::Nobody => None,
        }
    }
}

/// What was wrong with answers, by the keys of their questions. The client is asked these again.
pub(super) type Problems = BTreeMap<String, String>;

/// The answers that a client brought to the open questions of its call, which have these names, by the keys of the questions.
pub(super) fn answers(
    paused: &Paused,
    names: &[String],
    responses: &InputResponses,
) -> (Vec<(String, Answer)>, Problems) {
    let (mut answers, mut problems) = (Vec::new(), Problems::new());
    for (question, name) in paused.questions().iter().zip(names) {
        let Some(response) = responses.get(name) else { continue };
        match answer(question, response) {
            Ok(answer) => answers.push((question.key().to_owned(), answer)),
            Err(problem) => drop(problems.insert(question.key().to_owned(), problem)),
        }
    }
    (answers, problems)
}

/// The answer in a response.
///
/// # Errors
/// Returns what is wrong with it.
fn answer(question: &Question, response: &Value) -> Result<Answer, String> {
    let answer = Wanted::new(question).and_then(|wanted| wanted.read(response));
    let answer = answer.ok_or("the answer does not fit the form")?;
    question.check(&answer).map_err(|error| error.to_string())?;
    Ok(answer)
}

/// What a question wants of the client.
enum Wanted {
    /// A form, which a person fills in.
    Form(Form),
    /// A message of the client's model.
    Sampling(CreateMessageRequest),
    /// The folders of the client.
    Roots(ListRootsRequest),
}

impl Wanted {
    /// `None` for a request that MCP does not have, and for a form that is too long.
    fn new(question: &Question) -> Option<Self> {
        match question.kind() {
            QuestionKind::Approval
            | QuestionKind::Question
            | QuestionKind::External
            | QuestionKind::Component(_) => Form::new(question).map(Self::Form),
            QuestionKind::Caller(request) => Self::from_caller(request),
        }
    }

    fn from_caller(request: &CallerRequest) -> Option<Self> {
        let whole = json!({ "method": request.method(), "params": request.params() });
        match request.method() {
            "sampling/createMessage" => serde_json::from_value(whole).ok().map(Self::Sampling),
            "roots/list" => {
                serde_json::from_value(json!({ "method": request.method() })).ok().map(Self::Roots)
            }
            _ => None,
        }
    }

    /// The capability that the client lacks for it.
    fn is_missing(&self, client: &Client) -> Option<ClientCapabilities> {
        let mut missing = ClientCapabilities::default();
        match self {
            Self::Form(_) if !client.has_forms => {
                let form = FormElicitationCapability::default();
                missing.elicitation = Some(ElicitationCapability::new().with_form(form));
            }
            Self::Sampling(_) if !client.has_sampling => {
                missing.sampling = Some(SamplingCapability::default());
            }
            Self::Roots(_) if !client.has_roots => missing.roots = Some(RootsCapabilities::default()),
            Self::Form(_) | Self::Sampling(_) | Self::Roots(_) => return None,
        }
        Some(missing)
    }

    /// The request for a client that is asked while the call waits. `note` says what was wrong with an earlier answer.
    fn request(&self, note: Option<&str>) -> Result<ServerRequest, serde_json::Error> {
        Ok(match self {
            Self::Form(form) => ServerRequest::ElicitRequest(elicitation(form, note)?),
            Self::Sampling(request) => ServerRequest::CreateMessageRequest(request.clone()),
            Self::Roots(request) => ServerRequest::ListRootsRequest(request.clone()),
        })
    }

    /// The request in a result, with a note as [`Self::request`].
    fn input_request(&self, note: Option<&str>) -> Result<InputRequest, serde_json::Error> {
        Ok(match self {
            Self::Form(form) => InputRequest::Elicitation(elicitation(form, note)?),
            Self::Sampling(request) => InputRequest::CreateMessage(request.clone()),
            Self::Roots(request) => InputRequest::ListRoots(request.clone()),
        })
    }

    /// The answer in a response; `None` if it is no response to the request.
    fn read(&self, response: &Value) -> Option<Answer> {
        match self {
            Self::Form(form) => {
                let response: ElicitResult = serde_json::from_value(response.clone()).ok()?;
                match response.action {
                    // A form without required fields needs no content.
                    ElicitationAction::Accept => form.read(&response.content.unwrap_or_else(|| json!({}))),
                    ElicitationAction::Decline | ElicitationAction::Cancel => Some(form.declined()),
                    // A later version of the protocol.
                    _ => None,
                }
            }
            Self::Sampling(_) => response.get("content").map(|_| Answer::Value(response.clone())),
            Self::Roots(_) => response
                .get("roots")
                .filter(|roots| roots.is_array())
                .map(|_| Answer::Value(response.clone())),
        }
    }
}

fn elicitation(form: &Form, note: Option<&str>) -> Result<ElicitRequest, serde_json::Error> {
    let requested_schema: ElicitationSchema = serde_json::from_value(form.schema.clone())?;
    let note = note.map(|note| format!("\n({note})")).unwrap_or_default();
    let message = format!("{}{note}", form.message);
    Ok(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema,
    }))
}

/// Asks the client by a request, and once more if the answer does not fit.
///
/// # Errors
/// Returns the reason if it gives no answer.
async fn ask(
    peer: &Peer<RoleServer>,
    timeout: Duration,
    question: &Question,
    wanted: &Wanted,
) -> Result<Answer, String> {
    let mut note: Option<String> = None;
    for _ in 0..2 {
        let options = PeerRequestOptions::with_timeout(timeout);
        let request = wanted.request(note.as_deref()).map_err(|_| "it cannot be asked in MCP")?;
        let asked = peer.send_cancellable_request(request, options).await.map_err(no_answer)?;
        let response = match asked.await_response().await.map_err(no_answer)? {
            ClientResult::ElicitResult(response) => serde_json::to_value(response),
            ClientResult::CreateMessageResult(response) => serde_json::to_value(response),
            ClientResult::ListRootsResult(response) => serde_json::to_value(response),
            _ => return Err("the client gave a result of another form".to_owned()),
        };
        match answer(question, &response.unwrap_or_default()) {
            Ok(answer) => return Ok(answer),
            Err(problem) => note = Some(problem),
        }
    }
    Err(note.unwrap_or_default())
}

/// Why a client gave no answer.
#[expect(clippy::wildcard_enum_match_arm, reason = "in all other cases the connection has failed")]
fn no_answer(error: ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => {
            format!("the client answered with an error: {}", short(&error.message, MAX_ECHO))
        }
        ServiceError::Timeout { .. } => "the client did not answer in time".to_owned(),
        error => {
            tracing::warn!("a client did not answer a question: {error}");
            "the client did not answer".to_owned()
        }
    }
}

/// The requests for the open questions of a paused call, by these names.
///
/// # Errors
/// Returns an error if a question cannot be written in MCP.
pub(super) fn input_requests(
    paused: &Paused,
    names: &[String],
    problems: &Problems,
) -> Result<InputRequests, ErrorData> {
    let mut requests = BTreeMap::new();
    for (question, name) in paused.questions().iter().zip(names) {
        let problem = problems.get(question.key()).map(String::as_str);
        let request = Wanted::new(question).map(|wanted| wanted.input_request(problem));
        let Some(Ok(request)) = request else {
            tracing::error!("the question `{}` cannot be written in MCP", question.key());
            return Err(ErrorData::internal_error("a question of the call cannot be written in MCP", None));
        };
        requests.insert(name.clone(), request);
    }
    Ok(requests)
}

/// What the client lacks for the open questions of a paused call.
pub(super) fn missing_capabilities(paused: &Paused, client: &Client) -> Option<ClientCapabilities> {
    let mut questions = paused.questions().iter();
    questions.find_map(|question| Wanted::new(question)?.is_missing(client))
}

/// The answers that a client brought, if each of them is an object.
///
/// # Errors
/// Returns an error that names the first one that is not.
pub(super) fn checked(responses: Option<InputResponses>) -> Result<InputResponses, ErrorData> {
    let responses = responses.unwrap_or_default();
    match responses.iter().find(|(_, response)| !response.is_object()) {
        Some((key, _)) => {
            let key = short(key, MAX_ECHO);
            let text = format!("the input response `{key}` is not the result of the request: give an object");
            Err(ErrorData::invalid_params(text, None))
        }
        None => Ok(responses),
    }
}

/// The questions of a paused call that its client did not answer, and why.
pub(super) fn unasked(paused: &Paused, client: &Client, refusal: Option<String>) -> String {
    let questions = paused.questions().iter().map(|question| match Form::new(question) {
        Some(form) => form.message,
        None => format!("`{}` asks more than a person can read", question.tool_name()),
    });
    let reason = refusal.unwrap_or_else(|| match missing_capabilities(paused, client) {
        Some(missing) => {
            let missing = serde_json::to_value(missing).unwrap_or_default();
            let names: Vec<_> =
                missing.as_object().into_iter().flatten().map(|(name, _)| format!("`{name}`")).collect();
            format!("this client cannot ask for it ({})", names.join(", "))
        }
        None => "nobody gave one".to_owned(),
    });
    format!(
        "The call needs an answer, and {reason}. It did not run to its end. It asked:\n{}",
        questions.collect::<Vec<_>>().join("\n")
    )
}
