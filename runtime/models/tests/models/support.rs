//! What the tests of recordings share.

use std::path::Path;
use std::sync::{Arc, Mutex};

use onionskin::model::{
    Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall, ToolCallDelta, Usage,
};
use onionskin::models::{Cassette, CassetteError, CassetteModel};
use onionskin::{ScriptedModel, ScriptedTurn, agent, tool};
use serde_json::json;

/// Adds one to a number.
#[tool]
pub(crate) fn add_one(
    /// The number to add one to.
    x: i64,
) -> i64 {
    x + 1
}

agent! {
    /// Does sums.
    pub(crate) Clerk {
        instruction: "Do the sums that you are asked for with your tools.\nAnswer in one sentence.",
        function_tools: [add_one],
    }
}

/// The error of a test.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// A script for [`Clerk`].
pub(crate) fn script() -> ScriptedModel {
    ScriptedModel::turns([
        ScriptedTurn::call("add_one", json!({ "x": 41 })),
        ScriptedTurn::say("It is {last}."),
    ])
}

/// The pieces of an answer, and the answer or the error.
pub(crate) type Answered = (Vec<ModelDelta>, Result<ModelResponse, ModelError>);

/// Plays prepared results, whatever is asked: the pieces and the result of each request.
#[derive(Default)]
pub(crate) struct Prepared(Mutex<Vec<Answered>>);

impl Prepared {
    pub(crate) fn new(results: impl IntoIterator<Item = Answered>) -> Self {
        let mut results: Vec<_> = results.into_iter().collect();
        results.reverse();
        Self(Mutex::new(results))
    }
}

impl Model for Prepared {
    async fn respond(
        &self,
        _: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let Some((pieces, result)) = self.0.lock().unwrap().pop() else {
            return std::future::pending().await;
        };
        pieces.into_iter().for_each(deltas);
        // Children in parallel are all asked before one of them is answered.
        tokio::task::yield_now().await;
        result
    }
}

pub(crate) fn ask(text: &str) -> ModelRequest {
    ModelRequest::new([Message::user(text)])
}

/// The pieces and the result of a request.
pub(crate) async fn answer(model: &impl Model, request: &ModelRequest) -> Answered {
    let pieces = Arc::new(Mutex::new(Vec::new()));
    let result = model.respond(request, &mut |delta| pieces.lock().unwrap().push(delta)).await;
    let pieces = pieces.lock().unwrap().clone();
    (pieces, result)
}

/// Records what a test asks of a model.
pub(crate) async fn record<M: Model>(
    model: M,
    file: &Path,
    test: impl AsyncFnOnce(CassetteModel<M>) -> Result<(), Failure>,
) {
    Cassette::record(model, file).run(test).await.unwrap();
}

/// Replays a file for a test that is expected to fail. Returns the error of the recording.
pub(crate) async fn replay_error(
    file: &Path,
    test: impl AsyncFnOnce(CassetteModel<ScriptedModel>) -> Result<(), Failure>,
) -> CassetteError {
    let error = Cassette::replay(ScriptedModel::new(), file).run(test).await.unwrap_err();
    *error.downcast::<CassetteError>().unwrap()
}

pub(crate) fn text(piece: &str) -> ModelDelta {
    ModelDelta::Text(piece.to_owned())
}

pub(crate) fn call(id: &str, piece: &str) -> ModelDelta {
    ModelDelta::ToolCall(ToolCallDelta::new(id, "add_one", piece))
}

/// A streamed answer: all kinds of pieces, a text with several lines, two calls whose pieces alternate.
pub(crate) fn streamed() -> (Vec<ModelDelta>, ModelResponse) {
    let pieces = vec![
        ModelDelta::Usage(Usage::new(9, 0)),
        ModelDelta::Reasoning("Two ".to_owned()),
        ModelDelta::Reasoning("sums.".to_owned()),
        text("Wait:\n"),
        text("  I \u{1F980}\u{e4}"),
        text("dd."),
        call("a", ""),
        call("a", "{\"x\": "),
        call("b", "{\"x\": 2}"),
        call("a", "1}"),
        ModelDelta::Usage(Usage::new(9, 7)),
    ];
    let calls = [ToolCall::new("a", "add_one", "{\"x\": 1}"), ToolCall::new("b", "add_one", "{\"x\": 2}")];
    let mut response = ModelResponse::tool_calls(calls);
    response.text = String::from("Wait:\n  I \u{1F980}\u{e4}dd.");
    response.reasoning = Some("Two sums.".to_owned());
    response.usage = Usage::new(9, 7);
    response.provider_data = Some(json!({ "signature": "abc==", "order": [1, 0.5, null] }));
    response.model = Some("clerk-2026".to_owned());
    response.id = Some("msg_1".to_owned());
    (pieces, response)
}
