//! The suite for models, for a model that is recorded and replayed for each request.

use std::path::PathBuf;
use std::sync::Mutex;

use onionskin::hooks::{CircuitBreaker, RateLimit};
use onionskin::model::{
    Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestOption, ToolCallDelta,
};
use onionskin::models::{Cassette, CassetteError, Circuit, Fallback, FirstTokenTimeout, Limited, Router};
use onionskin::testing::{Reply, Scenario, model_suite};
use tempfile::TempDir;

/// A model in this process, as a provider plays it.
struct Local(Scenario);

impl Model for Local {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let exchange = self.0.receive(&serde_json::to_string(request).unwrap());
        match exchange.reply() {
            Reply::Answer(answer) => {
                for piece in answer.text.split_inclusive(' ') {
                    deltas(ModelDelta::Text(piece.to_owned()));
                }
                for call in &answer.tool_calls {
                    let (id, name) = (call.id.clone(), call.name.clone());
                    deltas(ModelDelta::ToolCall(ToolCallDelta::new(id, name, &*call.arguments)));
                }
                deltas(ModelDelta::Usage(answer.usage));
                Ok(answer.clone())
            }
            Reply::Status { status, message, retry_after, .. } => {
                Err(ModelError::status(*status, message.clone(), *retry_after))
            }
            Reply::Break(text) => {
                deltas(ModelDelta::Text(text.clone()));
                Err(ModelError::transport("the connection broke"))
            }
            _ => std::future::pending().await,
        }
    }

    fn supports(&self, _: RequestOption) -> bool {
        true
    }
}

/// Records each request to a model in a file of its own, and answers with what a replay of the file answers.
struct Recorded {
    model: std::sync::Arc<Local>,
    folder: TempDir,
    files: Mutex<usize>,
}

impl Recorded {
    fn next_file(&self) -> PathBuf {
        let mut files = self.files.lock().unwrap();
        *files += 1;
        self.folder.path().join(format!("{files}.yaml"))
    }
}

impl Model for Recorded {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let file = self.next_file();
        let recorded = Cassette::record(self.model.clone(), &file)
            .run(async |model| Ok::<_, CassetteError>(model.respond(request, &mut |_| {}).await));
        let recorded = recorded.await.unwrap();
        let replayed = Cassette::replay(self.model.clone(), &file)
            .run(async |model| Ok::<_, CassetteError>(model.respond(request, deltas).await));
        let replayed = replayed.await.unwrap();
        assert_eq!(replayed, recorded);
        replayed
    }

    fn supports(&self, option: RequestOption) -> bool {
        self.model.supports(option)
    }
}

#[tokio::test]
async fn o3_wrappers_of_a_model_pass_the_suite() {
    let report = model_suite(|provider| async {
        let hour = std::time::Duration::from_hours(1);
        let model = FirstTokenTimeout::new(Local(provider), hour);
        let model = Circuit::new(model, CircuitBreaker::new(u32::MAX, hour));
        let limit = || RateLimit::new(u32::MAX, hour);
        Router::new("only", Fallback::new(Limited::new(model).requests(limit()).tokens(limit())))
    });
    let report = report.await;
    report.assert_passed();
    assert!(report.refused().is_empty(), "{report}");
}

#[tokio::test]
async fn o3_a_model_that_is_recorded_and_replayed_passes_the_suite() {
    let report = model_suite(|provider| async {
        let folder = tempfile::tempdir().unwrap();
        Recorded { model: Local(provider).into(), folder, files: Mutex::new(0) }
    });
    let report = report.await;
    report.assert_passed();
    assert!(report.refused().is_empty(), "{report}");
}
