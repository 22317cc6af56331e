//! One import brings the function and the type, renamed, by glob, and inside a function.
use crate::parts::are_hooks;
use onionskin::tool_hook;

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

pub(crate) fn main() {
    #[tool_hook]
    fn local() {}

    are_hooks!(renamed, second, globbed::first, hooks::Third, hooks::Str, local);
    renamed();
    second();
    hooks::third();
    hooks::str();
    local();
}
