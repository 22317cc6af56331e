//! S2: tools written as scripts, and scripts that mean harm.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use onionskin::rhai::{self, Env, ScriptError, ScriptLimits};
use onionskin::{ErrorKind, Exit, ToolResult, call};
use serde_json::{Value, json};

const SUM: &str = r"
/// Add two numbers together.
///
/// Exactly.
///
/// # Arguments
/// * `a: int` - First number
/// * `b: int = 10` - Second number,
///   if there is one
///
/// # Returns
/// `int` - The sum of a and b
fn calculate_sum(a, b) {
    add(a, b)
}

private fn add(a, b) { a + b }
";

#[tokio::test]
async fn s2_a_script_is_a_tool() {
    let spec = rhai::from_code(SUM).unwrap();
    assert_eq!((spec.name(), spec.description()), ("calculate_sum", "Add two numbers together.\n\nExactly."));
    assert_eq!(
        *spec.input_schema(),
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "integer", "description": "First number"},
                "b": {"type": "integer", "description": "Second number, if there is one", "default": 10},
            },
            "required": ["a"],
            "additionalProperties": false,
        })
    );
    assert_eq!(spec.output_schema().unwrap()["properties"]["result"]["type"], "integer");
    assert_eq!(spec.output_schema().unwrap()["description"], "The sum of a and b");
    assert_eq!(spec.code(), SUM);
    assert_eq!(call!(spec, a = 1, b = 2).await.unwrap(), 3);
    assert_eq!(call!(spec, a = "1").await.unwrap(), 11, "coerced and defaulted");
    let wrong = call!(spec, a = "x", c = 1).await.unwrap_err().to_string();
    assert!(wrong.contains("`a`: expected an integer") && wrong.contains("`c`: unknown"), "{wrong}");
}

#[tokio::test]
async fn s2_a_script_is_bound_and_changed_as_any_tool() {
    let mut spec = rhai::from_code(SUM).unwrap();
    spec.bind("b", None, json!(5)).unwrap();
    spec.transform(onionskin::spec::Transform::new().name("plus").rename("a", "n")).unwrap();
    assert_eq!(call!(spec, n = 1).await.unwrap(), 6);
}

fn function(docs: &[&str], head: &str, body: &str) -> String {
    let docs: Vec<_> = docs.iter().map(|line| format!("/// {line}\n")).collect();
    format!("/// Does it.\n{}fn {head} {{ {body} }}", docs.concat())
}

