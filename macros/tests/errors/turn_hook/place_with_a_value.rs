use onionskin::model::ModelResponse;
use onionskin::turn_hook;

#[turn_hook(after_llm_call = true)]
fn trim(response: &mut ModelResponse) {
    todo!()
}

fn main() {}
