use onionskin::{ScriptedModel, agent};

struct Pool;

agent! { Clerk { instruction: "Answer." } }

fn main() {
    let pool = Pool;
    let _ = Clerk::builder().model(ScriptedModel::new()).provide(&pool);
}
