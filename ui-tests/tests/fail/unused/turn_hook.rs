//! What nothing lists or calls is a warning, as it is for a function.
#![deny(missing_docs, unused, clippy::pedantic)]

use onionskin::model::ModelResponse;
use onionskin::turn_hooks::TurnRequest;
use onionskin::{agent, turn_hook};

#[turn_hook(before_llm_call)]
fn listed(request: &TurnRequest) -> Option<ModelResponse> {
    (request.turn() == 3).then(|| ModelResponse::text("enough"))
}

#[turn_hook(before_llm_call)]
fn forgotten(request: &TurnRequest) -> Option<ModelResponse> {
    (request.turn() == 3).then(|| ModelResponse::text("enough"))
}

agent! {
    /// Helps.
    Helper { instruction: "Help.", turn_hooks: [listed] }
}

fn main() {
    let _ = Helper::builder();
}
