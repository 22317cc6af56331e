//! UI components of tools.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Where a component is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UiMode {
    /// In the conversation.
    #[default]
    Inline,
    /// Beside the conversation, in a separate panel.
    Artifact,
}

impl From<onionskin_vocabulary::agent::UiMode> for UiMode {
    fn from(word: onionskin_vocabulary::agent::UiMode) -> Self {
        match word {
            onionskin_vocabulary::agent::UiMode::Inline => Self::Inline,
            onionskin_vocabulary::agent::UiMode::Artifact => Self::Artifact,
        }
    }
}

/// The component of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UiTool {
    /// Its name in the front end.
    pub component: Cow<'static, str>,
    /// Where it is shown.
    pub mode: UiMode,
    /// Its page in HTML, for clients that show it by themselves.
    pub page: Option<Cow<'static, str>>,
}
