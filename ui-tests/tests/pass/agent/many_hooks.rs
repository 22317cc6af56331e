//! More hooks than the compiler's recursion limit holds without boxes between.
use crate::parts::{add_one, pass};
use onionskin::agent;

agent! {
    Boss {
        instruction: "Lead.",
        function_tools: [add_one],
        tool_hooks: [
            pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass,
            pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass,
            pass, pass, pass, pass,
        ],
    }
}

pub(crate) fn main() {
    let _ = Boss::builder();
}
