//! Arguments of direct calls.

use serde::Serialize;
use serde_json::{Map, Value};

use onionskin_definitions::args::Args;
use onionskin_definitions::error::{ErrorKind, Exit, ToolError};

/// A type that [`ToolSpec::call`](crate::ToolSpec::call) accepts as arguments: a JSON object, its text, or
/// pairs.
///
/// ```
/// use onionskin::{Args, tool};
/// use serde_json::json;
///
/// /// Adds one.
/// #[tool]
/// fn add_one(x: i64) -> i64 {
///     x + 1
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let add_one = add_one::spec();
/// assert_eq!(add_one.call(json!({"x": 1})).await.unwrap(), 2);
/// assert_eq!(add_one.call(r#"{"x": 1}"#).await.unwrap(), 2);
/// assert_eq!(add_one.call([("x", 1)]).await.unwrap(), 2);
/// # });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the arguments of a call",
    label = "not the arguments of a call",
    note = "write `call!(tool, name = value)`, or give a `serde_json::Value` that is an object, its text, or `Args`"
)]
pub trait IntoArgs: Send {
    /// The arguments.
    ///
    /// # Errors
    /// Returns an error if the value is not a JSON object.
    fn into_args(self) -> Result<Args, Exit>;
}

impl IntoArgs for Args {
    fn into_args(self) -> Result<Args, Exit> {
        Ok(self)
    }
}

impl IntoArgs for Map<String, Value> {
    fn into_args(self) -> Result<Args, Exit> {
        Ok(Args::new(self))
    }
}

impl IntoArgs for Value {
    fn into_args(self) -> Result<Args, Exit> {
        match self {
            Value::Object(object) => Ok(Args::new(object)),
            other => Err(refused(format!(
                "the arguments of a call must be a JSON object, not {}",
                onionskin_definitions::schema::describe(&other)
            ))),
        }
    }
}

impl IntoArgs for &str {
    fn into_args(self) -> Result<Args, Exit> {
        Ok(Args::from(self))
    }
}

impl IntoArgs for String {
    fn into_args(self) -> Result<Args, Exit> {
        Ok(Args::from(self))
    }
}

impl<K: Into<String> + Send, V: Into<Value> + Send, const N: usize> IntoArgs for [(K, V); N] {
    fn into_args(self) -> Result<Args, Exit> {
        Ok(Args::new(self.into_iter().map(|(name, value)| (name.into(), value.into())).collect()))
    }
}

/// The arguments of `call!`.
#[doc(hidden)]
pub struct CallArgs(Result<Map<String, Value>, Exit>);

impl IntoArgs for CallArgs {
    fn into_args(self) -> Result<Args, Exit> {
        self.0.map(Args::new)
    }
}

/// Serialises an argument of `call!`.
#[doc(hidden)]
pub fn value(name: &str, value: impl Serialize) -> Result<(String, Value), Exit> {
    let name = name.strip_prefix("r#").unwrap_or(name);
    match serde_json::to_value(value) {
        Ok(value) => Ok((name.to_owned(), value)),
        Err(error) => Err(refused(format!("the argument `{name}` cannot be written as JSON: {error}"))),
    }
}

/// Collects the arguments of `call!`.
#[doc(hidden)]
pub fn call_args<const N: usize>(values: [Result<(String, Value), Exit>; N]) -> CallArgs {
    CallArgs(values.into_iter().collect())
}

fn refused(text: String) -> Exit {
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Arguments))
}

/// Calls a [`ToolSpec`](crate::ToolSpec) with named arguments. `.await` returns the tool's main value, as
/// [`ToolSpec::call`](crate::ToolSpec::call) does.
///
/// ```
/// use onionskin::{call, tool};
///
/// /// Searches.
/// #[tool]
/// fn search(query: &str, #[arg(default = 10)] limit: u32) -> String {
///     format!("{limit} of {query}")
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let tool = search::spec();
/// assert_eq!(call!(tool, query = "test").await.unwrap(), "10 of test");
/// assert_eq!(call!(tool, query = "test", limit = 5).await.unwrap(), "5 of test");
/// # });
/// ```
#[macro_export]
macro_rules! call {
    ($tool:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::ToolSpec::call(
            &$tool,
            $crate::spec::call_args([$($crate::spec::value(::core::stringify!($name), &$value)),*]),
        )
    };
    ($tool:expr, $($arguments:tt)*) => {
        ::core::compile_error!("write each argument with the name of its parameter and `=`: `call!(tool, query = \"test\", limit = 5)`")
    };
}
