//! What a turn hook takes.
use onionskin::model::ModelRequest;
use onionskin::turn_hooks::TurnRequest;
use onionskin::turn_hook;

//~ a type that cannot be injected
struct Desk;

#[turn_hook(before_llm_call)]
fn trim(request: &mut TurnRequest, desk: Desk) { let _ = (request, desk); }

//~ another type of request
#[turn_hook(before_llm_call)]
fn other_type_of_request(request: &mut ModelRequest) { let _ = request; }

fn main() {}
