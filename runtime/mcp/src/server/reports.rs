//! What people learn of the server.

use std::collections::VecDeque;

use super::Server;
use crate::mutex::lock;
use crate::restart::Restart as _;

/// Up to this number, tools that are left out or rewritten are reported one by one.
const MAX_REPORTED_TOOLS: usize = 8;
/// Only the latest news are kept, up to this number.
const NEWS: usize = 64;

/// News for people, numbered, so that each agent reports each of them once.
#[derive(Default)]
pub(crate) struct News {
    texts: VecDeque<String>,
    /// The number of the first text.
    first: u64,
}

impl News {
    pub(super) fn add(&mut self, text: String) {
        self.texts.push_back(text);
        if self.texts.len() > NEWS {
            self.texts.pop_front();
            self.first += 1;
        }
    }
}

impl Server {
    /// The news since this number, which is updated.
    pub(crate) fn news(&self, reported: &mut u64) -> Vec<String> {
        let news = lock(&self.news);
        let skip = usize::try_from(reported.saturating_sub(news.first)).unwrap_or(usize::MAX);
        *reported = news.first + news.texts.len() as u64;
        news.texts.iter().skip(skip).cloned().collect()
    }

    /// Reports that the server does not declare what it has.
    pub(super) fn report_undeclared(&self, tools: usize) {
        self.report_once(&match tools {
            0 => format!("the MCP server `{}` declares no tools, and lists none", self.name),
            _ => format!(
                "the MCP server `{}` lists tools and does not declare that it has some; they are used",
                self.name
            ),
        });
    }

    /// Reports that a changed list could not be read, unless the previous report says the same.
    pub(super) fn report_unlisted(&self, reason: String, reported: &mut Option<String>) {
        let reason = self.secrets.hide(reason);
        if reported.as_ref() != Some(&reason) {
            self.report(format!(
                "the MCP server `{}` changed its tools and could not list them: {reason}; the tools that it had are kept",
                self.name
            ));
            *reported = Some(reason);
        }
    }

    pub(super) fn report_odd(&self, odd: &[String]) {
        for text in odd.iter().take(MAX_REPORTED_TOOLS) {
            self.report(format!("the MCP server `{}`: {}", self.name, self.secrets.hide(text)));
        }
        if let Some(more) = odd.len().checked_sub(MAX_REPORTED_TOOLS).filter(|more| *more > 0) {
            self.report(format!(
                "the MCP server `{}`: {more} more tools are left out or rewritten",
                self.name
            ));
        }
    }

    /// Reports a message for people, unless they have it.
    pub(super) fn note(&self, text: &str) {
        let text = self.secrets.hide(text);
        if self.report_once(&text) {
            tracing::warn!(server = &*self.name, "{text}");
        }
    }

    /// Adds a message for users to the server's news, unless they have it. Returns whether it is new.
    pub(crate) fn report_once(&self, text: &str) -> bool {
        let mut news = lock(&self.news);
        let is_new = !news.texts.iter().any(|known| known == text);
        if is_new {
            news.add(text.to_owned());
        }
        is_new
    }
}
