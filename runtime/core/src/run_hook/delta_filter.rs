//! Filters for the text that a streamed run shows.

use std::sync::Arc;

use super::hook::DynRunHook;
use onionskin_tools::context::RunContext;
use onionskin_tools::onion::caught;

/// A filter for the text that a run shows while the model writes it; see
/// [`RunHook::delta_filter`](crate::run_hooks::RunHook::delta_filter).
///
/// A text arrives in pieces, and a match may begin in one piece and end in another. So a filter holds back
/// the end of the text until it can decide.
///
/// ```
/// use onionskin::run_hooks::DeltaFilter;
///
/// /// Shows whole lines only.
/// #[derive(Default)]
/// struct Lines {
///     begun: String,
/// }
///
/// impl DeltaFilter for Lines {
///     fn push(&mut self, text: &str) -> String {
///         self.begun.push_str(text);
///         let whole = self.begun.rfind('\n').map_or(0, |end| end + 1);
///         self.begun.drain(..whole).collect()
///     }
///
///     fn finish(&mut self) -> String {
///         std::mem::take(&mut self.begun)
///     }
/// }
///
/// let mut lines = Lines::default();
/// assert_eq!(lines.push("one\ntw"), "one\n");
/// assert_eq!(lines.push("o"), "");
/// assert_eq!(lines.finish(), "two");
/// ```
pub trait DeltaFilter: Send {
    /// Adds the next piece and returns the text to show now. A panic withholds the rest of the text.
    fn push(&mut self, text: &str) -> String;

    /// Returns the rest of the text to show, at its end.
    fn finish(&mut self) -> String;

    /// Called before the first piece if the text is JSON: a typed answer, or the arguments of a call. By
    /// default it does nothing.
    fn expect_json(&mut self) {}
}

/// The filters of a text, in the order of the hooks. `None`: one of them panicked.
pub(crate) struct DeltaFilters(Option<Vec<Box<dyn DeltaFilter>>>);

impl DeltaFilters {
    /// Creates the filters of the hooks.
    pub(crate) fn new(hooks: &[Arc<dyn DynRunHook>], run: &RunContext) -> Self {
        Self(caught(|| hooks.iter().filter_map(|hook| hook.delta_filter(run)).collect()).ok())
    }

    /// Whether there are no filters.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.as_ref().is_some_and(Vec::is_empty)
    }

    /// Tells the filters that the text is JSON.
    pub(crate) fn expect_json(mut self) -> Self {
        let done = self
            .0
            .as_mut()
            .map(|filters| caught(|| filters.iter_mut().for_each(|filter| filter.expect_json())));
        if let Some(Err(_)) = done {
            self.0 = None;
        }
        self
    }

    pub(crate) fn push(&mut self, piece: String) -> String {
        self.each(piece, |filter, piece| filter.push(&piece))
    }

    pub(crate) fn finish(&mut self) -> String {
        self.each(String::new(), |filter, piece| {
            let mut shown = if piece.is_empty() { piece } else { filter.push(&piece) };
            shown.push_str(&filter.finish());
            shown
        })
    }

    fn each(&mut self, piece: String, step: impl Fn(&mut Box<dyn DeltaFilter>, String) -> String) -> String {
        let Some(filters) = &mut self.0 else { return String::new() };
        let passed = caught(|| filters.iter_mut().fold(piece, |piece, filter| step(filter, piece)));
        passed.unwrap_or_else(|_| {
            self.0 = None;
            String::new()
        })
    }
}
