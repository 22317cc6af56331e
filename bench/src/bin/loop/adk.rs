//! adk-rust 2.3: an `LlmAgent` with a `#[tool]` in a `Runner`, with sessions in memory.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use adk_agent::LlmAgentBuilder;
use adk_core::{AdkError, Content, Llm, LlmRequest, LlmResponse, LlmResponseStream, Part};
use adk_runner::Runner;
use adk_rust_macros::tool;
use adk_session::{CreateRequest, InMemorySessionService, SessionService};
use futures_util::{FutureExt, StreamExt, stream};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::answers::{self, ANSWER, ARGUMENTS, INPUT, Ids, Shape, TOOL, think};
use super::{Loop, Prepared};

pub(crate) const LOOP: Loop = Loop { name: "adk", about: "adk-rust 2.3", make };

#[derive(Deserialize, JsonSchema)]
struct AddOneArgs {
    /// The number.
    x: i64,
}

/// Adds one.
#[tool]
async fn add_one(args: AddOneArgs) -> Result<Value, AdkError> {
    Ok(answers::add_one(args.x).await.into())
}

struct Fake {
    shape: Shape,
    ids: Ids,
}

#[async_trait::async_trait]
impl Llm for Fake {
    fn name(&self) -> &str {
        "fake"
    }

    async fn generate_content(&self, request: LlmRequest, _: bool) -> Result<LlmResponseStream, AdkError> {
        think(self.shape).await;
        let answered = request.contents.iter().filter(|content| content.role == "model").count();
        let parts = match self.ids.turn(answered) {
            Some(ids) => ids
                .iter()
                .map(|id| Part::FunctionCall {
                    name: TOOL.into(),
                    args: serde_json::from_str(ARGUMENTS).expect("the arguments are JSON"),
                    id: Some(id.clone()),
                    thought_signature: None,
                })
                .collect(),
            None => vec![Part::Text { text: ANSWER.into() }],
        };
        let response = LlmResponse::new(Content { role: "model".into(), parts });
        Ok(Box::pin(stream::iter([Ok(response)])))
    }
}

const APP: &str = "bench";
const USER: &str = "user";

async fn run(runner: &Runner, sessions: &InMemorySessionService, session: String) {
    let request = CreateRequest {
        app_name: APP.into(),
        user_id: USER.into(),
        session_id: Some(session.clone()),
        state: HashMap::new(),
    };
    sessions.create(request).await.expect("the session begins");
    let input = Content::new("user").with_text(INPUT);
    let mut events = runner.run_str(USER, &session, input).await.expect("the run begins");
    let mut answer = String::new();
    while let Some(event) = events.next().await {
        let event = event.expect("the run goes on");
        if let Some(Part::Text { text }) =
            event.llm_response.content.iter().flat_map(|content| &content.parts).next()
        {
            answer.clone_from(text);
        }
    }
    assert_eq!(answer, ANSWER);
}

fn make(shape: Shape) -> Prepared {
    let sessions = Arc::new(InMemorySessionService::new());
    let agent = LlmAgentBuilder::new("adder")
        .instruction("Add.")
        .model(Arc::new(Fake { shape, ids: Ids::new(shape) }))
        .tool(Arc::new(AddOne))
        .max_iterations(2_000)
        .build()
        .expect("the agent is built");
    let runner = Runner::builder()
        .app_name(APP)
        .agent(Arc::new(agent))
        .session_service(Arc::clone(&sessions) as _)
        .build()
        .expect("the runner is built");
    let shared = Rc::new((runner, sessions, Cell::new(0_u64)));
    Rc::new(move || {
        let shared = Rc::clone(&shared);
        async move {
            let (runner, sessions, number) = &*shared;
            number.set(number.get() + 1);
            run(runner, sessions, format!("session_{}", number.get())).await;
        }
        .boxed_local()
    })
}
