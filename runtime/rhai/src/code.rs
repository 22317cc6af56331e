//! A function of a script, and its run on a thread of its own.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rhai::{
    AST, ASTFlags, ASTNode, Dynamic, EvalAltResult, FnAccess, ParseError, Position, Scope, ScriptFnMetadata,
    Stmt,
};
use serde_json::Value;
use tokio::sync::oneshot;

use super::call_error::place;
use super::calls::{first_wrong, unusable};
use super::env::Env;
use super::json::from_script;
use super::limits::ScriptLimits;
use super::load_error::ScriptError;
use super::lock::lock;
use super::memory::{MemoryNeed, Meter};
use super::sandbox::{Watch, engine};
use onionskin_core::Exit;
use onionskin_core::secret::Redactor;

/// A function of a script.
pub(super) struct Code {
    ast: AST,
    pub(super) function: String,
    pub(super) env: Env,
    pub(super) limits: ScriptLimits,
    need: MemoryNeed,
    /// Where the script throws.
    throws: Vec<Position>,
}

/// A function's source: its name, parameters and comments.
pub(super) struct FunctionSource<'f> {
    pub(super) name: &'f str,
    pub(super) params: &'f [&'f str],
    pub(super) comments: &'f [&'f str],
    /// The line and the column of its name.
    pub(super) place: (usize, usize),
}

/// Reads what a tool or a hook needs of a function.
type Reader<T> = fn(&FunctionSource<'_>) -> Result<T, ScriptError>;

/// A called function: its value, or the error of the language. The outer error is one that scripts cannot catch.
pub(super) type Called = Result<Result<Dynamic, Box<EvalAltResult>>, Exit>;

impl Code {
    /// Reads a script, on a thread with a deep stack.
    ///
    /// # Errors
    /// Returns an error if the script has a mistake.
    pub(super) fn load<T: Send + 'static>(
        text: &str,
        func_name: Option<&str>,
        env: Env,
        limits: ScriptLimits,
        reader: Reader<T>,
    ) -> Result<(Self, T), ScriptError> {
        if text.len() > limits.code_bytes {
            let reason =
                format!("the script has {} bytes, and at most {} are allowed", text.len(), limits.code_bytes);
            return Err(at_line(1, reason));
        }
        if let Some(reason) = limits.refused().or_else(|| unusable(&env)) {
            return Err(at_line(1, reason));
        }
        let (owned, func_name, stack) = (text.to_owned(), func_name.map(str::to_owned), limits.stack());
        let load = move || Self::read(&owned, func_name.as_deref(), env, limits, reader);
        let thread =
            std::thread::Builder::new().name("onionskin-script".into()).stack_size(stack).spawn(load);
        match thread.map(std::thread::JoinHandle::join) {
            Ok(Ok(loaded)) => loaded,
            Ok(Err(panic)) => resume_unwind(panic),
            Err(error) => Err(at_line(1, format!("there is no thread to read it on: {error}"))),
        }
    }

    fn read<T>(
        text: &str,
        func_name: Option<&str>,
        env: Env,
        limits: ScriptLimits,
        reader: Reader<T>,
    ) -> Result<(Self, T), ScriptError> {
        let meter = Arc::new(Meter::new(&limits, MemoryNeed::default()));
        let engine = engine(&env, &limits, &Watch::default(), &meter).map_err(|reason| at_line(1, reason))?;
        // The names that functions may use beside their own.
        let mut scope = Scope::new();
        for (name, _) in &env.values {
            scope.push_constant_dynamic(name.as_str(), Dynamic::UNIT);
        }
        let ast = engine.compile_with_scope(&scope, text).map_err(|error| parse_error(&error))?;
        // Closures are functions too, under names that a script cannot write.
        let is_open = |function: &ScriptFnMetadata<'_>| {
            function.access == FnAccess::Public && !function.name.contains('$')
        };
        let open: Vec<_> = ast.iter_functions().filter(is_open).collect();
        let names = || open.iter().map(|function| function.name.to_owned()).collect();
        let wrong = |wanted: Option<&str>| ScriptError::Function {
            wanted: wanted.map(str::to_owned),
            functions: names(),
        };
        let chosen = match (func_name, &*open) {
            (None, [only]) => only,
            (None, _) => return Err(wrong(None)),
            (Some(name), _) => {
                open.iter().find(|function| function.name == name).ok_or_else(|| wrong(Some(name)))?
            }
        };
        if let Some((position, reason)) = first_wrong(&ast, &env, chosen.name) {
            let (line, column) = place(position).unwrap_or((1, 1));
            return Err(ScriptError::Invalid { line, column, reason });
        }
        let place = place_of(text, chosen.name);
        if open.iter().filter(|function| function.name == chosen.name).count() > 1 {
            return Err(at_line(place.0, format!("there are several functions `{}`; keep one", chosen.name)));
        }
        let (params, comments) = (&*chosen.params, &*chosen.comments);
        let read = reader(&FunctionSource { name: chosen.name, params, comments, place })?;
        let function = chosen.name.to_owned();
        let need = MemoryNeed::measure(&ast);
        let throws = throws(&ast);
        Ok((Self { ast, function, env, limits, need, throws }, read))
    }

    /// Calls the function with these values, in this environment.
    pub(super) fn call(&self, env: &Env, values: Vec<Dynamic>, watch: &Watch) -> Called {
        let meter = Arc::new(Meter::new(&self.limits, self.need));
        let mut engine = engine(env, &self.limits, watch, &meter).map_err(Exit::tool)?;
        let prints = Prints { function: self.function.clone(), redactor: watch.redactor.clone() };
        let debugs = prints.clone();
        engine.on_print(move |text| prints.print(text)).on_debug(move |text, _, _| debugs.print(text));
        let called = match engine.call_fn(&mut Scope::new(), &self.ast, &self.function, values) {
            Err(error) => match *error {
                // `exit(value)` ends a script without an error.
                EvalAltResult::Exit(value, _) => Ok(value),
                other => Err(Box::new(other)),
            },
            result => result,
        };
        // The script may have caught the error.
        match lock(&watch.stash).take() {
            Some(exit) => Err(exit),
            None => Ok(called),
        }
    }

    /// The text that the script itself throws. An error of the language, or of a function of the program, has none.
    pub(super) fn thrown(&self, error: &EvalAltResult) -> Option<String> {
        match error.unwrap_inner() {
            EvalAltResult::ErrorRuntime(value, position) if self.throws.contains(position) => {
                Some(match from_script(value) {
                    Ok(Value::String(text)) => text,
                    Ok(Value::Null) | Err(_) => "no reason is given".to_owned(),
                    Ok(value) => value.to_string(),
                })
            }
            _ => None,
        }
    }
}

