//! Hooks in scripts.

#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too, and tools own what they get")]
#![allow(
    clippy::needless_pass_by_value,
    reason = "tests may panic, in their helpers too, and tools own what they get"
)]

use std::time::Duration;

use onionskin::content::Image;
use onionskin::rhai::{Script, ScriptHook, ScriptLimits, hook_from_code};
use onionskin::spec::Execution;
use onionskin::{ErrorKind, Exit, ToolOutput, ToolResult, ToolSpec, tool};
use serde_json::json;

/// A tool with a hook in front of it.
fn hooked(script: &str) -> ToolSpec {
    hooked_by(hook_from_code(script).unwrap())
}

fn hooked_by(hook: ScriptHook) -> ToolSpec {
    look_at::spec().hook(hook)
}

/// Looks at something.
#[tool(name = "look")]
async fn look_at(what: String) -> ToolResult {
    match &*what {
        "error" => Err("nothing to see".into()),
        "abort" => Err(Exit::abort("the end")),
        "slow" => {
            tokio::time::sleep(Duration::from_millis(120)).await;
            Ok(ToolOutput::text("at last"))
        }
        "image" => {
            let mut output = ToolOutput::text("see");
            output.push(Image::from_bytes(b"\x89PNG\r\n\x1a\n").unwrap());
            Ok(output)
        }
        what => Ok(ToolOutput::text(format!("saw {what}"))),
    }
}

async fn look(spec: ToolSpec, what: &str) -> Execution {
    spec.exec(json!({ "what": what })).await
}

async fn text_of(spec: ToolSpec, what: &str) -> String {
    match look(spec, what).await.output() {
        Ok(output) => output.to_text().into_owned(),
        Err(exit) => format!("error: {exit}"),
    }
}

async fn text(script: &str, what: &str) -> String {
    text_of(hooked(script), what).await
}

#[tokio::test]
async fn c3_a_guard_that_names_a_field_wrongly_lets_no_call_pass() {
    for guard in ["args.waht == \"secret\"", "ctx.tool == \"look\" && args.what == \"secret\""] {
        let script = format!("fn h(ctx, args) {{ if {guard} {{ throw \"no\"; }} call_next(args) }}");
        let said = text(&script, "secret").await;
        assert!(said.starts_with("error: the script of `h` failed at 1:"), "{said}");
        assert!(said.contains("there is no `") && !said.contains("saw"), "{said}");
    }
    let optional = r#"fn h(ctx, args) { if "deep" in args && args.deep { throw "no"; } args.more = 1; args.remove("more"); call_next(args) }"#;
    assert_eq!(text(optional, "cat").await, "saw cat");
}

/// Pays.
#[tool]
fn pay(amount: serde_json::Value) -> String {
    format!("paid {amount}")
}

#[tokio::test]
async fn c3_a_guard_that_compares_with_another_type_lets_no_call_pass() {
    for guard in [
        "args.amount > 100",
        "args.amount >= 100.5",
        "100 < args.amount",
        "!(args.amount <= 100)",
        "args.amount > \"m\"",
    ] {
        let script = format!("fn h(ctx, args) {{ if {guard} {{ throw \"too much\"; }} call_next(args) }}");
        for amount in [
            json!("500"),
            json!(500),
            json!([500]),
            json!({ "value": 500 }),
            json!(true),
            json!(null),
            json!(500.5),
        ] {
            let call =
                pay::spec().hook(hook_from_code(&*script).unwrap()).exec(json!({ "amount": &amount })).await;
            // One text is less than another one.
            let is_compared = guard.contains("\"m\"") && amount == json!("500");
            assert_eq!(call.output().is_ok(), is_compared, "{guard}: {amount}");
        }
        let fits = if guard.contains('m') && guard.contains('"') { json!("a") } else { json!(5) };
        let call = pay::spec().hook(hook_from_code(&*script).unwrap()).exec(json!({ "amount": fits })).await;
        assert_eq!(call.output().as_ref().unwrap().to_text(), format!("paid {fits}"), "{guard}");
    }
    let script = "fn h(ctx, args) { if args.amount > 100 { throw \"no\"; } call_next(args) }";
    let call = pay::spec().hook(hook_from_code(script).unwrap()).exec(json!({ "amount": [500] })).await;
    let Err(error) = call.output() else { panic!("{call:?}") };
    assert!(
        error.to_string().contains("`>` compares two numbers or two texts, and not `array` with `i64`"),
        "{error}"
    );
    // Within a text, letters and numbers are compared as before.
    let text = r#"fn h(ctx, args) {
        let order = [2 < 2.5, 2.5 <= 2.5, "a" < "b", 'a' < 'b', "a" < 'b', 'b' > "a", 2 >= 2];
        if !order.all(|holds| holds) { throw "wrong"; }
        let sorted = [3, 1, 2];
        sorted.sort();
        if sorted != [1, 2, 3] { throw "unsorted"; }
        call_next(args)
    }"#;
    let call = pay::spec().hook(hook_from_code(text).unwrap()).exec(json!({ "amount": 1 })).await;
    assert_eq!(call.output().as_ref().unwrap().to_text(), "paid 1");
}

