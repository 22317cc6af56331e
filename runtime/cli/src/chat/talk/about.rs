//! What the chat shows of the agent and of the conversation.

use std::io;

use onionskin_core::text::thousands;

use super::{LEAST_COLUMNS, Next, Talk};
use crate::chat::terminal;
use crate::chat::turn::say;
use crate::signals::INTERRUPT;
use crate::text;

impl Talk<'_> {
    /// `12 messages`.
    pub(super) fn messages(&self) -> String {
        text::counted(self.session.history().len() as u64, "message")
    }

    pub(super) fn tools(&mut self) -> io::Result<()> {
        let tools = match self.app.entry().tool_definitions() {
            Ok(tools) => tools,
            Err(error) => {
                self.refuse(&error.to_string());
                return Ok(());
            }
        };
        if tools.is_empty() {
            return say("the agent has no tools");
        }
        let names: Vec<_> = tools.iter().map(|tool| text::first_line(&tool.name)).collect();
        let width = names.iter().map(|name| text::width(name)).max().unwrap_or_default();
        let room = terminal::size().0.saturating_sub(width + 2).max(LEAST_COLUMNS);
        for (name, tool) in names.iter().zip(tools.iter()) {
            let description = text::first_line(&tool.description);
            let lines = if self.streams.is_live {
                text::wrapped(&description, room, usize::MAX)
            } else {
                vec![description]
            };
            let space = " ".repeat(width - text::width(name));
            let between = format!("\n{}", " ".repeat(width + 2));
            say(format!("{name}{space}  {}", lines.join(&between)).trim_end())?;
        }
        Ok(())
    }

    /// Shows the prompt of the next run. A signal ends the wait for its parts.
    pub(super) async fn system(&mut self) -> io::Result<Next> {
        let prompt = self.app.entry().request("").session(&self.session).system_prompt();
        let prompt = tokio::select! {
            signal = self.signals.next() => {
                return Ok(if signal == INTERRUPT { Next::Continue } else { Next::Signal(signal) });
            }
            prompt = prompt => prompt,
        };
        match prompt {
            Ok(Some(prompt)) => say(&text::block(prompt.trim_end()))?,
            Ok(None) => say("the agent has no system prompt")?,
            Err(error) => self.refuse(&error.to_string()),
        }
        Ok(Next::Continue)
    }

    pub(super) fn usage(&self) -> io::Result<()> {
        match &self.last {
            Some(last) => say(&format!("last run: {last}"))?,
            None => say("last run: none")?,
        }
        say(&format!("conversation: {}", self.sum))?;
        if let Some(id) = self.stored_id() {
            let total = self.session.usage().total();
            let [read, written] = [total.input_tokens, total.output_tokens].map(thousands);
            say(&format!("session `{id}`: {read} tokens read, {written} written"))?;
        }
        Ok(())
    }
}
