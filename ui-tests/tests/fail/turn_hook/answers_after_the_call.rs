use onionskin::model::ModelResponse;
use onionskin::turn_hook;

#[turn_hook(after_llm_call)]
fn trim(response: &mut ModelResponse) -> Option<ModelResponse> {
    Some(response.clone())
}

fn main() {}