#[tokio::test]
async fn s2_types_in_docs_are_the_schema() {
    let cases = [
        ("int", json!({"type": "integer"})),
        ("float", json!({"type": "number"})),
        ("bool", json!({"type": "boolean"})),
        ("string", json!({"type": "string"})),
        ("array", json!({"type": "array"})),
        ("map", json!({"type": "object"})),
        ("any", json!({})),
        ("[int]", json!({"type": "array", "items": {"type": "integer"}})),
        ("list[str]", json!({"type": "array", "items": {"type": "string"}})),
        ("map<float?>", json!({"type": "object", "additionalProperties": {"type": ["number", "null"]}})),
        (r#""asc" | "desc""#, json!({"type": "string", "enum": ["asc", "desc"]})),
        ("int | string", json!({"anyOf": [{"type": "integer"}, {"type": "string"}]})),
        ("int?", json!({"type": ["integer", "null"]})),
        ("int | null", json!({"type": ["integer", "null"]})),
        (r#""a"?"#, json!({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]})),
    ];
    for (kind, schema) in cases {
        let code = function(&["# Arguments", &format!("* `x: {kind}`")], "f(x)", "x");
        let spec = rhai::from_code(code).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(spec.input_schema()["properties"]["x"], schema, "{kind}");
        let optional = spec.input_schema().get("required").is_none();
        assert_eq!(optional, kind.contains("null") || (kind.ends_with('?')), "{kind}");
    }
}

#[tokio::test]
async fn s2_other_styles_of_docs_are_read() {
    for args in [
        &["Args:", "    a (int): First", "        number", "    b (int, default 2): Second"][..],
        &["# Arguments", "* `a` (int) - First", "  number", "- b: int = 2 - Second"],
        &["# Parameters", "- `a: int`: First", "  number", "- `b: int = 2`: Second"],
        &["Parameters:", "", "    a (int): First number", "    b (int, optional): Second"],
    ] {
        let mut lines = args.to_vec();
        lines.extend(["", "Returns:", "    int: The sum", "", "Raises:", "    nothing (int): x"]);
        let spec = rhai::from_code(function(&lines, "f(a, b)", "a + if b == () { 2 } else { b }")).unwrap();
        let properties = &spec.input_schema()["properties"];
        assert_eq!(properties["a"]["description"], "First number", "{args:?}");
        assert_eq!(properties["b"]["description"], "Second", "{args:?}");
        assert_eq!(spec.output_schema().unwrap()["description"], "The sum", "{args:?}");
        assert_eq!(call!(spec, a = 1).await.unwrap(), 3, "{args:?}");
    }
    let block = "/**\n * Does it.\n *\n * # Arguments\n * * `a: int` - First\n */\nfn f(a) { a }";
    assert_eq!(call!(rhai::from_code(block).unwrap(), a = 1).await.unwrap(), 1);
}

#[tokio::test]
async fn s2_values_go_in_and_out_as_they_are() {
    let spec = rhai::from_code(function(&["# Arguments", "* `x: any`"], "f(x)", "x")).unwrap();
    for value in [
        json!(null),
        json!(true),
        json!(-7),
        json!(1.5),
        json!("tä\"xt"),
        json!([1, [2.5, "a"], {}]),
        json!({"a": {"b": [null]}}),
        json!(i64::MIN),
    ] {
        let got = spec.exec(json!({"x": value})).await;
        let got = got.structured_content();
        match &value {
            Value::Null => assert!(got.is_none()),
            Value::Object(_) => assert_eq!(*got.unwrap(), value),
            _ => assert_eq!(*got.unwrap(), json!({ "result": value })),
        }
    }
    let long = spec.call(r#"{"x": 123456789012345678901}"#).await.unwrap_err().to_string();
    assert!(long.contains("123456789012345678901 has more digits than a script can hold"), "{long}");
    let long = spec.call(json!({"x": u64::MAX})).await.unwrap_err().to_string();
    assert!(long.contains("`x`: the number 18446744073709551615 is too large"), "{long}");
    for (body, reason) in [
        ("|| 1", "Fn"),
        ("0.0 / 0.0", "not a number"),
        ("let a = []; for i in 0..200 { a = [a]; } a", "deep"),
    ] {
        let spec = rhai::from_code(function(&[], "f()", body)).unwrap();
        let text = call!(spec).await.unwrap_err().to_string();
        assert!(text.contains("cannot be used") && text.contains(reason), "{text}");
    }
    let early = rhai::from_code(function(&[], "f()", "exit(3); 4")).unwrap();
    assert_eq!(call!(early).await.unwrap(), 3);
}

#[tokio::test]
async fn s2_a_result_is_held_against_the_docs() {
    let spec = rhai::from_code(function(&["# Returns", "`[int]`"], "f()", r#"[1, "two"]"#)).unwrap();
    let text = call!(spec).await.unwrap_err().to_string();
    assert!(text.contains("`result[1]`: expected an integer"), "{text}");
}

fn load_error(code: impl Into<rhai::Script>) -> (usize, usize, String) {
    match rhai::from_code(code).unwrap_err() {
        ScriptError::Invalid { line, column, reason, .. } => (line, column, reason),
        other => panic!("{other}"),
    }
}

#[test]
fn s2_a_script_error_is_a_load_error_with_line_and_column() {
    let (line, column, reason) = load_error("/// Does.\nfn f() {\n    let x = ;\n}");
    assert_eq!((line, column), (3, 13), "{reason}");
    let error = rhai::from_code("\n\nfn f( {").unwrap_err().to_string();
    assert!(error.starts_with("3:"), "{error}");
    let (line, _, reason) = load_error("/// Does.\nfn f() { unknown + 1 }");
    assert!(line == 2 && reason.contains("unknown"), "{line} {reason}");
}

#[test]
fn s2_missing_docs_are_load_errors_at_the_function() {
    let about = |code: &str, line: usize, parts: &[&str]| {
        let (at, _, reason) = load_error(code);
        assert_eq!(at, line, "{reason}");
        for part in parts {
            assert!(reason.contains(part), "{part}: {reason}");
        }
    };
    about("\nfn f() { 1 }", 2, &["`f` has no description"]);
    about("/// Does.\nfn f(a) { a }", 2, &["do not describe the parameter `a`", "* `a: int`"]);
    about(
        "/// Does.\n/// # Arguments\n/// * `a` it\nfn f(a) { a }",
        4,
        &["does not say what a parameter is"],
    );
    about(
        "/// Does.\n/// # Arguments\n/// * `a: itn` - it\nfn f(a) { a }",
        4,
        &["`itn`, the type of `a`, is not known"],
    );
    about(
        "/// Does.\n/// # Arguments\n/// * `aa: int`\nfn f(ab) { 1 }",
        4,
        &["`aa`, which it does not take"],
    );
    about("/// Does.\n/// # Arguments\n/// * `a: int = \"x\"`\nfn f(a) { 1 }", 4, &["not of its type"]);
    about("/// Does.\n/// # Arguments\n/// * `a: int = 'x'`\nfn f(a) { 1 }", 4, &["is not JSON"]);
}

#[tokio::test]
async fn s2_several_functions_need_func_name() {
    let both = format!("{SUM}\n/// One.\nfn one() {{ 1 }}");
    let error = rhai::from_code(&*both).unwrap_err();
    assert!(
        matches!(&error, ScriptError::Function { wanted: None, functions, .. } if functions.len() == 2),
        "{error}"
    );
    assert!(error.to_string().contains("`func_name`") && error.to_string().contains("`one`"), "{error}");
    let spec = rhai::from_code(rhai::Script::new(&*both).func_name("one")).unwrap();
    assert_eq!(call!(spec).await.unwrap(), 1);
    for name in ["two", "add"] {
        let error = rhai::from_code(rhai::Script::new(&*both).func_name(name)).unwrap_err().to_string();
        assert!(error.contains(&format!("no function `{name}`")), "{error}");
    }
    assert!(matches!(rhai::from_code("// Nothing.").unwrap_err(), ScriptError::Function { .. }));
    let (_, _, reason) =
        load_error(rhai::Script::new("/// A.\nfn f() { 1 }\n/// B.\nfn f(x) { 2 }").func_name("f"));
    assert!(reason.contains("several functions `f`"), "{reason}");
}

#[tokio::test]
async fn s2_a_script_sees_its_environment_and_nothing_else() {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let env = Env::new()
        .value("limits", json!({"most": 3}))
        .function("ask", |what: String, times: u8| {
            ASKED.fetch_add(u32::from(times), Ordering::Relaxed);
            Ok(json!({ "about": what }))
        })
        .function("fail", || -> ToolResult<()> { Err("no luck".into()) })
        .function("abort", || -> ToolResult<()> { Err(Exit::abort("enough")) });
    let run = async |body: &str| {
        let code = rhai::Script::new(function(&[], "f()", body)).env(env.clone());
        rhai::from_code(code)?.call("{}").await
    };
    assert_eq!(run(r#"ask("x", limits.most).about"#).await.unwrap(), "x");
    assert_eq!(ASKED.load(Ordering::Relaxed), 3);
    let failed = run("fail()").await.unwrap_err().to_string();
    assert!(failed.contains("failed at 2:") && failed.contains("`fail`: no luck"), "{failed}");
    assert_eq!(run("try { fail() } catch { return 7; }").await.unwrap(), 7);
    assert!(run("try { abort() } catch { return 7; }").await.unwrap_err().is_abort());
    let wrong = run(r#"ask("x", 1000)"#).await.unwrap_err().to_string();
    assert!(wrong.contains("`ask`") && wrong.contains("1000"), "{wrong}");
    for body in
        ["limits.most = 4; limits.most", "limits = 4; limits", "const limits = #{most: 4}; limits.most - 1"]
    {
        assert!(run(body).await.is_err() || run(body).await.unwrap() == 3, "{body}");
        assert_eq!(run("limits.most").await.unwrap(), 3, "{body}");
    }
    assert!(run("missing()").await.unwrap_err().to_string().contains("missing"));
    assert_eq!(format!("{env:?}"), "[\"limits\", \"ask\", \"fail\", \"abort\"]");
    assert!(rhai::from_code(function(&[], "f()", "limits")).is_err(), "another script has none of it");
}

/// Runs a script without the help of a clock: how long a machine takes for it is its own matter.
fn hostile(body: &str) -> ToolResult<Value> {
    let mut limits = ScriptLimits::default();
    limits.time = Duration::MAX;
    hostile_within(body, limits)
}

fn hostile_within(body: &str, limits: ScriptLimits) -> ToolResult<Value> {
    let code = format!("/// Harms.\nfn f() {{ {body} }}\nprivate fn g(x) {{ g(x + 1) + 1 }}");
    match rhai::from_code(rhai::Script::new(code).limits(limits)) {
        Ok(spec) => spec.call_blocking("{}"),
        Err(error) => Err(error.into()),
    }
}

fn kind(result: &ToolResult<Value>) -> ErrorKind {
    match result {
        Err(Exit::Tool(error)) => error.kind(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn s2_endless_loops_end() {
    for body in [
        "loop {}",
        "while true { let x = 1; }",
        "for i in 0..9223372036854775807 {}",
        "let f = || { 1 }; loop { f.call(); }",
    ] {
        let result = hostile(body);
        assert_eq!(kind(&result), ErrorKind::Limit, "{body}: {result:?}");
        assert!(result.unwrap_err().to_string().contains("more than 1000000 operations"));
    }
    let mut limits = ScriptLimits::default();
    (limits.operations, limits.time) = (u64::MAX, Duration::from_millis(200));
    let begun = Instant::now();
    let result = hostile_within("loop {}", limits);
    assert_eq!(kind(&result), ErrorKind::Timeout, "{result:?}");
    assert!(begun.elapsed() < Duration::from_mins(1), "it took {:?}", begun.elapsed());
    // What cannot be caught is not caught.
    assert_eq!(kind(&hostile("loop { try { loop {} } catch { } }")), ErrorKind::Limit);
}

#[test]
fn s2_deep_recursion_ends() {
    let result = hostile("g(0)");
    assert_eq!(kind(&result), ErrorKind::Limit, "{result:?}");
    assert!(result.unwrap_err().to_string().contains("more than 32 levels"));
    let deep = format!("{}g(0){}", "(1 + ".repeat(20), ")".repeat(20));
    assert_eq!(kind(&hostile(&deep)), ErrorKind::Limit);
    assert_eq!(kind(&hostile("let f = |s, x| s.call(s, x); f.call(f, 1)")), ErrorKind::Limit);
}

#[test]
fn s2_huge_values_are_refused() {
    for (body, why) in [
        (r#"let s = "x"; loop { s += s; }"#, "too much data: Length of string"),
        (r#"let s = ""; s.pad(1000000000, "x"); s"#, "too much data: Length of string"),
        (r#"let s = "x"; loop { s = `${s}${s}`; }"#, "too much data: Length of string"),
        ("let a = [1]; loop { a += a; }", "too much data: Size of array"),
        ("let a = []; a.pad(1000000000, 1); a", "too much data: Size of array"),
        ("let a = []; loop { a.push(a); }", "too much data: Size of array"),
        ("let a = []; loop { a.push([1, 2, 3]); }", "too much data: Size of array"),
        ("let m = #{}; let i = 0; loop { m.set(`k${i}`, i); i += 1; }", "too much data: Size of object map"),
        // Rhai looks at the value that is assigned, and not at what it is put in.
        ("let m = #{}; let i = 0; loop { m[`k${i}`] = i; i += 1; }", "too much data: Size of object map"),
        (
            r#"let a = []; let s = "x"; s.pad(200000, "x"); loop { a.push(s + a.len); }"#,
            "too much data: Length of string",
        ),
        (
            r#""x".split("").len; let s = "ab"; s.pad(250000, "ab"); let a = s.to_chars(); a"#,
            "too much data: Size of array",
        ),
    ] {
        let result = hostile(body);
        assert!(matches!(kind(&result), ErrorKind::Limit), "{body}: {result:?}");
        let error = result.unwrap_err().to_string();
        assert!(error.contains(why), "{body}: {error}");
    }
}

#[test]
fn s2_there_is_no_way_out() {
    for body in [
        r#"eval("1")"#,
        r#"let e = "ev" + "al"; call(e, "1")"#,
        r#"Fn("eval").call("1")"#,
        r#"import "os" as os; os::x()"#,
        r#"import "/etc/passwd" as p; 1"#,
        "sleep(100000)",
        "sleep(100000.0)",
        "timestamp()",
        r#"open_file("/etc/passwd")"#,
        r#"call("f")"#,
        // Growth through it is not an access of a variable.
        "[1].for_each(|| this += 1)",
        "global::limits",
        "this.x",
    ] {
        let result = hostile(body);
        assert!(result.is_err(), "{body}: {result:?}");
    }
    let (line, _, reason) = load_error("/// Harms.\nfn f() { import \"x\" as x; 1 }");
    assert!(line == 2 && reason.contains("import"), "{reason}");
    assert!(load_error("/// Harms.\nfn f() { eval(\"1\") }").2.contains("eval"));
}

#[test]
fn s2_deeply_nested_text_does_no_harm() {
    let many = 8_000;
    for (before, open, count, inner, close) in [
        ("", "(", many, "1", ")"),
        ("", "[", many, "", "]"),
        ("", "{", many, "", "}"),
        ("", "!", many, "true", ""),
        ("", "-", many, "1", ""),
        ("", "if true {", many / 2, "", "}"),
        ("", "`${", many / 2, "1", "}`"),
        ("", "|x| ", many, "1", ""),
        ("", "/*", many, "", "*/"),
        ("1", " + 1", many, "", ""),
        ("true", " && true", many, "", ""),
        ("1", " ** 1", many, "", ""),
        ("let a = #{}; a", ".a", many, "", ""),
        ("let a = []; a", "[0]", many, "", ""),
        ("1", " ?? 1", many, "", ""),
        ("if false { 1 } ", "else if false { 1 } ", many / 4, "", ""),
        ("", "1;", many * 2, "", ""),
        ("", "let a = 1;", many / 2, "", ""),
    ] {
        let body = [before, &open.repeat(count), inner, &close.repeat(count)].concat();
        // It ends, one way or the other, and this thread's stack holds what is dropped.
        let result = hostile(&body).map_err(|exit| exit.to_string());
        match (open, result) {
            ("/*" | "1;" | "let a = 1;", result) => assert!(result.is_ok(), "{open}: {result:?}"),
            (_, Err(reason)) => {
                assert!(
                    reason.contains("maximum complexity") || reason.contains("reserved"),
                    "{open}: {reason}"
                );
            }
            (_, Ok(value)) => panic!("{open}: {value}"),
        }
    }
    let (_, _, reason) = load_error("1;".repeat(40_000));
    assert!(reason.contains("80000 bytes, and at most 65536"), "{reason}");
}

#[tokio::test]
async fn s2_a_script_runs_off_the_async_threads() {
    let mut limits = ScriptLimits::default();
    (limits.operations, limits.time) = (u64::MAX, Duration::from_millis(600));
    let code = rhai::Script::new(function(&[], "f()", "loop {}")).limits(limits);
    let spec = rhai::from_code(code).unwrap();
    let ticks = async {
        for _ in 0..10 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Instant::now()
    };
    let begun = Instant::now();
    let (result, ticked) = tokio::join!(call!(spec), ticks);
    assert_eq!(kind(&result), ErrorKind::Timeout);
    assert!(ticked - begun < Duration::from_millis(500), "the runtime went on");
}

#[tokio::test]
async fn s2_a_dropped_call_ends_its_script() {
    let alive = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&alive);
    let env = Env::new().function("tick", move || {
        seen.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    let mut limits = ScriptLimits::default();
    (limits.operations, limits.time) = (u64::MAX, Duration::from_mins(10));
    let code = rhai::Script::new(function(&[], "f()", "loop { tick() }")).limits(limits).env(env);
    let spec = rhai::from_code(code).unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(100), call!(spec)).await.is_err());
    tokio::time::sleep(Duration::from_millis(100)).await;
    let then = alive.load(Ordering::Relaxed);
    assert!(then > 0);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(alive.load(Ordering::Relaxed), then);
}

#[test]
fn s2_ordinary_data_is_within_the_memory_limit() {
    let rows = "let rows = []; for i in 0..5000 { rows.push(i * 2); } let sum = 0;
                for row in rows { sum += row; } for i in 0..5000 { rows[i] = rows[i] + 1; } sum + rows[4999]";
    assert_eq!(hostile(rows).unwrap(), 4_999 * 5_000 + 9_999);
    let map = "let m = #{}; for i in 0..2000 { m[`k${i}`] = #{ id: i, name: `name ${i}` }; }
               let most = 1990; m.values().filter(|row| row.id > most).map(|row| row.name.len).len()";
    assert_eq!(hostile(map).unwrap(), 9);
    let deep =
        "let down = |down, n, rows| if n == 0 { rows.len } else { down.call(down, n - 1, rows + [n]) };
                down.call(down, 12, [0] + \"a b c\".split())";
    assert_eq!(hostile(deep).unwrap(), 16);
}

#[test]
fn s2_the_memory_limit_is_the_programs() {
    let mut limits = ScriptLimits::default();
    limits.memory_bytes = 100_000;
    let result = hostile_within("let a = []; a.pad(9000, 1); let b = a; a.len", limits.clone());
    assert_eq!(kind(&result), ErrorKind::Limit, "{result:?}");
    let error = result.unwrap_err().to_string();
    assert!(
        error.contains("more than 100000 bytes; keep less at once, or raise `ScriptLimits::memory_bytes`"),
        "{error}"
    );
    // It is not caught, neither around a closure nor in one.
    let caught = "loop { try { [1].map(|x| { let a = []; a.pad(9000, x); let b = a; b }) } catch { } }";
    let error = hostile_within(caught, limits.clone()).unwrap_err().to_string();
    assert!(error.contains("more than 100000 bytes"), "{error}");
    assert_eq!(hostile_within("let a = [1, 2, 3]; a.len", limits).unwrap(), 3);
}

#[test]
fn s2_many_variables_are_refused() {
    let body = (0..500).map(|at| format!("let v{at} = {at};")).collect::<Vec<_>>().concat();
    assert_eq!(kind(&hostile(&body)), ErrorKind::Limit);
}

#[tokio::test]
async fn s2_a_host_function_that_panics_is_a_panic_of_the_tool() {
    let env = Env::new().function("bad", || -> ToolResult<()> { panic!("ouch") });
    let spec = rhai::from_code(rhai::Script::new(function(&[], "f()", "bad()")).env(env)).unwrap();
    let result = call!(spec).await;
    assert_eq!(kind(&result), ErrorKind::Panic, "{result:?}");
}

#[test]
fn s2_closures_of_the_language_own_functions_are_limited_too() {
    let run = |body: &str, limits: ScriptLimits| {
        let spec = rhai::from_code(rhai::Script::new(function(&[], "f()", body)).limits(limits)).unwrap();
        let begin = Instant::now();
        let result = spec.call_blocking("{}");
        assert!(begin.elapsed() < Duration::from_mins(1), "{body}: {:?}", begin.elapsed());
        match result {
            Err(Exit::Tool(error)) => (error.kind(), error.to_string()),
            other => panic!("{body}: {other:?}"),
        }
    };
    for body in [
        "let a = []; a.pad(10000, 1); let b = a; let c = a; a.for_each(|x| b.for_each(|y| c.for_each(|z| 1)))",
        "let a = []; a.pad(10000, 1); let b = a; let c = a; a.map(|x| b.all(|y| c.all(|z| true)))",
        "let m = #{}; for i in 0..5000 { m[`${i}`] = i; } let n = m; m.filter(|v| n.filter(|v| true) == #{})",
        "let a = []; a.pad(10000, 1); let b = a; a.reduce(|s, x| b.some(|y| false), 0)",
    ] {
        let mut limits = ScriptLimits::default();
        limits.time = Duration::MAX;
        let (kind, text) = run(body, limits);
        assert_eq!(kind, ErrorKind::Limit, "{text}");
        assert!(text.ends_with("it took more than 1000000 operations"), "{body}: {text}");
        let mut limits = ScriptLimits::default();
        (limits.operations, limits.time) = (u64::MAX, Duration::from_millis(300));
        let (kind, text) = run(body, limits);
        assert_eq!(kind, ErrorKind::Timeout, "{body}: {text}");
    }
}

#[tokio::test]
async fn s2_bounded_functions_do_what_the_language_says() {
    for (body, value) in [
        (r#"let t = "a-b-a"; t.replace("a", "xyz"); t"#, json!("xyz-b-xyz")),
        (r#"let t = "a-b-a"; t.replace("a", 'ü'); t"#, json!("ü-b-ü")),
        (r#"let t = "a-b-a"; t.replace('a', "xy"); t"#, json!("xy-b-xy")),
        (r#"let t = "a-b-a"; t.replace('a', 'c'); t"#, json!("c-b-c")),
        (r#"let t = "ab"; t.replace("", "-"); t"#, json!("-a-b-")),
        (r#"let t = ""; t.replace("", "-"); t"#, json!("")),
        (r#"let t = "a"; t.pad(6, "bc"); t"#, json!("abcbcb")),
        (r#"let t = "abc"; t.pad(2, "x"); t.pad(-1, "x"); t.pad(9, ""); t"#, json!("abc")),
        ("[1, 2].map(|x| x + 1)", json!([2, 3])),
        ("[1, 2].map(|x, i| x * i)", json!([0, 2])),
        ("let k = 3; [1, 2].map(|| k)", json!([3, 3])),
        ("#{ a: 1, b: 2 }.map(|k| k + 1)", json!({"a": "a1", "b": "b1"})),
        ("#{ a: 1, b: 2 }.map(|k, v| v + 1)", json!({"a": 2, "b": 3})),
        ("[1, 2].zip([3, 4, 5], |x, y| x * y)", json!([3, 8])),
        ("[1, 2].zip([3, 4], |x, y, i| i)", json!([0, 1])),
        (r#"let a = []; for c in "aüb".chars() { a.push(c); } a"#, json!(["a", "ü", "b"])),
        (r#"let a = []; for c in "aüb".chars { a.push(c); } a"#, json!(["a", "ü", "b"])),
        (r#"let t = ""; for c in "aübc".chars(1) { t += c; } t"#, json!("übc")),
        (r#"let t = ""; for c in "aübc".chars(-3, 2) { t += c; } t"#, json!("üb")),
        (r#"let t = ""; for c in "aübc".chars(-9, 2) { t += c; } t"#, json!("aü")),
        (r#"let t = ""; for c in "aübc".chars(1..3) { t += c; } t"#, json!("üb")),
        (r#"let t = ""; for c in "aübc".chars(1..=3) { t += c; } t"#, json!("übc")),
        (r#"let t = ""; for c in "aübc".chars(4, 2) { t += c; } t + "." "#, json!(".")),
        (r#"let t = ""; for c in "aübc".chars(0, 0) { t += c; } t + "." "#, json!(".")),
        (r#"["a", "len", 'c'].index_of("len")"#, json!(1)),
        (r#"["a", "len", "a"].index_of("a", 1)"#, json!(2)),
        (r#"["a", "len", 'c'].index_of("c", -1)"#, json!(2)),
        (r#"["a"].index_of("x")"#, json!(-1)),
    ] {
        let spec = rhai::from_code(function(&[], "f()", body)).unwrap();
        assert_eq!(call!(spec).await.unwrap(), value, "{body}");
    }
    let spec = rhai::from_code(function(&[], "f()", r#"[1].map("print")"#)).unwrap();
    let text = call!(spec).await.unwrap_err().to_string();
    assert!(
        text.contains("`map` takes a closure, such as `|x| ..`, and not the name of a function"),
        "{text}"
    );
    let constant = rhai::from_code(function(&[], "f()", r#"const T = "a"; T.replace("a", "b"); T"#)).unwrap();
    assert!(call!(constant).await.is_err());
}

#[test]
fn s2_statements_outside_of_functions_are_load_errors() {
    for (code, at) in [
        ("let x = 1;\n/// Does it.\nfn f() { 1 }", (1, 1)),
        ("/// Does it.\nfn f() { 1 }\n\n  print(\"x\");", (4, 3)),
        ("const RATE = 2;\n/// Does it.\nfn f() { 1 }", (1, 1)),
        ("/// Does it.\nfn f() { 1 }\nf()", (3, 1)),
    ] {
        let (line, column, reason) = load_error(code);
        assert_eq!((line, column), at, "{code}: {reason}");
        assert!(reason.contains("outside of the functions") && reason.contains("`Env::value`"), "{reason}");
    }
}

#[test]
fn s2_calls_of_unknown_functions_are_load_errors() {
    for (body, column, words) in [
        ("1 + hlper(2)", 15, "there is no function `hlper`; did you mean `helper`?"),
        ("helper(1, 2)", 10, "`helper` takes 1 arguments, and is given 2"),
        ("let t = \"a\"; t.to_uper()", 25, "there is no function `to_uper`; did you mean `to_upper`?"),
        ("let t = \"a\"; t.sub_string()", 25, "`sub_string` takes 1 or 2 arguments, and is given 0"),
        ("let a = |x| missing(x); a.call(1)", 22, "there is no function `missing`"),
        ("if false { missing() }", 21, "there is no function `missing`"),
        ("[1].map(|x| x.missing())", 24, "there is no function `missing`"),
    ] {
        let code = format!("/// Does it.\nfn f() {{ {body} }}\nprivate fn helper(x) {{ x }}");
        let (line, found, reason) = load_error(&*code);
        assert_eq!(line, 2, "{body}: {reason}");
        assert!(reason.starts_with(words), "{body}: {reason}");
        assert!(found.abs_diff(column) <= 4, "{body}: {found}");
    }
    let env = Env::new().function("host", |x: i64| Ok(x));
    let fine = "/// Does it.\nfn f() {
        let c = |x| x; let a = [3, 1]; a.sort(); let m = #{ k: c };
        host(1) + c.call(1) + helper(2) + 3.helper() + a.len() + a.len + \"a\".len() + type_of(a).len() + m.k.call(1) + `${a}`.len()
    }\nfn helper(x) { if x == () { 0 } else { x } }\nfn helper() { 1 }";
    let spec = rhai::from_code(rhai::Script::new(fine).env(env).func_name("f"));
    assert!(spec.is_ok(), "{spec:?}");
}

#[tokio::test]
async fn s2_docs_without_types_take_any_value() {
    for (args, description) in [
        (&["Args:", "    a: The first - not the last", "    b: The second"][..], "The first - not the last"),
        (&["# Arguments", "* `a` - The first", "* `b` - The second"], "The first"),
        (&["# Arguments", "* `a`", "* `b`"], ""),
        (&["Args:", "    a: int", "    b"], ""),
    ] {
        let mut lines = args.to_vec();
        lines.extend(["", "Returns: any: Both."]);
        let spec = rhai::from_code(function(&lines, "f(a, b)", "[a, b]")).unwrap();
        let property = &spec.input_schema()["properties"]["a"];
        assert_eq!(property["description"].as_str().unwrap_or_default(), description, "{args:?}");
        assert_eq!(property["type"] == "integer", args[1].ends_with("int"), "{args:?}");
        assert_eq!(spec.output_schema().unwrap()["description"], "Both.", "{args:?}");
        assert_eq!(call!(spec, a = 1, b = "x").await.unwrap(), json!([1, "x"]), "{args:?}");
    }
    let (.., reason) = load_error("/// Does it.\n/// Args:\n///   a: One\nfn f(a, b) { a }");
    assert!(reason.contains("do not describe the parameter `b`"), "{reason}");
}

/// A closure captures the variables of its own function. The values of an `Env` are not variables there.
#[tokio::test]
async fn s2_a_closure_sees_a_copy_of_a_value_of_the_environment() {
    let run = async |body: &str| {
        let env = Env::new().value("most", 3);
        let code = rhai::Script::new(function(&[], "f()", body)).env(env);
        rhai::from_code(code)?.call("{}").await
    };
    assert_eq!(
        run("let most = most; [1, 5].map(|x| if x > most { most } else { x })").await.unwrap(),
        json!([1, 3])
    );
    let refused = run("[1, 5].map(|x| if x > most { most } else { x })").await.unwrap_err().to_string();
    assert!(refused.contains("most"), "{refused}");
}
