//! Toolboxes: objects whose methods are tools.

use std::any::TypeId;
use std::sync::Arc;

use super::DynTool;
use crate::context::ToolContext;
use onionskin_definitions::definition::ToolSource;
use onionskin_definitions::text::same;

/// An object whose methods are tools that share it. `#[toolbox]` on an `impl` block implements this trait.
///
/// An agent names the type in `toolboxes: [..]`, and its builder receives the object. Each call borrows it,
/// so mutable fields need a lock or an atomic.
///
/// A generic toolbox is hand-written, and an agent names a concrete type:
///
/// ```
/// use std::sync::Arc;
/// use onionskin::{DynTool, Toolbox, ToolDefinition, ToolSpec, agent};
///
/// struct Fixed<T>(T);
///
/// impl<T: Clone + Into<String> + Send + Sync + 'static> Toolbox for Fixed<T> {
///     const NAME: &'static str = "Fixed";
///     const TOOLS: &'static [&'static [&'static str]] = &[&["answer"]];
///     type State = ();
///
///     fn bound(this: &Arc<Self>) -> Vec<Arc<dyn DynTool>> {
///         let this = Arc::clone(this);
///         let definition = ToolDefinition::new("answer", "Gives the answer.");
///         vec![Arc::new(ToolSpec::from_definition(definition, move |_, _| {
///             let answer: String = this.0.clone().into();
///             async move { Ok(answer) }
///         }))]
///     }
/// }
///
/// agent! { Oracle { instruction: "Answer.", toolboxes: [Fixed<&'static str>] } }
/// ```
///
/// The lists below must agree with each other and with [`Self::bound`]; otherwise the agent is not built
/// (`BuildError::ToolboxLists`).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolbox",
    label = "not a toolbox",
    note = "write `#[toolbox]` on an `impl` block of the type and `#[tool]` on the methods that are tools",
    note = "a function with `#[tool]` belongs in `function_tools`"
)]
pub trait Toolbox: Sized + 'static {
    /// The type's name.
    const NAME: &'static str;

    /// The names of the tools, for each `impl` block.
    const TOOLS: &'static [&'static [&'static str]];

    /// The source code of each tool for [`ToolSpec::code`](crate::ToolSpec::code), in the order of
    /// [`Self::TOOLS`]. It is a constant, so only programs that use it contain it.
    const SOURCES: &'static [&'static [&'static str]] = &[];

    /// The method names of the tools, in the order of [`Self::TOOLS`]. `Kb::search` in a filter of `agent!`
    /// names the method, whatever the name of its tool. The default is the names of the tools.
    const METHODS: &'static [&'static [&'static str]] = Self::TOOLS;

    /// The agent state that the tools take: `State<S>`, or `()` for none. `agent!` compares it with the
    /// agent's state.
    type State;

    /// Text for the system prompt of agents that use the toolbox.
    const INSTRUCTIONS: Option<&'static str> = None;

    /// The tools, bound to this object, in the order of [`Self::TOOLS`].
    fn bound(this: &Arc<Self>) -> Vec<Arc<dyn DynTool>>;
}

/// How the lists of a hand-written toolbox disagree, if they do.
pub fn disagreement<T: Toolbox>(bound: &[Arc<dyn DynTool>]) -> Option<String> {
    // Constants, so that the program does not contain the source code of its tools.
    let agree = [
        ("METHODS", const { same_shape(T::METHODS, T::TOOLS) }),
        ("SOURCES", const { T::SOURCES.is_empty() || same_shape(T::SOURCES, T::TOOLS) }),
    ];
    if let Some((name, _)) = agree.iter().find(|(_, agrees)| !agrees) {
        let text = "has another number of entries than `TOOLS`: write one for each tool, in the same order";
        return Some(format!("`{name}` {text}"));
    }
    let listed: Vec<_> = T::TOOLS.iter().copied().flatten().copied().collect();
    if let Some(name) = repeated(&listed) {
        return Some(format!("`TOOLS` lists the tool `{name}` twice"));
    }
    let methods: Vec<_> = T::METHODS.iter().copied().flatten().copied().collect();
    if let Some(name) = repeated(&methods) {
        return Some(format!("`METHODS` lists the method `{name}` twice"));
    }
    let names: Vec<_> = bound.iter().map(|tool| &*tool.definition().name).collect();
    if names.len() == listed.len() {
        let (name, listed) = names.iter().zip(&listed).find(|(name, listed)| name != listed)?;
        return Some(format!("`bound` returns the tool `{name}` in the place of `{listed}` in `TOOLS`"));
    }
    let unbound = listed.iter().find(|name| !names.contains(name));
    let unlisted = names.iter().find(|name| !listed.contains(name));
    Some(match (unbound, unlisted) {
        (Some(name), _) => format!("`TOOLS` lists the tool `{name}`, and `bound` does not return it"),
        (None, Some(name)) => format!("`bound` returns the tool `{name}`, and `TOOLS` does not list it"),
        (None, None) => format!("`bound` returns {} tools, and `TOOLS` lists {}", names.len(), listed.len()),
    })
}

/// The first duplicate name.
fn repeated<'n>(names: &[&'n str]) -> Option<&'n str> {
    names.iter().enumerate().find_map(|(at, name)| names[..at].contains(name).then_some(*name))
}

