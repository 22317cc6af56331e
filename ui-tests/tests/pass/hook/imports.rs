//! One import brings the function and the type, renamed, by glob, and inside a function.
use onionskin::{Hook, tool_hook};

mod hooks {
    use onionskin::tool_hook;

    #[tool_hook]
    pub fn first() {}

    #[tool_hook]
    pub(crate) fn second() {}

    #[tool_hook(type_name = Third)]
    pub fn third() {}

    #[tool_hook(type_name = Str)]
    pub fn str() {}
}

mod globbed {
    pub use super::hooks::*;
}

use globbed::second;
use hooks::first as renamed;

fn is_hook<H: Hook>() {}

pub(crate) fn main() {
    #[tool_hook]
    fn local() {}

    is_hook::<renamed>();
    is_hook::<second>();
    is_hook::<globbed::first>();
    is_hook::<hooks::Third>();
    is_hook::<hooks::Str>();
    is_hook::<local>();
    renamed();
    second();
    hooks::third();
    hooks::str();
    local();
}
