//! Passages of a knowledge base as a part of a system prompt.

use std::sync::Arc;

use onionskin_core::RunContext;
use onionskin_core::prompt::PromptSource;
use onionskin_core::servers::BoxError;

use super::{KnowledgeBase, KnowledgeError};

/// The characters of a message that are looked for.
const WORDS: usize = 1_000;

/// The source that [`KnowledgeBase::passages`] makes.
pub(super) struct Passages {
    pub(super) base: Arc<KnowledgeBase>,
    pub(super) most: u32,
}

impl PromptSource for Passages {
    async fn text(&self, run: &RunContext) -> Result<Option<String>, BoxError> {
        let messages = run.messages();
        let question = messages.iter().rfind(|message| message.is_input());
        let Some(question) =
            question.map(|message| message.to_text().chars().take(WORDS).collect::<String>())
        else {
            return Ok(None);
        };
        let (base, most) = (Arc::clone(&self.base), self.most);
        // A search reads a file, and waits while another program writes it.
        let found = tokio::task::spawn_blocking(move || base.search(&question, most)).await?;
        let found = match found {
            Ok(found) if !found.is_empty() => found,
            Ok(_) | Err(KnowledgeError::NoWords) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let passages: Vec<_> = found
            .iter()
            .map(|found| format!("{} (document {}):\n{}", found.title, found.id, found.piece))
            .collect();
        Ok(Some(passages.join("\n\n")))
    }
}