/// Whether the lists have the same number of entries in each block.
const fn same_shape(a: &[&[&str]], b: &[&[&str]]) -> bool {
    let mut block = 0;
    while block < a.len() && block < b.len() && a[block].len() == b[block].len() {
        block += 1;
    }
    block == a.len() && block == b.len()
}

/// A toolbox that an agent uses, without the object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ToolboxLink {
    /// The type.
    pub id: TypeId,
    /// The name of the type.
    pub name: &'static str,
    /// The prefix of its tools' names.
    pub prefix: Option<Arc<str>>,
}

impl ToolboxLink {
    /// The toolbox `T` with this prefix.
    pub fn new<T: Toolbox>(prefix: Option<&str>) -> Self {
        Self { id: TypeId::of::<T>(), name: T::NAME, prefix: prefix.map(Into::into) }
    }

    /// The toolbox as it appears in `toolboxes: [..]`.
    pub fn source(&self) -> String {
        match &self.prefix {
            Some(prefix) => format!("{prefix}: {}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// The builder call that provides it.
    pub fn call(&self) -> String {
        match &self.prefix {
            Some(prefix) => format!(".toolbox_as(\"{prefix}\", ..)"),
            None => ".toolbox(..)".to_owned(),
        }
    }
}

/// A toolbox that a builder accepts: the object, or an `Arc` of it if the program keeps it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolbox",
    label = "not a toolbox",
    note = "give the object whose type has `#[toolbox]`, or an `Arc` of it"
)]
pub trait SharedToolbox {
    /// The toolbox.
    type Toolbox: Toolbox;

    /// Returns the shared toolbox.
    fn share(self) -> Arc<Self::Toolbox>;
}

#[diagnostic::do_not_recommend]
impl<T: Toolbox> SharedToolbox for T {
    type Toolbox = T;

    fn share(self) -> Arc<T> {
        Arc::new(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Toolbox> SharedToolbox for Arc<T> {
    type Toolbox = T;

    fn share(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T: Toolbox> SharedToolbox for &Arc<T> {
    type Toolbox = T;

    fn share(self) -> Arc<T> {
        Arc::clone(self)
    }
}

/// The tools of another `impl` block, `#[toolbox(part = ..)]`, which the main block includes.
#[doc(hidden)]
pub trait ToolboxPart<P>: Sized {
    const TOOLS: &'static [&'static str];
    const SOURCES: &'static [&'static str];
    const METHODS: &'static [&'static str];
    type State;

    fn bound(this: &Arc<Self>) -> Vec<Arc<dyn DynTool>>;
}

/// The name of a method's tool.
pub const fn tool_of_method<T: Toolbox>(method: &str) -> Option<&'static str> {
    let mut block = 0;
    while block < T::METHODS.len() {
        let mut at = 0;
        while at < T::METHODS[block].len() {
            let is_listed = block < T::TOOLS.len() && at < T::TOOLS[block].len();
            if is_listed && same(T::METHODS[block][at], method) {
                return Some(T::TOOLS[block][at]);
            }
            at += 1;
        }
        block += 1;
    }
    None
}

/// Whether a call goes to this tool of a toolbox.
pub fn is_method(cx: &ToolContext, prefix: Option<&str>, tool: Option<&str>) -> bool {
    cx.source() == ToolSource::Function && tool.is_some() && without(prefix, cx.tool_name()) == tool
}

/// Whether a call goes to a tool of this toolbox.
pub fn is_of_toolbox<T: Toolbox>(cx: &ToolContext, prefix: Option<&str>) -> bool {
    let is_its = |name| T::TOOLS.iter().any(|block| block.contains(&name));
    cx.source() == ToolSource::Function && without(prefix, cx.tool_name()).is_some_and(is_its)
}

fn without<'n>(prefix: Option<&str>, name: &'n str) -> Option<&'n str> {
    match prefix {
        Some(prefix) => name.strip_prefix(prefix)?.strip_prefix('_'),
        None => Some(name),
    }
}

/// Whether several threads can share a toolbox. It is a `const fn`, so that a type that is not `Sync` causes
/// one error, at the type.
pub const fn can_be_shared<T: Send + Sync + 'static>() -> bool {
    true
}
