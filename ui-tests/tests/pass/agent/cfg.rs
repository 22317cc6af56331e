use crate::parts::add_one;
use onionskin::{agent, tool_hook};

#[tool_hook]
fn watch() {}

agent! {
    #[cfg(any())]
    Off { instruction: "Off.", function_tools: [missing] }

    #[cfg(all())]
    Helper {
        instruction: "Help.",
        function_tools: [#[cfg(any())] missing, #[cfg(all())] add_one],
        agents: [#[cfg(any())] Off],
        tool_hooks: [#[cfg(any())] missing, #[cfg(all())] watch, #[cfg(any())] missing for [add_one], watch],
    }
}

pub(crate) fn main() {
    let _ = onionskin::run::ToolCaller::<Helper>::new();
}
