use onionskin::turn_hooks::TurnRequest;
use onionskin::turn_hook;

#[turn_hook]
fn trim(request: &mut TurnRequest) {
    let _ = request;
}

fn main() {}
