//! Asks the model of a case, and looks at what its provider saw.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::pieces::Pieces;
use super::scenario::Scenario;
use onionskin_tools::model::{Model, ModelError, ModelRequest, ModelResponse, RequestOption};

/// How long the provider may take to see that a request has ended.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why a case did not pass.
pub(super) enum Failure {
    Refused(RequestOption),
    NotShown(&'static str),
    Wrong(String),
}

pub(super) type Check<T = ()> = Result<T, Failure>;

pub(super) fn wrong<T>(reason: impl Into<String>) -> Check<T> {
    Err(Failure::Wrong(reason.into()))
}

/// Fails with the reason if the condition does not hold.
pub(super) fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { wrong(reason()) }
}

pub(super) struct Probe<'p, M> {
    pub(super) model: &'p M,
    pub(super) scenario: &'p Scenario,
}

impl<M: Model> Probe<'_, M> {
    /// Asks, and checks that the pieces of the answer add up to it.
    pub(super) async fn ask(&self, request: &ModelRequest) -> Check<ModelResponse> {
        self.ask_in_pieces(request).await.map(|(response, _)| response)
    }

    /// As [`ask`](Self::ask), and the pieces.
    pub(super) async fn ask_in_pieces(&self, request: &ModelRequest) -> Check<(ModelResponse, Pieces)> {
        match self.respond(request).await? {
            Ok(answered) => Ok(answered),
            Err(error) => wrong(format!("the model failed: {error}")),
        }
    }

    async fn respond(&self, request: &ModelRequest) -> Check<Result<(ModelResponse, Pieces), ModelError>> {
        let mut pieces = Pieces::default();
        let response = match self.model.respond(request, &mut |delta| pieces.add(delta)).await {
            Ok(response) => response,
            Err(error) => return Ok(Err(error)),
        };
        pieces.check(&response)?;
        Ok(Ok((response, pieces)))
    }

    /// Asks with an option that the model may refuse.
    pub(super) async fn ask_with(
        &self,
        option: RequestOption,
        request: &ModelRequest,
    ) -> Check<ModelResponse> {
        let refused = match request.params.check(self.model, request.model.as_deref()) {
            Ok(()) => self.respond(request).await?,
            Err(error) => Err(error),
        };
        match refused {
            Ok((response, _)) => Ok(response),
            Err(ModelError::Unsupported { option: refused, .. }) if refused == option => {
                self.requests(0)?;
                Err(Failure::Refused(option))
            }
            Err(error) => wrong(format!("the model failed: {error}")),
        }
    }

    /// Whether the provider gets another request if the model gets this other one. Both have the options of the first.
    pub(super) async fn distinguishes(&self, request: &ModelRequest, other: &ModelRequest) -> Check<bool> {
        let first = self.scenario.recorded().borrow().requests.len();
        for request in [request, request, other] {
            match request.params.options().next() {
                Some(option) => self.ask_with(option, request).await?,
                None => self.ask(request).await?,
            };
        }
        let (sent, again, changed) = (self.sent(first)?, self.sent(first + 1)?, self.sent(first + 2)?);
        Ok(differs(&sent.json, &again.json, &changed.json))
    }

    /// Asks what must fail.
    pub(super) async fn fail(&self, request: &ModelRequest) -> Check<ModelError> {
        match self.model.respond(request, &mut |_| {}).await {
            Err(error) => Ok(error),
            Ok(response) => wrong(format!("the model must fail, but it answered {:?}", response.text)),
        }
    }

    /// Checks how many requests the provider got.
    pub(super) fn requests(&self, expected: usize) -> Check {
        let got = self.scenario.recorded().borrow().requests.len();
        ensure(got == expected, || format!("the provider got {got} requests, not {expected}"))
    }

    /// The request of this index, counted from 0.
    pub(super) fn sent(&self, index: usize) -> Check<Sent> {
        match self.scenario.recorded().borrow().requests.get(index) {
            Some(text) => Ok(Sent::new(text)),
            None => wrong(format!("the provider got no request {}", index + 1)),
        }
    }

    /// Waits until the provider got a request.
    pub(super) async fn received(&self) -> Check {
        let mut recorded = self.scenario.recorded();
        let received = recorded.wait_for(|recorded| !recorded.requests.is_empty());
        match tokio::time::timeout(PATIENCE, received).await {
            Ok(Ok(_)) => Ok(()),
            _ => wrong(format!("the provider got no request within {PATIENCE:?}")),
        }
    }

    /// Waits until the provider works on no request.
    pub(super) async fn ended(&self) -> Check {
        let mut recorded = self.scenario.recorded();
        match tokio::time::timeout(PATIENCE, recorded.wait_for(|recorded| recorded.open == 0)).await {
            Ok(Ok(_)) => Ok(()),
            _ => wrong(format!("the request still ran {PATIENCE:?} after its future was dropped")),
        }
    }
}

