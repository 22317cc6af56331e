//! The items of the program that cards can name.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use onionskin_cards::{normal, plain_path};
use onionskin_core::{hooks, turn_hooks};
use onionskin_guardrails as guardrails;
use onionskin_hooks::cards as ready;

use crate::items::Items;
use crate::registered_item::RegisteredItem;
use crate::values::at_least;

/// The tools, hooks, types and functions of the program that cards can name.
///
/// The program lists them. Nothing collects them by itself, as the crate `inventory` would: a list runs no code before `main`, holds values
/// that the program configures and types with generic arguments, says in one place which items of the program the authors of cards can name, and
/// the linker drops what no list names. Cards name three things beside it: servers, built-in tools whose features are on, and, with the feature
/// `rhai`, scripts. So load only cards whose authors you trust with these.
///
/// An item belongs to a file, as cards name it, `tools.rs:add_one`, or to a module, `crate::tools::add_one`. The path of the file is that
/// of the cards: it begins at the base folder of the [`CardLoader`](crate::CardLoader), so equal names in two folders are two items. The
/// file itself is not read, and does not have to exist.
///
/// The ready hooks are registered already, by their paths: `::onionskin::hooks::log`, `timing`, `retry`, `timeout`, `rate_limit`, `circuit_breaker`,
/// `concurrency`, `require_approval`, `dedupe`, `clamp_argument`, `redact`, `cache_results`, `spill` and its tool `read_spilled`;
/// `::onionskin::turn_hooks::last_inputs`, `last_tokens`, `choose_tool` and `summarize_above`; `::onionskin::guardrails::max_input`, `max_answer`, `max_args`, `max_output`,
/// `MaskPii`, `RejectPii` and `RejectInjection`.
///
/// ```
/// use onionskin::loader::Registry;
/// use onionskin::{Args, Next, ToolContext, ToolResult, tool, tool_hook};
///
/// /// Adds one to a number.
/// #[tool]
/// fn add_one(x: i64) -> i64 {
///     x + 1
/// }
///
/// /// Marks long results.
/// #[tool_hook]
/// async fn mark(#[config] above: usize, ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
///     let mut output = next.run(args).await?;
///     if output.to_text().len() > above {
///         output.push_text(format!(" [{}]", ctx.tool_name()));
///     }
///     Ok(output)
/// }
///
/// let registry = Registry::new()
///     .file("cards/tools.rs", |items| items.tool::<add_one>())
///     .file("cards/hooks.rs", |items| items.tool_hook::<mark>())
///     .module("crate::tools", |items| items.tool::<add_one>().called("plus_one"));
/// # let _ = registry;
/// ```
#[derive(Clone)]
pub struct Registry {
    pub(crate) files: BTreeMap<String, BTreeMap<String, RegisteredItem>>,
    /// By paths, without the `::` before a crate.
    pub(crate) paths: BTreeMap<String, RegisteredItem>,
    /// Why the program can have no items of Rust.
    pub(crate) without_rust: Option<String>,
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Registry {
    /// Makes a registry that has the ready hooks only.
    pub fn new() -> Self {
        Self { files: BTreeMap::new(), paths: BTreeMap::new(), without_rust: None }
            .module("::onionskin::hooks", |items| {
                items
                    .tool_hook::<hooks::log>()
                    .tool_hook::<hooks::timing>()
                    .tool_hook::<hooks::retry>()
                    .checked(|values| {
                        at_least(
                            2,
                            values,
                            "a `retry` of fewer than 2 attempts repeats nothing: allow at least 2",
                        )
                    })
                    .card_hook::<ready::timeout>()
                    .card_hook::<ready::rate_limit>()
                    .card_hook::<ready::circuit_breaker>()
                    .card_hook::<onionskin_hooks::concurrency>()
                    .card_hook::<ready::require_approval>()
                    .tool_hook::<onionskin_hooks::dedupe>()
                    .card_hook::<ready::clamp_argument>()
                    .card_hook::<ready::redact>()
                    .card_hook::<ready::cache_results>()
                    .for_pure()
                    .card_hook::<onionskin_hooks::spill>()
                    .tool::<onionskin_hooks::read_spilled>()
            })
            .module("::onionskin::turn_hooks", |items| {
                items
                    .turn_hook::<turn_hooks::last_inputs>()
                    .checked(|values| {
                        at_least(1, values, "`last_inputs` of 0 leaves no message: send at least 1")
                    })
                    .turn_hook::<turn_hooks::last_tokens>()
                    .checked(|values| {
                        at_least(
                            1,
                            values,
                            "`last_tokens` of 0 leaves no message: write the number of tokens",
                        )
                    })
                    .turn_hook::<turn_hooks::choose_tool>()
                    .turn_hook::<turn_hooks::summarize_above>()
                    .checked(|values| {
                        at_least(
                            1,
                            values,
                            "`summarize_above` of 0 leaves nothing to summarize: write the number of tokens",
                        )
                    })
            })
            .module("::onionskin::guardrails", |items| {
                items
                    .run_hook::<guardrails::max_input>()
                    .checked(|values| {
                        at_least(1, values, "a `max_input` of 0 refuses every input: allow some characters")
                    })
                    .run_hook::<guardrails::max_answer>()
                    .checked(|values| {
                        at_least(1, values, "a `max_answer` of 0 refuses every answer: allow some characters")
                    })
                    .input_guardrail::<guardrails::max_args>()
                    .checked(|values| {
                        at_least(1, values, "a `max_args` of 0 refuses every text: allow some characters")
                    })
                    .output_guardrail::<guardrails::max_output>()
                    .checked(|values| {
                        at_least(
                            1,
                            values,
                            "a `max_output` of 0 withholds every result: allow some characters",
                        )
                    })
                    .run_hook::<guardrails::MaskPii>()
                    .input_guardrail::<guardrails::MaskPii>()
                    .output_guardrail::<guardrails::MaskPii>()
                    .run_hook::<guardrails::RejectPii>()
                    .input_guardrail::<guardrails::RejectPii>()
                    .output_guardrail::<guardrails::RejectPii>()
                    .run_hook::<guardrails::RejectInjection>()
                    .input_guardrail::<guardrails::RejectInjection>()
                    .output_guardrail::<guardrails::RejectInjection>()
            })
    }

    /// Registers items of a file: `file("cards/tools.rs", |items| items.tool::<add_one>())`. The path begins at the base folder of the
    /// loader, with `/` between its parts. Items of several calls for one file are put together.
    #[must_use]
    pub fn file(mut self, file: &str, items: impl FnOnce(&mut Items) -> &mut Items) -> Self {
        let mut listed = Items::default();
        items(&mut listed);
        let file = normal(Path::new(file)).to_string_lossy().into_owned();
        self.files.entry(file).or_default().extend(listed.entries);
        self
    }

    /// Registers items of a module: `module("crate::tools", |items| items.tool::<add_one>())`. Cards name them by their paths, and agents of
    /// the program too.
    #[must_use]
    pub fn module(mut self, path: &str, items: impl FnOnce(&mut Items) -> &mut Items) -> Self {
        let mut listed = Items::default();
        items(&mut listed);
        let module = plain(path);
        let of_module = listed.entries.into_iter().map(|(name, entry)| (format!("{module}::{name}"), entry));
        self.paths.extend(of_module);
        self
    }

    /// Says that the program can have no Rust of the cards' authors, because it is a ready one. A card that names such an item gets an
    /// error that says so, with this advice behind it, in place of an error about the registry.
    ///
    /// ```
    /// use onionskin::loader::{CardLoader, MistakeKind, Registry};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("adder.md"), "---\nfunction_tools: [tools.rs:add_one]\n---\nDo sums.\n")?;
    /// std::fs::write(folder.path().join("tools.rs"), "")?;
    ///
    /// let registry = Registry::new().without_rust("write it as a script");
    /// let error = CardLoader::new(registry).base(folder.path()).load(["adder.md"]).unwrap_err();
    /// let mistake = &error.mistakes()[0];
    /// assert_eq!(mistake.kind, MistakeKind::WithoutRust);
    /// assert_eq!(mistake.message, "`tools.rs:add_one` is Rust: write it as a script");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn without_rust(mut self, advice: impl Into<String>) -> Self {
        self.without_rust = Some(advice.into());
        self
    }

    /// The item of a path.
    pub(crate) fn by_path(&self, path: &str) -> Option<&RegisteredItem> {
        self.paths.get(&*plain(path))
    }

    /// A registered file in any folder that is called as this one.
    pub(crate) fn file_named(&self, path: &Path) -> Option<&str> {
        let files = self.files.keys().map(String::as_str);
        files.into_iter().find(|file| Path::new(file).file_name() == path.file_name())
    }

    /// The items of files, by the files' full paths.
    pub(crate) fn by_files(&self, base: &Path) -> BTreeMap<PathBuf, &BTreeMap<String, RegisteredItem>> {
        self.files.iter().map(|(file, items)| (normal(&base.join(file)), items)).collect()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self
            .files
            .iter()
            .flat_map(|(file, items)| items.keys().map(move |name| format!("{file}:{name}")));
        f.debug_set().entries(files).entries(self.paths.keys()).finish()
    }
}

/// A path as items are kept: without `::` in front, and without the marks of raw names.
pub(crate) fn plain(path: &str) -> Cow<'_, str> {
    plain_path(path.strip_prefix("::").unwrap_or(path))
}
