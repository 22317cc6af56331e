//! The macros as functions from tokens to tokens: half-typed input, and how the expansion reads.

use std::path::Path;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::{agent, guardrail, hook, strict, visit};

const HOOKS: [&str; 4] = [
    "async fn audit(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
        let mut result = next.run(args).await?;
        result.push_text(\"[audit]\");
        Ok(result)
    }",
    "pub async fn retry<'c, N: Next>(#[config] times: u32, ctx: &'c ToolContext, args: &mut Args, next: N) -> ToolResult
    { for _ in 1..times { let _ = next.run(args).await; } next.run(args).await }",
    "#[cfg(unix)] pub(crate) fn before(name: &str, #[inject] key: my::Key, args: &mut Args) -> ToolResult<()> { Ok(()) }",
    "async fn after(output: &mut ToolOutput, team: onionskin::run::Team) { output.push_text(\"!\"); }",
];

const AGENTS: [&str; 3] = [
    "/// Helps.
    pub Helper {
        name: \"helper\",
        description: \"Helps.\",
        instruction: include_str!(\"help.md\"),
        servers: [time, \"server-git\"],
        tools: { time: [get_*, convert-?, \"a b\"] },
        function_tools: [add_one, math::add_two],
        agents: [Other],
        tool_hooks: [audit for [add_one, server(time)], .., retry(1 + 2, \"x\") except [source(mcp), Other]],
        runtime: [shell.execute],
    }",
    "Boss {
        instruction: TEXT,
        default: true,
        model: \"gpt-5\",
        request_params: { temperature: 0.2, stop_sequences: [\"END\"] },
        limits: { turns: 3, time_sec: 2.5 },
        history_source: child,
        history_merge_target: none,
        max_parallel: 2,
        child_timeout_sec: 1.5,
        max_display_instances: 3,
        state: Ledger<'static, Vec<u8>>,
        crate: my::onionskin,
    }",
    "One { instruction: \"One.\" } #[cfg(unix)] pub(crate) Two { instruction: \"Two.\", agents: [One] }",
];

/// Every prefix of a stream, token by token, its open groups closed.
pub(crate) fn prefixes(tokens: TokenStream) -> Vec<TokenStream> {
    let mut all = vec![TokenStream::new()];
    let mut before = TokenStream::new();
    for token in tokens {
        if let TokenTree::Group(group) = &token
            && group.delimiter() != Delimiter::None
        {
            for inner in prefixes(group.stream()) {
                let mut prefix = before.clone();
                prefix.extend([TokenTree::Group(Group::new(group.delimiter(), inner))]);
                all.push(prefix);
            }
        }
        before.extend([token]);
        all.push(before.clone());
    }
    all
}

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap()
}

/// The words of a stream without the space between them.
fn packed(tokens: &TokenStream) -> String {
    tokens.to_string().split_whitespace().collect()
}

/// Returns whether an expansion declares this name after this keyword.
fn holds_name(expansion: &TokenStream, keyword: &str, name: &str) -> bool {
    packed(expansion).contains(&format!("{keyword}{name}"))
}

#[test]
fn hooks_half_typed_never_panic_and_keep_the_function() {
    for (text, name) in HOOKS.into_iter().zip(["audit", "retry", "before", "after"]) {
        let mut named = 0;
        for prefix in prefixes(tokens(text)) {
            let expansion = hook::expand(TokenStream::new(), prefix.clone());
            if holds_name(&prefix, "fn", name) {
                assert!(holds_name(&expansion, "fn", name), "{prefix}\n{expansion}");
                named += 1;
            }
        }
        assert!(named > 10, "{named} prefixes of `{name}`");
    }
}

#[test]
fn guardrails_half_typed_never_panic_and_keep_the_function() {
    let guardrails = [
        (
            "input",
            "pub(crate) async fn short<'c>(#[config] most: usize, args: &'c mut Args) -> Result<(), String> { Ok(()) }",
        ),
        (
            "output, crate = a::b, type_name = X",
            "#[cfg(unix)] fn short(args: &Args, result: &mut ToolResult) { change(result) }",
        ),
    ];
    for (options, text) in guardrails {
        let item = tokens(text);
        let all = prefixes(tokens(options)).into_iter().map(|options| (options, item.clone()));
        for (options, prefix) in
            all.chain(prefixes(item.clone()).into_iter().map(|item| (tokens(options), item)))
        {
            let expansion = guardrail::attribute(options, prefix.clone());
            if holds_name(&prefix, "fn", "short") {
                assert!(holds_name(&expansion, "fn", "short"), "{prefix}\n{expansion}");
            }
        }
    }
}

#[test]
fn options_of_hooks_half_typed_never_panic() {
    for text in ["around, crate = my::onionskin", "tool = math::add_one, type_name = Audit", "before after"] {
        for prefix in prefixes(tokens(text)) {
            let expansion = hook::expand(prefix.clone(), tokens(HOOKS[0]));
            assert!(holds_name(&expansion, "fn", "audit"), "{prefix}\n{expansion}");
            let item = if packed(&expansion).contains("compile_error") { "type" } else { "struct" };
            assert!(packed(&expansion).contains(item), "{prefix}\n{expansion}");
        }
    }
}

#[test]
fn agents_half_typed_never_panic_and_keep_their_types() {
    for (text, name) in AGENTS.into_iter().zip(["Helper", "Boss", "One"]) {
        let mut named = 0;
        for prefix in prefixes(tokens(text)) {
            let expansion = agent::expand(prefix.clone());
            if packed(&prefix).contains(name) {
                assert!(holds_name(&expansion, "struct", name), "{prefix}\n{expansion}");
                named += 1;
            }
        }
        assert!(named > 10, "{named} prefixes of `{name}`");
    }
}

/// One statement or brace a line: enough to read an expansion, and the same on every machine.
fn layout(tokens: TokenStream, depth: usize, out: &mut String) {
    let indent = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&"    ".repeat(depth));
    };
    let mut line = TokenStream::new();
    let flush = |line: &mut TokenStream, out: &mut String| {
        out.push_str(&std::mem::take(line).to_string());
    };
    for token in tokens {
        match token {
            TokenTree::Group(group)
                if group.delimiter() == Delimiter::Brace && !group.stream().is_empty() =>
            {
                flush(&mut line, out);
                out.push_str(" {");
                indent(out, depth + 1);
                layout(group.stream(), depth + 1, out);
                indent(out, depth);
                out.push('}');
                indent(out, depth);
            }
            TokenTree::Punct(punct) if matches!(punct.as_char(), ';') => {
                line.extend([TokenTree::Punct(punct)]);
                flush(&mut line, out);
                indent(out, depth);
            }
            other => line.extend([other]),
        }
    }
    flush(&mut line, out);
}

/// Compares with a file beside this one; `TRYBUILD=overwrite` writes it.
pub(crate) fn compare(name: &str, expansion: TokenStream) {
    let mut text = String::new();
    layout(expansion, 0, &mut text);
    let lines: Vec<_> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let text = lines.join("\n") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/snapshots").join(name);
    if crate::pages::overwrites() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        text,
        kept,
        "the expansion differs from {}; TRYBUILD=overwrite writes it anew",
        path.display()
    );
}

/// Expands a derive for each beginning of a type's text. A beginning that is a type has an implementation.
fn derive_half_typed(text: &str, name: &str, expand: fn(TokenStream) -> TokenStream) {
    let mut written = 0;
    for prefix in prefixes(tokens(text)) {
        let expansion = expand(prefix.clone());
        if syn::parse2::<syn::DeriveInput>(prefix.clone()).is_ok() {
            assert!(holds_name(&expansion, "for", name), "{prefix}\n{expansion}");
            written += 1;
        }
    }
    assert!(written > 5, "{written} types");
}

#[test]
fn strict_types_half_typed_never_panic() {
    let text = "#[derive(Strict)] #[serde(tag = \"kind\", rename_all = \"snake_case\")] #[strict(crate = my::onionskin)]
        pub enum Shape<'a, T: Kind = u8> where T: 'a {
            /// Round.
            #[serde(rename(serialize = \"c\"), skip)] Circle { #[schemars(with = \"Vec<u8>\", extend(\"x\" = [1, 2]))] radius: f64 },
            Two(&'a T, T::Value, <T as Kind>::Value),
            Flat { #[serde(flatten)] one: Box<Self>, #[serde(flatten)] two: [u8; 3] },
            Nothing {},
        }";
    derive_half_typed(text, "Shape", strict::expand);
}

#[test]
fn strict_types_are_seen_past_attributes_that_are_taken_away_and_no_others() {
    let expand =
        |field: &str| strict::expand(tokens(&format!("struct Order {{ {field} what: u8 }}"))).to_string();
    let taken = expand("#[serde(default, flatten)] #[schemars(!default, !flatten, with = \"Map\")]");
    assert!(taken.contains("Map") && !taken.contains("compile_error"), "{taken}");
    assert_eq!(taken, expand("#[schemars(with = \"Map\")]"));
    let transformed = expand("#[schemars(!default, transform = open)]");
    assert!(transformed.contains("this changes the schema"), "{transformed}");
    for unread in ["#[schemars(with = \"Map\", 3)]", "#[serde(default 3)]"] {
        let unread = expand(unread);
        assert!(unread.contains("this attribute cannot be read"), "{unread}");
    }
}

#[test]
fn expansion_of_a_strict_type_reads_well() {
    let item =
        tokens("struct Page<T> { items: Vec<T>, #[serde(flatten)] at: Place, next: Option<Box<Self>> }");
    compare("strict.txt", strict::expand(item));
}

#[test]
fn types_with_secrets_half_typed_never_panic() {
    let text = "#[visit_secrets(crate = my::onionskin)] pub enum Login<'a, T: Kind = u8> where T: 'a {
            Token(&'a T, T::Value), Password { user: String, #[visit_secrets] r#type: Secret<T> }, None,
        }";
    derive_half_typed(text, "Login", visit::expand);
}

#[test]
fn expansion_of_a_type_with_secrets_reads_well() {
    let item = tokens(
        "enum Login<T> { Token(Secret<T>, T), Password { user: String, password: Secret<String> }, None }",
    );
    compare("visit.txt", visit::expand(item));
}

#[test]
fn expansion_of_a_hook_reads_well() {
    let item = tokens(
        "async fn retry(#[config] times: u32, ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult { again(times, ctx, args, next).await }",
    );
    compare("hook.txt", hook::expand(TokenStream::new(), item));
}

#[test]
fn expansion_of_an_agent_reads_well() {
    let declaration = tokens(
        "pub Boss {
            instruction: \"Lead.\",
            function_tools: [add_one],
            agents: [Worker],
            tool_hooks: [audit for [add_one], .., retry(3)],
            max_parallel: 2,
            run: lead,
            output: Vec<Report>,
        }",
    );
    compare("agent.txt", agent::expand(declaration));
}
