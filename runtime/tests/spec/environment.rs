//! S2: what a script is given of the program, and the bounds that the program sets.

use onionskin::rhai::{self, Env, ScriptLimits};
use onionskin::{ErrorKind, Exit, ToolResult, ToolSpec, call};
use serde_json::json;

fn load(text: &str, env: Env) -> Result<ToolSpec, String> {
    rhai::from_code(rhai::Script::new(format!("/// Does it.\n{text}")).env(env))
        .map_err(|error| error.to_string())
}

#[test]
fn s2_what_a_script_cannot_name_is_refused_when_it_is_loaded() {
    for name in ["a-b", "fn", "true", "", " a", "a b", "1a", "let", "print", "type_of", "a = 1; let b"] {
        let error = load("fn f() { 1 }", Env::new().value(name, 1)).unwrap_err();
        assert!(error.contains("a script cannot write this name"), "{name}: {error}");
        let error = load("fn f() { 1 }", Env::new().function(name, || Ok(1))).unwrap_err();
        assert!(error.contains("a script cannot write this name"), "{name}: {error}");
    }
    for name in ["_rate", "rate2", "len"] {
        let spec = load(&format!("fn f() {{ {name} }}"), Env::new().value(name, 3)).unwrap();
        assert_eq!(spec.call_blocking("{}").unwrap(), 3, "{name}");
    }
}

#[test]
fn s2_a_value_of_the_program_cannot_be_assigned_to() {
    for body in ["xs += 1; 1", "xs = 5; 1", "m = 1; m"] {
        let env = Env::new().value("xs", json!([1, 2])).value("m", json!({ "a": 2 }));
        let done = load(&format!("fn f() {{ {body} }}"), env).map(|spec| spec.call_blocking("{}"));
        assert!(!matches!(&done, Ok(Ok(_))), "{body}: {done:?}");
    }
    let env = Env::new().value("xs", json!([1, 2]));
    let copied = load("fn f() { let ys = xs; ys.push(3); [xs.len(), ys.len()] }", env).unwrap();
    assert_eq!(copied.call_blocking("{}").unwrap(), json!([2, 3]));
}

#[test]
fn t6_a_function_of_the_program_that_gives_no_number_is_an_error() {
    let env = Env::new().function("half", || Ok(f64::NAN));
    let error = load("fn f() { half() }", env).unwrap().call_blocking("{}").unwrap_err().to_string();
    assert!(error.contains("NaN"), "{error}");
}

#[tokio::test]
async fn t3_an_integer_of_a_script_is_never_a_fraction() {
    let text = "///
        /// # Arguments
        /// * `x: int` - One
        /// * `more: [int] = []` - More
        fn f(x, more) { type_of(x) + more.len() }";
    let spec = load(text, Env::new()).unwrap();
    assert_eq!(call!(spec, x = 5).await.unwrap(), "i640");
    for args in [r#"{"x": 1e300}"#, r#"{"x": 1, "more": [2, 1e300]}"#, r#"{"x": 9223372036854775808}"#] {
        let Err(Exit::Tool(error)) = spec.exec(args).await.result else { panic!("{args} ran") };
        assert_eq!(error.kind(), ErrorKind::Arguments, "{args}: {error}");
    }
}

#[test]
fn s2_a_depth_of_calls_that_no_stack_holds_is_refused_and_the_deepest_one_holds() {
    let deep = |depth: usize| -> Result<ToolResult<serde_json::Value>, String> {
        let mut limits = ScriptLimits::default();
        limits.call_depth = depth;
        // Each call lies within expressions and blocks that are nested as deep as may be.
        let (open, close) = ("(1 + ".repeat(20), ")".repeat(20));
        let text = format!(
            "/// Does it.\nfn f() {{ g(0) }} private fn g(n) {{ if true {{ if true {{ {open} g(n + 1) {close} }} }} }}"
        );
        let code = rhai::Script::new(text).limits(limits);
        Ok(rhai::from_code(code).map_err(|error| error.to_string())?.call_blocking("{}"))
    };
    let error = deep(257).unwrap_err();
    assert!(error.contains("`call_depth` is 257, and 256 is the most"), "{error}");
    assert!(deep(usize::MAX).is_err());
    let Err(Exit::Tool(error)) = deep(256).unwrap() else { panic!("it ended") };
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
}
