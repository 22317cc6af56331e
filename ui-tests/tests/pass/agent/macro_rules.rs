//! Agents written by a macro.
use crate::parts::add_one;
use onionskin::{agent, tool_hook};

#[tool_hook]
fn watch(#[config] times: u8) {
    let _ = times;
}

macro_rules! workers {
    ($($name:ident: $text:literal, $tool:path, $hook:path, $times:expr;)*) => {$(
        agent! {
            $name {
                instruction: $text,
                function_tools: [$tool],
                tool_hooks: [$hook($times)],
                limits: { turns: $times },
            }
        }
    )*};
}

workers! {
    One: "One.", add_one, watch, 1;
    Two: "Two.", crate::agent::macro_rules::add_one, self::watch, 2;
}

pub(crate) fn main() {
    let _ = (One::builder(), Two::builder());
}
