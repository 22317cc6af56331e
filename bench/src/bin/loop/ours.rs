//! Ours: an agent with one tool, asked in a session of its own.

use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall};
use onionskin::{agent, tool};
use std::rc::Rc;

use super::answers::{self, ANSWER, ARGUMENTS, INPUT, Ids, Shape, TOOL, think};
use super::{Loop, Prepared};

pub(crate) const LOOP: Loop = Loop { name: "ours", about: "onionskin", make };

/// Adds one.
#[tool]
async fn add_one(
    /// The number.
    x: i64,
) -> i64 {
    answers::add_one(x).await
}

agent! {
    Adder { instruction: "Add.", function_tools: [add_one], limits: { turns: 2_000 } }
}

struct Fake {
    shape: Shape,
    ids: Ids,
}

impl Model for Fake {
    async fn respond(
        &self,
        request: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        think(self.shape).await;
        Ok(match self.ids.turn((request.messages.len() - 1) / 2) {
            Some(ids) => {
                ModelResponse::tool_calls(ids.iter().map(|id| ToolCall::new(id.as_str(), TOOL, ARGUMENTS)))
            }
            None => ModelResponse::text(ANSWER),
        })
    }
}

fn make(shape: Shape) -> Prepared {
    let model = Fake { shape, ids: Ids::new(shape) };
    let agent = tokio::runtime::Handle::current()
        .block_on(Adder::builder().model(model).build())
        .expect("the agent is built");
    Rc::new(move || {
        let agent = agent.clone();
        Box::pin(async move {
            assert_eq!(agent.run(INPUT).await.expect("the run answers").text, ANSWER);
        })
    })
}
