//! S2: what scripts that mean harm hold at most. A process of their own: its peak is measured.
#![cfg(all(feature = "rhai", target_os = "linux"))]
#![allow(missing_docs, clippy::unwrap_used, reason = "tests say what they expect")]

use std::time::Duration;

use onionskin::rhai::{self, Env, ScriptLimits};
use onionskin::{ErrorKind, Exit, ToolResult};
use serde_json::Value;

/// Within the default limit of 64 MiB, with what the process and a thread's deep stack need.
const PEAK: usize = 160;

/// The peak of this process in MiB.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
}

fn run(code: &str) -> ToolResult<Value> {
    let mut limits = ScriptLimits::default();
    // How long a machine takes is its own matter.
    limits.time = Duration::MAX;
    let env = Env::new().function("large", || Ok(vec![1; 10_000]));
    rhai::from_code(rhai::Script::new(format!("/// Harms.\n{code}")).limits(limits).env(env))?
        .call_blocking("{}")
}

/// Each ends as it holds too much, whatever it puts where.
const HOSTILE: &[(&str, &str)] = &[
    (
        "arrays put in places of an array",
        "fn f() { let a = []; a.pad(5000, 0); let b = []; b.pad(4000, 1); for i in 0..5000 { a[i] = b; } }",
    ),
    (
        "texts put in places of an array",
        r#"fn f() { let a = []; a.pad(9000, 0); let s = ""; s.pad(200000, "x"); for i in 0..9000 { a[i] = s + i; } }"#,
    ),
    (
        "texts that were emptied and keep their place",
        r#"fn f() {
            let a = []; a.pad(9000, 0);
            for i in 0..9000 { let s = ""; s.pad(200000, "x"); s.truncate(30); a[i] = s; }
        }"#,
    ),
    ("entries of a map", "fn f() { let m = #{}; let i = 0; loop { m[`a key of some length ${i}`] = i; i += 1; } }"),
    (
        "arrays put in maps inside of maps",
        "fn f() {
            let b = []; b.pad(5000, 1);
            let m = #{ a: #{ b: #{} } };
            for i in 0..9000 { m.a.b[`k${i}`] = #{ x: 1 }; m.a.b[`k${i}`].x = b; }
        }",
    ),
    (
        "variables of many calls",
        "fn f() { g(0) }
         private fn g(n) {
            let a = []; a.pad(9000, n);
            let a0 = a; let b0 = a; let c0 = a; let d0 = a;
            let a1 = a; let b1 = a; let c1 = a; let d1 = a;
            let a2 = a; let b2 = a; let c2 = a; let d2 = a;
            let a3 = a; let b3 = a; let c3 = a; let d3 = a;
            let a4 = a; let b4 = a; let c4 = a; let d4 = a;
            g(n + 1) + a.len()
         }",
    ),
    (
        "arguments of one call",
        "ARGUMENTS",
    ),
    (
        "arguments of many calls",
        "fn f() { let a = []; a.pad(9000, 1); g(a, 0) }
         private fn g(a, n) { h(a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, g(a, n + 1)) }
         private fn h(a, b, c, d, e, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, last) { last }",
    ),
    (
        "results of functions that have no variables",
        r"BLIND",
    ),
    (
        "results of the program's functions",
        "PROGRAM",
    ),
    (
        "a captured variable that grows",
        "fn f() {
            let a = []; a.pad(9000, 0); let b = []; b.pad(5000, 1);
            let put = |i| { a[i] = b; };
            for i in 0..9000 { put.call(i); }
        }",
    ),
    (
        "values bound to a closure",
        "fn f() { let b = []; b.pad(5000, 1); let c = |x| x; for i in 0..200000 { c = c.curry(b); } }",
    ),
    (
        "closures in the variable that they capture",
        "fn f() { for i in 0..100000 { let a = []; a.pad(5000, 1); let c = || a; a[0] = c; } }",
    ),
    (
        "two closures that capture each other",
        "fn f() {
            for i in 0..100000 {
                let a = []; a.pad(5000, 1); let b = [1]; let c = || a; let d = || b; a[0] = d; b[0] = c;
            }
        }",
    ),
    (
        "text in place of each letter",
        r#"fn f() { let s = ""; s.pad(262144, "a"); let t = s; s.replace("a", t); s }"#,
    ),
    (
        "text in place of each letter, in many arrays",
        r#"fn f() { let a = []; for i in 0..9999 { let s = ""; s.pad(32768, "a"); s.replace('a', s); a.push(s); } }"#,
    ),
    (
        "large items of an array that is made",
        r#"fn f() { let s = ""; s.pad(250000, "a"); let a = []; a.pad(9999, 1); a.map(|x| s + x) }"#,
    ),
    (
        "large items of an array that is made of two",
        r#"fn f() { let s = ""; s.pad(250000, "a"); let a = []; a.pad(9999, 1); a.zip(a, |x, y| s + x) }"#,
    ),
    (
        "large entries of a map that is made",
        r#"fn f() {
            let s = ""; s.pad(250000, "a"); let m = #{}; for i in 0..9999 { m[`${i}`] = i; }
            m.map(|v| s + v)
        }"#,
    ),
    (
        "arrays of arrays that are made at once",
        r#"fn f() { let a = []; a.pad(9999, 1); let b = a; let c = a; a.map(|x| b.map(|y| c.map(|z| "some text of some length" + z))) }"#,
    ),
    (
        "more items than can be counted",
        r"fn f() { let b = []; b.pad(8191, 1); let a = []; a.pad(2251799813685248, b); }",
    ),
    (
        "letters that are kept",
        r#"fn f() { let a = []; a.pad(9999, 1); for i in 0..9999 { let s = ""; s.pad(250000, "a"); a[i] = s.chars(); } }"#,
    ),
    (
        "bytes that are kept",
        r#"fn f() { let a = []; a.pad(9999, 1); let s = ""; s.pad(9999, "a"); for i in 0..9999 { a[i] = s.to_blob(); } }"#,
    ),
    (
        "long names of entries",
        r#"fn f() { let m = #{}; let s = ""; s.pad(250000, "a"); for i in 0..9999 { m[s + i] = i; } }"#,
    ),
    (
        "what is caught goes on",
        "fn f() {
            let m = #{}; let b = []; b.pad(5000, 1);
            loop { try { for i in 0..9000 { m[`k${i}`] = b; } } catch { } }
        }",
    ),
];

