//! Keeps what a program shows: its log, its journal, what a model writes.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use onionskin::ScriptedModel;
use onionskin::journal::{Journal, JournalError, Step, StepRecord, StepWork};
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use super::logged::Logged;

/// Keeps everything that is logged, at every level.
pub(crate) fn log() -> Logged {
    let logged = Logged::default();
    let writer = logged.clone();
    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::TRACE)
        .with_span_events(FmtSpan::FULL)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .init();
    logged
}

/// A journal of everything that is recorded.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<String>>);

impl Recorder {
    pub(crate) fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

impl Journal for Recorder {
    fn step<'a>(
        &'a self,
        step: &'a Step,
        work: StepWork<'a>,
    ) -> BoxFuture<'a, Result<StepRecord, JournalError>> {
        Box::pin(async move {
            let record = work().await?;
            let text = serde_json::to_string(&record).unwrap();
            self.0.lock().unwrap().push_str(&format!("{step} {text}\n"));
            Ok(record)
        })
    }
}

/// Plays a script, and writes its text and its reasoning character by character.
pub(crate) struct Chatty(pub(crate) Arc<ScriptedModel>);

impl Model for Chatty {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let mut response = self.0.respond(request, &mut |_| {}).await?;
        for c in response.text.chars() {
            deltas(ModelDelta::Text(c.to_string()));
            deltas(ModelDelta::Reasoning(c.to_string()));
        }
        response.reasoning = Some(response.text.clone());
        Ok(response)
    }
}
