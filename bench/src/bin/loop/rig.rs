//! rig 0.44: an agent with a `#[rig_tool]`, on a transport that answers in place of a provider.

use std::rc::Rc;
use std::sync::Arc;

use futures_util::{FutureExt, stream};
use rig::AgentBuilder;
use rig::completion::{AssistantContent, CompletionRequest, CompletionResponse, Usage};
use rig::driver::{Exchange, Model, Opened, Opening, Transport};
use rig::message::{Origin, ToolName};
use rig::rig_tool;
use rig::test_utils::{MOCK_API, MOCK_PROVIDER, MockFrame, MockScript};
use rig::tool::ToolExecutionError;

use super::answers::{self, ANSWER, ARGUMENTS, INPUT, Ids, Shape, TOOL, think};
use super::{Loop, Prepared};

pub(crate) const LOOP: Loop = Loop { name: "rig", about: "rig 0.44", make };

/// Adds one.
#[rig_tool(description = "Adds one.", params(x = "The number"), required(x))]
async fn add_one(x: i64) -> Result<i64, ToolExecutionError> {
    Ok(answers::add_one(x).await)
}

#[derive(Clone)]
struct Fake(Arc<(Shape, Ids)>);

impl Transport<MockScript> for Fake {
    fn send(&self, request: CompletionRequest, _: Exchange) -> Opening<MockFrame> {
        let Fake(fake) = self.clone();
        let answered = request
            .chat_history
            .iter()
            .filter(|message| matches!(message, rig::message::Message::Assistant { .. }))
            .count();
        Opening::new(async move {
            let (shape, ids) = &*fake;
            think(*shape).await;
            let choice = match ids.turn(answered) {
                Some(ids) => ids
                    .iter()
                    .map(|id| {
                        let arguments = serde_json::from_str(ARGUMENTS).expect("the arguments are JSON");
                        let name = ToolName::new(TOOL).expect("the name is one");
                        AssistantContent::tool_call(id.as_str(), name, arguments)
                    })
                    .collect(),
                None => vec![AssistantContent::text(ANSWER)],
            };
            let origin = Origin::new(MOCK_API, MOCK_PROVIDER, "");
            let response = CompletionResponse::new(choice, Usage::default(), origin, serde_json::Value::Null);
            Ok(Opened::new(stream::iter([Ok(MockFrame::Response(Box::new(response)))])))
        })
    }
}

fn make(shape: Shape) -> Prepared {
    let model = Model::new(MockScript::default(), Fake(Arc::new((shape, Ids::new(shape)))));
    let agent = AgentBuilder::new(model).preamble("Add.").tool(AddOne).build();
    Rc::new(move || {
        let run = agent.prompt(INPUT).max_turns(shape.turns + 1).tool_concurrency(shape.calls).run();
        async move { assert_eq!(run.await.expect("the run answers").output(), ANSWER) }.boxed_local()
    })
}
