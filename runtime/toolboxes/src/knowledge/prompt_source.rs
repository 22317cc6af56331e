//! Passages of a knowledge base as a part of a system prompt.

use std::sync::Arc;

use onionskin_core::made::HookTools;
use onionskin_core::prompt::PromptSource;
use onionskin_core::servers::BoxError;
use onionskin_core::{RunContext, toolbox};

use super::{KnowledgeBase, KnowledgeError, MOST_HITS, SearchHit};
use crate::one_line;

/// The characters of a message that are looked for.
const WORDS: usize = 1_000;

/// The search as a tool that the source brings.
struct Searched(Arc<KnowledgeBase>);

#[toolbox]
impl Searched {
    /// Finds documents of the knowledge base by their words, the best first, each with the piece of its text that fits
    /// best.
    ///
    /// # Errors
    /// If there is no word in the query, or the file cannot be read.
    #[tool(
        blocking,
        effect = pure,
        annotations(read_only, open_world = false),
        instructions = "The passages in `<knowledge>` fit the newest message. Search the knowledge base for what they leave out."
    )]
    fn search_knowledge(
        &self,
        /// Words that the document may hold, such as its subject and names.
        #[arg(length(1..=1000), example = "tides moon")]
        query: &str,
        /// How many documents to give.
        #[arg(default = 10, range(1..=MOST_HITS))]
        limit: u32,
    ) -> Result<Vec<SearchHit>, KnowledgeError> {
        self.0.search(query, limit)
    }
}

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
            .map(|SearchHit { id, title, piece, .. }| {
                format!("{} (document {id}):\n{}", one_line(title), one_line(piece))
            })
            .collect();
        Ok(Some(passages.join("\n\n")))
    }

    fn tools(&self, tools: &mut HookTools) {
        tools.add_toolbox(Searched(Arc::clone(&self.base)));
    }
}
