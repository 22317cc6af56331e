//! Where a tool has what it works on from.

use onionskin_core::{Exit, ToolContext, ToolError, ToolResult};

pub(crate) enum Source<T> {
    /// The tool was made with it.
    Own(T),
    /// The program provides it as a service, or else this is taken.
    Provided(Result<T, String>),
}

impl<T: Clone + Send + Sync + 'static> Source<T> {
    pub(crate) fn resolve(&self, cx: &ToolContext) -> ToolResult<T> {
        match self {
            Self::Own(own) => Ok(own.clone()),
            Self::Provided(default) => match cx.provided::<T>() {
                Ok(provided) => Ok((*provided).clone()),
                Err(_) => default.clone().map_err(|error| Exit::Tool(ToolError::new(error))),
            },
        }
    }
}
