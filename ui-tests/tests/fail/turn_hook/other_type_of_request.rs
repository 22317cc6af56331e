use onionskin::model::ModelRequest;
use onionskin::turn_hook;

#[turn_hook(before_llm_call)]
fn trim(request: &mut ModelRequest) {
    let _ = request;
}

fn main() {}
