use onionskin::run_hooks::{RunHook, RunInput};
use onionskin::{agent, made};

struct Check;

impl RunHook for Check {
    type Made = made::AtRunTime;
}

agent! {
    Clerk {
        instruction: "Answer.",
        run_hooks: [Check],
    }
}

fn main() {
    let _ = RunInput::default();
}
