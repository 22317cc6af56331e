use onionskin::turn_hooks::TurnRequest;
use onionskin::{run_hook, turn_hook};

#[turn_hook(before_llm_call)]
#[run_hook(pre)]
fn trim(request: &mut TurnRequest) {
    todo!()
}

fn main() {}
