//! Tools of a toolbox as values.

use std::collections::BTreeMap;
use std::iter::repeat;

use super::ToolSpec;
use crate::tool::{SharedToolbox, Toolbox, disagreement};

/// The method `tools` of an owned toolbox. `use onionskin::toolbox` imports it together with the attribute.
/// An `Arc` of the object has the method without the trait, and is not consumed. `#[toolbox]` implements the
/// trait unless the type has its own method `tools`.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use std::sync::Arc;
/// use onionskin::{call, toolbox};
///
/// #[derive(Default)]
/// struct Counter(AtomicU32);
///
/// #[toolbox]
/// impl Counter {
///     /// Counts one more.
///     #[tool]
///     fn count(&self) -> u32 {
///         self.0.fetch_add(1, Ordering::Relaxed) + 1
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let counter = Arc::new(Counter::default());
/// let tools = counter.tools();
/// assert_eq!(call!(tools["count"]).await.unwrap(), 1);
/// assert_eq!(counter.count(), 2);
///
/// let tools = Counter::default().tools();
/// assert_eq!(call!(tools["count"]).await.unwrap(), 1);
/// # });
/// ```
pub trait ToolboxTools: Toolbox {
    /// The tools as values, by name. They share the object.
    ///
    /// # Panics
    /// As [`ToolSpec::new`].
    fn tools(self) -> BTreeMap<String, ToolSpec> {
        ToolSpec::from_toolbox(self)
    }
}

impl ToolSpec {
    /// The methods of a toolbox as values, by name. They share the object.
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use onionskin::{ToolSpec, call, toolbox};
    ///
    /// #[derive(Default)]
    /// struct Notes(Mutex<Vec<String>>);
    ///
    /// #[toolbox]
    /// impl Notes {
    ///     /// Keeps a note.
    ///     #[tool]
    ///     fn add(&self, text: String) -> usize {
    ///         let mut notes = self.0.lock().unwrap();
    ///         notes.push(text);
    ///         notes.len()
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let tools = ToolSpec::from_toolbox(Notes::default());
    /// assert_eq!(call!(tools["add"], text = "a").await.unwrap(), 1);
    /// assert_eq!(call!(tools["add"].clone(), text = "b").await.unwrap(), 2);
    /// # });
    /// ```
    ///
    /// # Panics
    /// As [`Self::new`]; also if the lists of a hand-written toolbox disagree.
    pub fn from_toolbox<S: SharedToolbox>(toolbox: S) -> BTreeMap<String, Self> {
        let sources = S::Toolbox::SOURCES.iter().copied().flatten().copied().map(Some).chain(repeat(None));
        let bound = Toolbox::bound(&toolbox.share());
        if let Some(problem) = disagreement::<S::Toolbox>(&bound) {
            panic!("the lists of the toolbox `{}` differ: {problem}", S::Toolbox::NAME);
        }
        let specs = bound.into_iter().zip(sources).map(|(tool, source)| {
            let spec = Self::from_dyn(tool);
            match source {
                Some(source) => spec.with_code(source),
                None => spec,
            }
        });
        specs.map(|spec| (spec.name().to_owned(), spec)).collect()
    }
}