#[tokio::test]
async fn c3_a_script_hook_runs_before_instead_of_and_after_a_tool() {
    let script = r#"fn h(ctx, args) {
        if args.what == "secret" { return "blocked " + ctx.tool_name; }
        args.what = args.what + "!";
        call_next(args) + " [h]"
    }"#;
    assert_eq!(text(script, "tea").await, "saw tea! [h]");
    assert_eq!(text(script, "secret").await, "blocked look");
    assert_eq!(
        text("fn h(ctx, args) { #{ seen: [1, 2] } }", "tea").await,
        json!({ "seen": [1, 2] }).to_string()
    );
    assert_eq!(text("fn h(ctx, args) { }", "tea").await, text("fn h(ctx, args) { () }", "tea").await);
}

#[tokio::test]
async fn c3_an_output_that_a_script_hook_does_not_change_stays_whole() {
    for script in ["fn h(ctx, args) { call_next(args) }", "fn h(ctx, args) { call_next(args); }"] {
        let seen = look(hooked(script), "image").await;
        assert_eq!(seen.output().unwrap().content().len(), 2, "{script}");
    }
}

#[tokio::test]
async fn c3_errors_pass_a_script_hook_unless_it_catches_them() {
    let bare = "fn h(ctx, args) { call_next(args) }";
    assert_eq!(text(bare, "error").await, "error: nothing to see");
    let caught =
        r#"fn h(ctx, args) { try { return call_next(args); } catch (error) { return "caught " + error; } }"#;
    assert_eq!(text(caught, "error").await, "caught `call_next`: nothing to see");
    let again = "fn h(ctx, args) { try { return call_next(args); } catch (error) { throw error; } }";
    assert_eq!(text(again, "error").await, "error: nothing to see");
    let own = r#"fn h(ctx, args) { call_next(args); throw "mine" }"#;
    assert!(text(own, "tea").await.contains("mine"), "{}", text(own, "tea").await);
    for script in [bare, caught] {
        assert!(matches!(look(hooked(script), "abort").await.output(), Err(Exit::Abort(_))), "{script}");
    }
}

#[tokio::test]
async fn c3_a_script_hook_goes_on_once_and_with_a_map() {
    let twice = "fn h(ctx, args) { call_next(args); call_next(args) }";
    assert!(text(twice, "tea").await.contains("a hook calls it once"), "{}", text(twice, "tea").await);
    let list = "fn h(ctx, args) { call_next([1]) }";
    assert!(text(list, "tea").await.contains("it takes the arguments, which are a map"));
}

#[tokio::test]
async fn c3_the_time_of_a_tool_is_not_that_of_a_script_hook_around_it() {
    let mut limits = ScriptLimits::default();
    limits.time = Duration::from_millis(60);
    let script = "fn h(ctx, args) { let text = call_next(args); for i in 0..300 { text.len(); } text }";
    let hook = hook_from_code(Script::new(script).limits(limits.clone())).unwrap();
    assert_eq!(text_of(hooked_by(hook), "slow").await, "at last");

    let endless = "fn h(ctx, args) { call_next(args); loop { } }";
    let hook = hook_from_code(Script::new(endless).limits(limits)).unwrap();
    let error = text_of(hooked_by(hook), "tea").await;
    assert!(error.contains("took"), "{error}");
}

#[tokio::test]
async fn c3_a_dropped_call_ends_its_script_hook() {
    let call = look(hooked("fn h(ctx, args) { try { call_next(args) } catch { loop { } } }"), "slow");
    assert!(tokio::time::timeout(Duration::from_millis(20), call).await.is_err());
}

