use onionskin::turn_hooks::TurnRequest;
use onionskin::turn_hook;

struct Desk;

#[turn_hook(before_llm_call)]
fn trim(request: &mut TurnRequest, desk: Desk) {
    let _ = (request, desk);
}

fn main() {}
