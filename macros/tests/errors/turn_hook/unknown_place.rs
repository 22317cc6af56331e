use onionskin::turn_hooks::TurnRequest;
use onionskin::turn_hook;

#[turn_hook(before_llm_cal)]
fn trim(request: &mut TurnRequest) {
    todo!()
}

fn main() {}
