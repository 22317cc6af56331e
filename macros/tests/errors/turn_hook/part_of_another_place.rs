use onionskin::turn_hooks::TurnRequest;
use onionskin::turn_hook;

#[turn_hook(after_llm_call)]
fn trim(request: &mut TurnRequest) {
    todo!()
}

fn main() {}
