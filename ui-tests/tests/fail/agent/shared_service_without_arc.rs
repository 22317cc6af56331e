use onionskin::{ScriptedModel, agent};

struct Pool;

agent! { Clerk { instruction: "Answer." } }

fn main() {
    let _ = Clerk::builder().model(ScriptedModel::new()).provide_shared(Pool);
}