/// Writes what a script prints to `tracing`, without the secrets of the run.
#[derive(Clone)]
struct Prints {
    function: String,
    redactor: Option<Arc<Redactor>>,
}

impl Prints {
    fn print(&self, text: &str) {
        let text = match &self.redactor {
            Some(redactor) => redactor.redact(text),
            None => text.into(),
        };
        tracing::info!(function = self.function, "{text}");
    }
}

/// The places of the statements `throw`.
fn throws(ast: &AST) -> Vec<Position> {
    let mut throws = Vec::new();
    ast.walk(&mut |path: &[ASTNode<'_>]| {
        if let Some(ASTNode::Stmt(Stmt::Return(_, flags, position))) = path.last()
            && flags.contains(ASTFlags::BREAK)
        {
            throws.push(*position);
        }
        true
    });
    throws
}

/// Runs work on a thread of its own with a deep stack.
///
/// # Errors
/// Returns the error of the work, or an error if no thread can be started.
pub(super) async fn off_thread<T: Send + 'static>(
    stack: usize,
    work: impl FnOnce() -> Result<T, Exit> + Send + 'static,
) -> Result<T, Exit> {
    type Done<T> = Result<Result<T, Exit>, Box<dyn Any + Send>>;
    let (sender, receiver) = oneshot::channel::<Done<T>>();
    let run = move || {
        // The caller may have dropped the call.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    };
    std::thread::Builder::new().name("onionskin-script".into()).stack_size(stack).spawn(run)?;
    match receiver.await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => Err(Exit::tool("the thread of the script ended before it gave a result")),
    }
}

/// Ends the script of a call that is dropped.
pub(super) struct SetOnDrop(pub(super) Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn parse_error(error: &ParseError) -> ScriptError {
    let (line, column) = place(error.position()).unwrap_or((1, 1));
    ScriptError::Invalid { line, column, reason: error.err_type().to_string() }
}

pub(super) fn at_line(line: usize, reason: String) -> ScriptError {
    ScriptError::Invalid { line, column: 1, reason }
}

/// The line and the column of a function's name.
fn place_of(text: &str, function: &str) -> (usize, usize) {
    let is_it = |line: &str| {
        let mut words =
            line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        words.next() == Some("fn") && words.next() == Some(function)
    };
    let found = text.lines().enumerate().find(|(_, line)| is_it(line));
    found.map_or((1, 1), |(at, line)| {
        let begin = line.find("fn").map_or(0, |begin| begin + 2);
        let name = line[begin..].find(function).map_or(0, |name| begin + name);
        (at + 1, line[..name].chars().count() + 1)
    })
}
