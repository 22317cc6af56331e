use onionskin::turn_hooks::TurnRequest;
use onionskin::turn_hook;

#[turn_hook(before_llm_call)]
fn trim(request: TurnRequest) {
    todo!()
}

fn main() {}
