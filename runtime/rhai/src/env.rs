//! The values and functions of the program that a script sees. The functions of all scripts are in `language`.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use onionskin_core::ToolResult;
use onionskin_core::schema::to_json;

/// The part of the program that a script sees: named values, and functions that it may call.
///
/// ```
/// use onionskin::rhai::{self, Env, Script};
/// use onionskin::call;
///
/// let env = Env::new()
///     .value("rate", 1.5)
///     .function("stock_of", |item: String| Ok(if item == "tea" { 4 } else { 0 }));
/// let code = r#"
///     /// What all of an item costs.
///     ///
///     /// # Arguments
///     /// * `item: string` - Which one
///     fn cost(item) { stock_of(item) * rate }
/// "#;
/// let spec = rhai::from_code(Script::new(code).env(env))?;
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// assert_eq!(call!(spec, item = "tea").await.unwrap(), 6.0);
/// # });
/// # Ok::<_, onionskin::rhai::ScriptError>(())
/// ```
#[derive(Clone, Default)]
#[must_use = "an environment does nothing until a script gets it"]
pub struct Env {
    pub(super) values: Vec<(String, Value)>,
    pub(super) functions: Vec<Function>,
}

/// A function of the program.
#[derive(Clone)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) params: usize,
    pub(super) call: Host,
}

pub(super) type Host = Arc<dyn Fn(Vec<Value>) -> ToolResult<Value> + Send + Sync>;

impl Env {
    /// Makes an environment without values and functions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value that the script reads by this name. The script cannot change it: an assignment to the name is an
    /// error. A change of a part (`list[0] = 1`, `list.push(1)`) changes a copy that is dropped, so a script writes
    /// `let own = list;` first. A name that scripts cannot write is an error of [`from_code`](super::from_code).
    pub fn value(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.values.push((name.into(), value.into()));
        self
    }

    /// Adds a function of up to four parameters that the script calls by this name. It runs on the thread of the
    /// script, and the time limit of the script does not interrupt it, so it must not take long. A tool error of it is
    /// an exception, which the script can catch. A stop or an abort ends the script. If Rhai has a function of this
    /// name, Rhai's function is used for the types that it accepts. A name that scripts cannot write is an error of
    /// [`from_code`](super::from_code).
    pub fn function<M>(mut self, name: impl Into<String>, function: impl HostFunction<M>) -> Self {
        let (params, call) = function.into_host();
        self.functions.push(Function { name: name.into(), params, call });
        self
    }
}

impl fmt::Debug for Env {
    /// Values may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values.iter().map(|(name, _)| name);
        let functions = self.functions.iter().map(|function| &function.name);
        f.debug_list().entries(values.chain(functions)).finish()
    }
}

/// A function that a script may call: `Fn(A, ..) -> ToolResult<R>` with up to four parameters that can be read. Programs do not implement it.
#[diagnostic::on_unimplemented(
    message = "a script cannot call `{Self}`",
    label = "not a function for scripts",
    note = "write `|name: String, count: i64| Ok(..)`: up to four parameters with `Deserialize`, and a `ToolResult` of a \
            type with `Serialize`"
)]
pub trait HostFunction<M>: Send + Sync + 'static {
    #[doc(hidden)]
    fn into_host(self) -> (usize, Host);
}

macro_rules! host_functions {
    ($($count:literal: ($($param:ident),*);)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<F, R, $($param),*> HostFunction<(R, $($param,)*)> for F
        where
            F: Fn($($param),*) -> ToolResult<R> + Send + Sync + 'static,
            R: Serialize,
            $($param: DeserializeOwned,)*
        {
            fn into_host(self) -> (usize, Host) {
                let call = move |values: Vec<Value>| {
                    #[allow(unused_mut, unused_variables, reason = "a function may have no parameters")]
                    let mut values = values.into_iter();
                    let result = self($(read::<$param>(values.next())?),*)?;
                    // A value would have nothing in place of a number that JSON does not have.
                    to_json(&result)?;
                    Ok(serde_json::to_value(result)?)
                };
                ($count, Arc::new(call))
            }
        }
    )*};
}

host_functions! {
    0: ();
    1: (A);
    2: (A, B);
    3: (A, B, C);
    4: (A, B, C, D);
}

fn read<T: DeserializeOwned>(value: Option<Value>) -> ToolResult<T> {
    Ok(serde_json::from_value(value.unwrap_or_default())?)
}
