//! More hooks than the compiler's recursion limit holds without boxes between.
use crate::parts::add_one;
use onionskin::agent;

// A list has each hook once, and each of these is the same hook.
macro_rules! named {
    ($($name:ident)*) => { use crate::parts::{$(pass as $name),*}; };
}

named! {
    h00 h01 h02 h03 h04 h05 h06 h07 h08 h09 h10 h11 h12 h13 h14 h15 h16 h17
    h18 h19 h20 h21 h22 h23 h24 h25 h26 h27 h28 h29 h30 h31 h32 h33 h34 h35
}

agent! {
    Boss {
        instruction: "Lead.",
        function_tools: [add_one],
        tool_hooks: [
            h00, h01, h02, h03, h04, h05, h06, h07, h08, h09, h10, h11, h12, h13, h14, h15, h16, h17,
            h18, h19, h20, h21, h22, h23, h24, h25, h26, h27, h28, h29, h30, h31, h32, h33, h34, h35,
        ],
    }
}

pub(crate) fn main() {
    let _ = Boss::builder();
}
