//! S2: all functions that a script's engine has, with the largest arguments, in a process with little memory.

#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

use std::any::TypeId;
use std::ops::{Range, RangeInclusive};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rhai::{Array, Blob, Dynamic, FnPtr, INT, ImmutableString, Map};
use serde_json::{Value, json};

use super::super::env::Env;
use super::super::limits::ScriptLimits;
use super::super::memory::{MemoryNeed, Meter};
use super::super::sandbox::{Watch, engine};
use crate::{Script, from_code};

/// The child's name, as the test runner knows it.
const CHILD: &str = "bounded::tests::s2_every_function_in_a_child";
/// The children, each of which calls its share of the functions. They run side by side, as the calls take half a minute.
const CHILDREN: usize = 2;
/// Set in a child: its number.
const NUMBER: &str = "ONIONSKIN_TEST_EVERY_FUNCTION";
/// Twice what a call may hold.
const MOST: usize = 2 * 64 * 1024;
/// Kilobytes of addresses: the deep stacks of threads are never filled.
const ADDRESSES: usize = 2 * 1024 * 1024;
/// Combinations of arguments of one function, at most.
const COMBINATIONS: usize = 10;
/// A time that no function reaches, in a build without optimisation on a machine that does other things too.
const SLOWEST: Duration = Duration::from_secs(20);

#[test]
fn s2_no_function_of_the_language_holds_more_than_twice_the_limit() {
    let children = std::thread::scope(|scope| {
        let children: Vec<_> = (0..CHILDREN).map(|number| scope.spawn(move || run_child(number))).collect();
        children.into_iter().map(|child| child.join().unwrap()).collect::<Vec<_>>()
    });
    let called: usize = children.into_iter().sum();
    assert!(called > 280, "{called} functions");
}

/// Calls the functions of one child. Returns their number.
fn run_child(number: usize) -> usize {
    let program = std::env::current_exe().unwrap();
    let limited = format!("ulimit -v {ADDRESSES}; exec \"$0\" --exact {CHILD} --nocapture");
    let mut child = Command::new("sh")
        .args(["-c", &limited])
        .arg(program)
        .env(NUMBER, number.to_string())
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The child reports its current work here, for the case that the test kills it.
    let mut printed = child.stderr.take().unwrap();
    let read = std::thread::spawn(move || std::io::read_to_string(&mut printed).unwrap());
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if begin.elapsed() > Duration::from_secs(280) {
            child.kill().unwrap();
            break None;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let printed = read.join().unwrap();
    let last: Vec<_> = printed.lines().rev().take(12).collect();
    assert!(status.is_some_and(|status| status.success()), "{status:?}, last lines first: {last:#?}");
    let called = printed.lines().find_map(|line| line.strip_prefix("functions called: "));
    called.and_then(|called| called.parse().ok()).unwrap_or_else(|| panic!("{last:#?}"))
}

#[test]
fn s2_every_function_in_a_child() {
    let Ok(number) = std::env::var(NUMBER) else { return };
    let number: usize = number.parse().unwrap();
    let mut called = 0;
    for (name, types) in registered().into_iter().skip(number).step_by(CHILDREN) {
        let with_closure = types.contains(&TypeId::of::<FnPtr>());
        let values: Option<Vec<_>> = types.iter().map(|kind| values(*kind, with_closure)).collect();
        // No function of the language makes values of the other number types.
        if let Some(values) = values {
            call_with_all(&name, &values);
            called += 1;
        }
    }
    eprintln!("functions called: {called}");
}

/// Name and types of all that a script can call, in the same order in each process.
fn registered() -> Vec<(String, Vec<TypeId>)> {
    let limits = ScriptLimits::default();
    let meter = Arc::new(Meter::new(&limits, MemoryNeed::default()));
    let engine = engine(&Env::new(), &limits, &Watch::default(), &meter).unwrap();
    let mut all = engine.collect_fn_metadata(
        None,
        |function| Some((function.metadata.name.to_string(), function.metadata.param_types.to_vec())),
        true,
    );
    all.sort();
    all.dedup();
    all
}

/// Expressions that make the values worth trying of a type, the largest first.
fn values(kind: TypeId, with_closure: bool) -> Option<Vec<&'static str>> {
    let is = |other: TypeId| kind == other;
    // A closure does not see the values of an environment.
    let closures = [
        "{ let large = TEXT; |x| large + x }",
        "{ let many = SOME; |x, y| many }",
        "|x| true",
        "{ let large = TEXT; |x, y| #{ a: large } }",
        "|x, y| 1",
    ];
    Some(match () {
        () if is(TypeId::of::<ImmutableString>()) => {
            vec!["TEXT", "ZEROS", "NUMBERS", "OBJECTS", "\"a\"", "\"\""]
        }
        () if is(TypeId::of::<char>()) => vec!["'a'", "'\u{10ffff}'"],
        () if is(TypeId::of::<INT>()) => {
            vec!["9223372036854775807", "262144", "-1", "0", "-9223372036854775807"]
        }
        () if is(TypeId::of::<f64>()) => vec!["1.7e308", "0.0"],
        () if is(TypeId::of::<bool>()) => vec!["true"],
        () if is(TypeId::of::<()>()) => vec!["()"],
        // Enough to hold too much, and quicker where a closure is called for each.
        () if is(TypeId::of::<Array>()) && with_closure => vec!["SOME", "[TEXT]"],
        () if is(TypeId::of::<Map>()) && with_closure => vec!["FEW", "#{ a: TEXT }"],
        () if is(TypeId::of::<Array>()) => vec!["ONES", "[TEXT]", "TEXTS", "[]"],
        () if is(TypeId::of::<Map>()) => vec!["ENTRIES", "#{ a: TEXT }", "#{ a: ONES, b: ZEROS }"],
        () if is(TypeId::of::<Blob>()) => vec!["SHORT.to_blob()"],
        () if is(TypeId::of::<FnPtr>()) => closures.to_vec(),
        () if is(TypeId::of::<Dynamic>()) => {
            vec!["TEXT", "ONES", "ENTRIES", "{ let large = TEXT; |x| large }", "1"]
        }
        () if is(TypeId::of::<Range<INT>>()) => vec!["0..9223372036854775807", "9223372036854775807..0"],
        () if is(TypeId::of::<RangeInclusive<INT>>()) => vec!["0..=9223372036854775807"],
        () => return None,
    })
}

