use std::cell::Cell;

use onionskin::{ScriptedModel, agent};

struct Pool {
    open: Cell<u32>,
}

agent! { Clerk { instruction: "Answer." } }

fn main() {
    let _ = Clerk::builder().model(ScriptedModel::new()).provide(Pool { open: Cell::new(1) });
}