/// Whether the value differs in a place where the first two are equal. Where they are not, each request differs, for example in
/// an id of its own.
fn differs(first: &Value, again: &Value, value: &Value) -> bool {
    match (first, again, value) {
        _ if first == again => value != first,
        (Value::Object(first), Value::Object(again), Value::Object(fields))
            if first.keys().eq(again.keys()) =>
        {
            let differs =
                |(name, field)| fields.get(name).is_none_or(|value| differs(field, &again[name], value));
            fields.len() != first.len() || first.iter().any(differs)
        }
        (Value::Array(first), Value::Array(again), Value::Array(items)) if first.len() == again.len() => {
            let mut places = first.iter().zip(again).zip(items);
            items.len() != first.len() || places.any(|((first, again), value)| differs(first, again, value))
        }
        _ => false,
    }
}

/// A request as the provider got it.
pub(super) struct Sent {
    pub(super) whole: Arc<str>,
    /// The same as a value, in which the order of fields does not count.
    json: Value,
    /// All its texts and names, in order.
    texts: Vec<String>,
    numbers: Vec<f64>,
}

impl Sent {
    fn new(whole: &Arc<str>) -> Self {
        let json = serde_json::from_str(whole).unwrap_or_else(|_| Value::from(&**whole));
        let mut sent =
            Self { whole: Arc::clone(whole), json: Value::Null, texts: Vec::new(), numbers: Vec::new() };
        sent.collect(&json);
        Self { json, ..sent }
    }

    fn collect(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                self.texts.push(text.clone());
                // Arguments of calls are JSON in a text.
                if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
                    self.collect(&inner);
                }
            }
            Value::Number(number) => self.numbers.extend(number.as_f64()),
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Object(fields) => {
                for (name, field) in fields {
                    self.texts.push(name.clone());
                    self.collect(field);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// The position of the first text from `start` on that contains this one.
    fn find(&self, text: &str, start: usize) -> Option<usize> {
        self.texts.iter().skip(start).position(|sent| sent.contains(text)).map(|at| at + start)
    }

    /// Checks that the request contains these texts.
    pub(super) fn has(&self, what: &str, texts: &[&str]) -> Check {
        match texts.iter().find(|text| self.find(text, 0).is_none()) {
            Some(text) => wrong(format!("the request does not have the {what} {text:?}: {}", self.whole)),
            None => Ok(()),
        }
    }

    /// Checks that the request contains these texts in this order.
    pub(super) fn has_in_order(&self, what: &str, texts: &[String]) -> Check {
        let mut start = 0;
        for text in texts {
            match self.find(text, start) {
                Some(at) => start = at + 1,
                None => return wrong(format!("the request does not have the {what} {text:?} in its place")),
            }
        }
        Ok(())
    }

    /// How often a text or a name is one of these words, in small letters.
    pub(super) fn count(&self, words: &[&str]) -> usize {
        let is_one = |text: &&String| words.iter().any(|word| text.eq_ignore_ascii_case(word));
        self.texts.iter().filter(is_one).count()
    }

    pub(super) fn has_number(&self, what: &str, number: f64) -> Check {
        let has = self.numbers.iter().any(|sent| (sent - number).abs() < 1e-6);
        ensure(has, || format!("the request does not have the {what} {number}: {}", self.whole))
    }
}