fn call_with_all(name: &str, values: &[Vec<&str>]) {
    let all: usize = values.iter().map(Vec::len).product();
    // So that all values of all arguments are met.
    let meets_all =
        |step: usize| values.iter().all(|values| values.len() == 1 || !step.is_multiple_of(values.len()));
    let least = all.div_ceil(COMBINATIONS);
    let step = (least..=all).find(|step| *step == 1 || meets_all(*step)).unwrap_or(1);
    let mut bodies = String::new();
    let mut count = 0;
    for at in (0..all).step_by(step) {
        let mut rest = at;
        let chosen = values.iter().map(|values| {
            let value = values[rest % values.len()];
            rest /= values.len();
            value
        });
        let mut set = String::new();
        for (at, value) in chosen.enumerate() {
            set.push_str(&format!("let v{at} = {value}; "));
        }
        let call = call(name, values.len());
        bodies.push_str(&format!("{count} => {{ {set}{call}; }},\n"));
        count += 1;
    }
    let code = format!(
        "/// Calls.\n/// # Arguments\n/// * `which: int`\nfn f(which) {{ switch which {{ {bodies} _ => () }} }}"
    );
    let limits = ScriptLimits { code_bytes: usize::MAX, ..ScriptLimits::default() };
    let spec = from_code(Script::new(&code).limits(limits).env(env()));
    let spec = spec.unwrap_or_else(|error| panic!("{name}: {error}\n{code}"));
    for which in 0..count {
        eprintln!("call {which} of `{name}`");
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
        let (before, begin) = (memory("VmRSS:"), Instant::now());
        let result = spec.call_blocking(json!({ "which": which }));
        let grown = memory("VmHWM:").saturating_sub(before);
        assert!(grown < MOST, "{name} {which}: {grown} kB\n{code}");
        assert!(begin.elapsed() < SLOWEST, "{name} {which}: {:?}\n{code}", begin.elapsed());
        if let Err(error) = &result {
            let error = error.to_string();
            // It is this function that was called.
            assert!(!error.contains(&format!("not found: {name} ")), "{name} {which}: {error}\n{code}");
        }
    }
}

fn call(name: &str, count: usize) -> String {
    let args = || (0..count).map(|at| format!("v{at}")).collect::<Vec<_>>().join(", ");
    let is_word = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    match (name.split_once('$'), count) {
        (Some(("get", property)), _) => format!("v0.{property}"),
        (Some((_, property)), _) => format!("v0.{property} = v1"),
        (None, 1) if !is_word => format!("{name}v0"),
        (None, _) if !is_word => format!("v0 {name} v1"),
        (None, 0) => format!("{name}()"),
        (None, _) if ["print", "debug"].contains(&name) => format!("{name}(v0)"),
        // The call is a method call, so that it changes the variable.
        (None, _) => {
            let rest = args();
            let rest = rest.strip_prefix("v0").unwrap_or_default().trim_start_matches(", ");
            format!("v0.{name}({rest})")
        }
    }
}

fn env() -> Env {
    let text = |piece: &str| piece.repeat(262_144 / piece.len());
    let entries = |count: usize| -> serde_json::Map<_, _> {
        (0..count).map(|at| (format!("key {at}"), Value::from(at))).collect()
    };
    Env::new()
        .value("TEXT", text("a"))
        .value("ZEROS", text("\u{7f}"))
        .value("NUMBERS", format!("[{}1]", text("1,")))
        .value("OBJECTS", format!("[{}1]", text("{\"a\":1},")))
        .value("SHORT", "a".repeat(10_000))
        .value("ONES", vec![1; 10_000])
        .value("SOME", vec![1; 1_000])
        .value("TEXTS", vec!["some text"; 10_000])
        .value("ENTRIES", entries(10_000))
        .value("FEW", entries(1_000))
}

/// Kilobytes.
fn memory(what: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(what)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
