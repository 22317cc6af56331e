use onionskin::turn_hooks::TurnRequest;
use onionskin::{agent, turn_hook};

#[turn_hook(before_llm_call)]
fn trim(request: &mut TurnRequest) {
    let _ = request;
}

agent! {
    Clerk {
        instruction: "Answer.",
        turn_hooks: [trim(7)],
    }
}

fn main() {}