#[test]
fn c3_a_script_hook_has_two_parameters_and_only_known_functions() {
    let error =
        |script: &str| hook_from_code(script).err().map(|error| error.to_string()).unwrap_or_default();
    assert_eq!(
        error("// a hook\n    fn fn_hook(a) { }"),
        "2:8: a hook takes two parameters and goes on with `call_next(args)`: `fn fn_hook(ctx, args)`; this takes 1"
    );
    assert_eq!(
        error("fn h(ctx, args) { call_nxt(args) }"),
        "1:19: there is no function `call_nxt`; did you mean `call_next`?"
    );
    assert_eq!(
        error("fn h(ctx, args) { call_next() }"),
        "1:19: `call_next` takes 1 arguments, and is given 0"
    );
    assert!(error("fn h(ctx, args) { 1 +; }").starts_with("1:22: "));
    assert_eq!(hook_from_code("fn h(ctx, args) { }").unwrap().name(), "h");
}

/// A model that reads of the error only would pay again.
#[tokio::test]
async fn c3_an_error_behind_the_call_says_that_the_call_has_run() {
    for script in [
        "fn h(ctx, args) { let r = call_next(args); throw \"audit log full\" }",
        "fn h(ctx, args) { let r = call_next(args); call_next(args) }",
        "fn h(ctx, args) { let r = call_next(args); loop {} }",
        "fn h(ctx, args) { let r = call_next(args); |x| x }",
    ] {
        let call = look(hooked(script), "tea").await;
        let Err(Exit::Tool(error)) = call.output() else { panic!("{script}: {call:?}") };
        let text = error.to_string();
        assert!(
            text.contains("\nThe call has run before this error") && !text.contains("saw"),
            "{script}: {text}"
        );
        assert_eq!(error.kind(), ErrorKind::Unreadable, "{script}");
    }
    let call = look(hooked("fn h(ctx, args) { throw \"no\" }"), "tea").await;
    let Err(Exit::Tool(error)) = call.output() else { panic!("{call:?}") };
    assert!(!error.to_string().contains("has run"), "{error}");
}

#[tokio::test]
async fn c3_what_a_script_hook_throws_is_a_refusal_in_its_own_words() {
    let helper = "private fn check(args) { if args.what == \"rain\" { throw \"no weather there\" } }";
    for (script, words) in [
        ("fn h(ctx, args) { throw \"no weather there\" }", "no weather there"),
        (&*format!("{helper} fn h(ctx, args) {{ check(args); call_next(args) }}"), "no weather there"),
        ("fn h(ctx, args) { try { look() } catch { throw \"not today\" } } fn look() { 1 / 0 }", "not today"),
        ("fn h(ctx, args) { throw #{ code: 3 } }", "{\"code\":3}"),
        ("fn h(ctx, args) { throw }", "no reason is given"),
    ] {
        let hook = hook_from_code(Script::new(script).func_name("h")).unwrap();
        let call = look(hooked_by(hook), "rain").await;
        let Err(Exit::Tool(error)) = call.output() else { panic!("{script}: {call:?}") };
        assert_eq!((&*error.to_string(), error.kind()), (words, ErrorKind::Denied), "{script}");
    }
    // A mistake in the script is its failure.
    let call = look(hooked("fn h(ctx, args) { args.what - 1 }"), "rain").await;
    let Err(Exit::Tool(error)) = call.output() else { panic!("{call:?}") };
    assert!(error.to_string().starts_with("the script of `h` failed at 1:"), "{error}");
    assert_eq!(error.kind(), ErrorKind::Failed);
}

#[tokio::test]
async fn c3_what_a_script_tool_throws_is_its_error_in_its_own_words() {
    let tool = onionskin::rhai::from_code("/// Refunds.\nfn refund() { throw \"ask the owner\" }").unwrap();
    let call = tool.exec(json!({})).await;
    let Err(Exit::Tool(error)) = call.output() else { panic!("{call:?}") };
    assert_eq!((&*error.to_string(), error.kind()), ("ask the owner", ErrorKind::Failed));
}

#[tokio::test]
async fn c3_a_hook_that_forgets_the_call_is_an_error() {
    let said = text("fn h(ctx, args) { print(\"audit\"); }", "tea").await;
    assert!(
        said.contains("the call did not run: the hook `h` neither goes on with `call_next(args)`"),
        "{said}"
    );
}
