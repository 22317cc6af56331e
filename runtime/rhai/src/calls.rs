//! The calls in the text of a script, and the statements outside of its functions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use rhai::{AST, ASTNode, Engine, Expr, FnCallExpr, Position, Stmt, is_valid_identifier};

use super::env::Env;
use super::language::language;
use onionskin_core::text::nearest;

/// The function with which a script goes on.
pub(super) const CALL_NEXT: &str = "call_next";

/// The function with which a script shows its component.
pub(super) const USE_UI_TOOL: &str = "use_ui_tool";

/// The functions that only some scripts have: the number of their arguments, and which scripts have them.
const LIMITED: [(&str, usize, &str); 2] =
    [(CALL_NEXT, 1, "hooks around tool calls"), (USE_UI_TOOL, 3, "UI tools, the `ui_tools` of a workflow")];

/// The position of a mistake, and its message.
pub(super) type Wrong = (Position, String);

/// Functions by name, each with the numbers of arguments that it takes.
type Known = BTreeMap<String, BTreeSet<usize>>;

/// The functions that the parser itself provides, whatever is registered.
const BUILT_IN: &[&str] =
    &["call", "curry", "type_of", "is_shared", "is_def_fn", "is_def_var", "print", "debug"];

/// Those of the language.
static FUNCTIONS: LazyLock<Known> = LazyLock::new(|| {
    let mut engine = Engine::new_raw();
    language(&mut engine);
    let mut known = Known::new();
    for (name, count) in engine.collect_fn_metadata(
        None,
        |function| Some((function.metadata.name.to_string(), function.metadata.num_params)),
        true,
    ) {
        known.entry(name).or_default().insert(count);
    }
    known
});

/// Why a script could not use something of its environment by its name.
pub(super) fn unusable(env: &Env) -> Option<String> {
    let value = env.values.iter().map(|(name, _)| ("value", name));
    let functions = env.functions.iter().map(|function| ("function", &function.name));
    value.chain(functions).find(|(_, name)| !is_word(name)).map(|(kind, name)| {
        format!("the {kind} `{name}` of the environment: a script cannot write this name")
    })
}

/// Returns whether a text is a name and not a word of the language.
fn is_word(name: &str) -> bool {
    is_valid_identifier(name) && Engine::new_raw().compile(format!("let {name} = 0;")).is_ok()
}

/// The first thing that is wrong: a statement outside of the functions, which nothing would run, or a call of a function that is
/// not there. `chosen` is the function that is called; others of the script may be hooks or UI tools, which have more functions.
pub(super) fn first_wrong(ast: &AST, env: &Env, chosen: &str) -> Option<Wrong> {
    if let Some(statement) = ast.statements().iter().find(|statement| !matches!(statement, Stmt::Noop(_))) {
        let reason = "it is outside of the functions, where nothing runs it; put it into a function, or give the script a \
                      value with `Env::value`";
        return Some((statement.position(), reason.to_owned()));
    }
    let mut own = Known::new();
    for function in ast.iter_functions() {
        own.entry(function.name.to_owned()).or_default().insert(function.params.len());
    }
    for function in &env.functions {
        own.entry(function.name.clone()).or_default().insert(function.params);
    }
    let missing: Vec<_> = LIMITED.into_iter().filter(|(name, ..)| !own.contains_key(*name)).collect();
    for (name, count, _) in &missing {
        own.entry((*name).to_owned()).or_default().insert(*count);
    }
    let mut wrong = None;
    ast.walk(&mut |path: &[ASTNode<'_>]| {
        wrong = called(path).and_then(|(call, is_method, position)| {
            unknown(call, is_method, &own).map(|reason| (position, reason))
        });
        wrong.is_none()
    });
    let wrong_call = |(name, _, whose): (&str, usize, &str)| {
        let reason = format!("there is no function `{name}` here: it is for {whose}");
        Some((first_call(ast, chosen, name)?, reason))
    };
    wrong.or_else(|| missing.into_iter().find_map(wrong_call))
}

/// The call that a walk is at, whether it is one of a method, and its position.
fn called<'n>(path: &[ASTNode<'n>]) -> Option<(&'n FnCallExpr, bool, Position)> {
    match path.last()? {
        ASTNode::Expr(Expr::FnCall(call, position)) | ASTNode::Stmt(Stmt::FnCall(call, position)) => {
            Some((call, false, *position))
        }
        ASTNode::Expr(Expr::MethodCall(call, position)) => Some((call, true, *position)),
        _ => None,
    }
}

/// The first call of `wanted` in a function, or in one that it calls.
fn first_call(ast: &AST, chosen: &str, wanted: &str) -> Option<Position> {
    let (mut seen, mut open) = (BTreeSet::from([chosen.to_owned()]), vec![chosen.to_owned()]);
    while let Some(function) = open.pop() {
        let mut only = ast.clone();
        // Closures are functions under names that a script cannot write, and may be called from each.
        only.retain_functions(|_, _, name, _| name == function || name.contains('$'));
        let mut found = None;
        only.walk(&mut |path: &[ASTNode<'_>]| {
            if let Some((call, _, position)) = called(path) {
                if call.name == wanted {
                    found = Some(position);
                } else if seen.insert(call.name.to_string()) {
                    open.push(call.name.to_string());
                }
            }
            found.is_none()
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Why a call cannot find its function.
fn unknown(call: &FnCallExpr, is_method: bool, own: &Known) -> Option<String> {
    let name = call.name.as_str();
    let is_word = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    // The parser itself refuses modules, because none exist.
    if call.is_qualified() || call.is_operator_call() || BUILT_IN.contains(&name) || !is_word {
        return None;
    }
    // A method's object is its first argument, but not of a function of the script's own.
    let count = call.args.len();
    let counts: BTreeSet<usize> =
        [own, &*FUNCTIONS].into_iter().filter_map(|known| known.get(name)).flatten().copied().collect();
    if counts.contains(&(count + usize::from(is_method))) || (is_method && counts.contains(&count)) {
        return None;
    }
    if counts.is_empty() {
        let names = own.keys().chain(FUNCTIONS.keys()).map(String::as_str);
        let near = nearest(name, names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Some(format!("there is no function `{name}`{near}"));
    }
    let shift = usize::from(is_method && counts.iter().all(|count| *count > 0) && !own.contains_key(name));
    let takes: Vec<_> = counts.iter().map(|count| (count - shift).to_string()).collect();
    Some(format!("`{name}` takes {} arguments, and is given {count}", takes.join(" or ")))
}
