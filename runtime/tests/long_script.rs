//! S2: whatever a script's text and its docs are, it is a tool or an error: no panic, no hang, no growth.
#![cfg(feature = "rhai")]
#![allow(missing_docs, clippy::unwrap_used, reason = "tests say what they expect")]

use std::time::{Duration, Instant};

use onionskin::rhai::{self, Env, ScriptLimits};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::json;

/// `PROPTEST_CASES` says how many cases there are.
fn config() -> ProptestConfig {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/script.txt");
    ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(seeds))),
        ..ProptestConfig::default()
    }
}

/// Pieces that scripts are made of.
const PIECES: &[&str] = &[
    "let a = 1;",
    "let b = [];",
    "let c = #{};",
    "let t = \"text\";",
    "const K = 2;",
    "a",
    "b",
    "c",
    "t",
    "K",
    "x",
    " = ",
    " += ",
    "==",
    "+",
    "-",
    "*",
    "/",
    "%",
    "**",
    "<<",
    ">>",
    "&&",
    "||",
    "!",
    "??",
    "?.",
    ".",
    ",",
    ";",
    ":",
    "::",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "#{",
    "|x|",
    "|x, y|",
    "=>",
    "..",
    "..=",
    "if ",
    " else ",
    "while ",
    "loop ",
    "for i in ",
    "switch ",
    "break;",
    "continue;",
    "return ",
    "throw ",
    "try ",
    "catch ",
    "fn g(x) ",
    "g(",
    "host(",
    "VALUE",
    "1",
    "-1",
    "0",
    "9223372036854775807",
    "1.5",
    "\"s\"",
    "'c'",
    "`x ${a}`",
    "true",
    "()",
    "b.push(",
    "b.pad(9999, ",
    "t.pad(9999, ",
    "t.replace(\"e\", ",
    "b.map(",
    "b.filter(",
    "b.reduce(",
    "b.sort(",
    "b.zip(b, ",
    "c.x = ",
    "c.map(",
    "t.split(",
    "t.chars()",
    "to_json(",
    "parse_json(",
    "b[0] = b;",
    "b += b;",
    "t += t;",
    "range(0, 9)",
    "type_of(",
    "is_shared(",
    ".call(",
    ".curry(",
    "eval(",
    "import ",
    "this",
    "/* ",
    " */",
    "// ",
    "\n",
];

fn body() -> impl Strategy<Value = String> {
    let piece = prop_oneof![9 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => "\\PC{0,4}"];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Whole statements, so that scripts run and do not only fail to load.
fn statements() -> impl Strategy<Value = String> {
    let expression = prop::sample::select(vec![
        "1",
        "a",
        "b",
        "c",
        "t",
        "b.len()",
        "t.len()",
        "[a, b, t]",
        "#{ k: b, l: t }",
        "b.map(|i| t)",
        "b.map(|i| b)",
        "b.filter(|i| true)",
        "b.reduce(|s, i| s + i, t)",
        "t.split(\"\")",
        "t + t",
        "b + b",
        "`${t}${b}`",
        "t.to_chars()",
        "c.keys()",
        "c.to_json()",
        "host(b)",
        "VALUE",
        "|i| t",
        "b == b",
        "b.zip(b, |i, j| [i, j])",
        "-a",
        "a * 7",
        "a ** 9",
    ]);
    let place = prop::sample::select(vec!["a", "b", "c", "t", "b[0]", "c.k", "c[t]", "b[a]"]);
    let count = 0..20_000_i64;
    let statement = prop_oneof![
        (place, expression.clone())
            .prop_map(|(place, value)| format!("try {{ {place} = {value}; }} catch {{}}")),
        expression.clone().prop_map(|value| format!("try {{ b.push({value}); }} catch {{}}")),
        (count, expression.clone())
            .prop_map(|(count, value)| format!("try {{ b.pad({count}, {value}); }} catch {{}}")),
        expression.clone().prop_map(|value| format!("try {{ t.replace(\"t\", {value}); }} catch {{}}")),
        expression
            .prop_map(|value| format!("for i in 0..50 {{ try {{ b.push({value}); t += t; }} catch {{}} }}")),
    ];
    prop::collection::vec(statement, 0..12).prop_map(|all| {
        format!("let a = 3; let b = [1, 2]; let c = #{{}}; let t = \"text\"; {} b", all.concat())
    })
}

fn limits() -> ScriptLimits {
    let mut limits = ScriptLimits::default();
    (limits.operations, limits.time, limits.memory_bytes) = (20_000, Duration::from_secs(2), 4 << 20);
    limits
}

/// Reads a script, and calls it if it is one.
fn run(code: &str) {
    let begin = Instant::now();
    let env = Env::new()
        .value("VALUE", json!({"a": [1, 2.5, "x"]}))
        .function("host", |value: serde_json::Value| Ok(value));
    if let Ok(spec) = rhai::from_code(rhai::Script::new(code).env(env).limits(limits())) {
        for args in [json!({}), json!({"x": 1}), json!({"x": "text"})] {
            let _ = spec.exec_blocking(args);
        }
    }
    assert!(begin.elapsed() < Duration::from_mins(1), "{:?}: {code}", begin.elapsed());
}

/// Kilobytes that this process holds.
#[cfg(target_os = "linux")]
fn held() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(not(target_os = "linux"))]
fn held() -> usize {
    0
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn long_s2_any_body_is_a_script_or_an_error(body in body()) {
        run(&format!("/// Does it.\n/// # Arguments\n/// * `x: any = 1`\nfn f(x) {{ {body} }}"));
        run(&format!("/// Does it.\n{body}"));
    }

    #[test]
    fn long_s2_scripts_that_hold_much_end(body in statements()) {
        run(&format!("/// Does it.\nfn f() {{ {body} }}"));
        prop_assert!(held() < 1 << 20, "{} kB", held());
    }

    #[test]
    fn long_s2_any_docs_are_read_or_an_error(lines in docs()) {
        let docs = lines.join("\n/// ");
        let code = format!("/// Does it.\n/// {docs}\nfn f(a, b) {{ a }}");
        if let Ok(spec) = rhai::from_code(&*code) {
            let names: Vec<_> = spec.params().into_iter().map(|param| param.name).collect();
            prop_assert!(names.iter().all(|name| name == "a" || name == "b") && names.len() == 2, "{names:?}");
            prop_assert!(!spec.description().is_empty());
        }
    }
}

fn docs() -> impl Strategy<Value = Vec<String>> {
    const WORDS: &[&str] = &[
        "# Arguments",
        "# Returns",
        "Args:",
        "Returns:",
        "Parameters:",
        "Raises:",
        "## Notes",
        "* `a: int`",
        "* `b`",
        "- a: int - x",
        "    a (int): First",
        "    b (int, default 2): Second",
        "  b: text",
        "a: int",
        "b: map<[int?]>",
        "`int` - the sum",
        "int: the sum",
        "Returns: int: the sum",
        "* `a: \"x\" | \"y\" = \"x\"` - one",
        "b (",
        "`",
        "* `",
        ":",
        "()",
        "=",
        "?",
        "<",
        "[",
        "",
        " ",
        "ä: ü",
        "```",
        "* * *",
    ];
    let word = prop_oneof![6 => prop::sample::select(WORDS).prop_map(str::to_owned), 1 => "[^\\n\\r]{0,12}"];
    prop::collection::vec(word, 0..12)
}