/// A function of 4000 arguments.
fn many_arguments() -> String {
    let names: Vec<_> = (0..4000).map(|number| format!("p{number}")).collect();
    format!("private fn g({}) {{ p0 }}", names.join(", "))
}

#[test]
fn s2_no_script_holds_more_than_its_limit() {
    let before = peak();
    for (what, code) in HOSTILE {
        let code = match *code {
            "ARGUMENTS" => {
                let many = vec!["a"; 4000].join(", ");
                format!("fn f() {{ let a = []; a.pad(9000, 1); g({many}) }}\n{}", many_arguments())
            }
            "BLIND" => {
                let many = vec!["l()"; 4000].join(", ");
                let text = "x".repeat(9000);
                format!(
                    "fn f() {{ g({many}) }}\n{}\nprivate fn l() {{ \"{text}\".split(\"\") }}",
                    many_arguments()
                )
            }
            "PROGRAM" => {
                format!("fn f() {{ g({}) }}\n{}", vec!["large()"; 4000].join(", "), many_arguments())
            }
            code => code.to_owned(),
        };
        let result = run(&code);
        let Err(Exit::Tool(error)) = &result else { panic!("{what}: {result:?}") };
        assert_eq!(error.kind(), ErrorKind::Limit, "{what}: {error}");
        let error = error.to_string();
        let is_value = error.contains("too much data: ");
        let is_all = error.contains(
            "held more than 67108864 bytes; keep less at once, or raise `ScriptLimits::memory_bytes`",
        );
        assert!(is_value || is_all, "{what}: {error}");
        assert!(peak() < PEAK, "{what}: {} MiB, and {before} MiB before all", peak());
    }
    // Closures that hold themselves do not outlive their call.
    for _ in 0..100 {
        let own = "fn f() { for i in 0..100 { let a = []; a.pad(5000, 1); let c = || a; a[0] = c; } 1 }";
        assert_eq!(run(own).unwrap(), 1);
    }
    assert!(peak() < PEAK, "{} MiB", peak());
}
