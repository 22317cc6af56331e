//! Tests of the expansion for an editor, without an editor: `judges/editor.py` asks a real one.

use std::collections::{BTreeMap, BTreeSet};

use onionskin_vocabulary::options;
use proc_macro2::{Group, Ident, LineColumn, TokenStream, TokenTree};

use super::{Attribute, agent};
use crate::tests::{compare, prefixes};
use crate::{agent_hooks, guardrail, hook, tool, toolbox};

const AGENT: &str = "
    /// Does sums.
    pub Clerk {
        instruction: TEXT,
        state: Map<Desk, u8>,
        function_tools: [add_one, shop::search, shop::Find],
        toolboxes: [Kb, archive: other::Kb],
        agents: [#[cfg(unix)] Worker],
        runtime: [shell.execute],
        tool_hooks: [audit, .., retry(most(3)) for [add_one, source(mcp), Kb::find]],
        limits: { turns: turns() },
        effect: once,
    }";

const TOOL: &str = "
    /// Greets.
    pub async fn greet(
        #[bind(user.name)] who: String,
        #[arg(default = names::first())] first: String,
        desk: State<Desk>,
    ) -> String { answer(who, first) }";

const TOOL_OPTIONS: &str =
    "timeout = LONG, hooks = [audit(level)], effect = pure, cache(ttl = SHORT), annotations(read_only)";

const HOOK: &str = "async fn retry(#[config] times: u32, args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> Answer { go(times) }";

const TOOLBOX: &str = "impl Kb {
    /// Finds.
    #[tool(timeout = LONG)]
    async fn find(&self, #[arg(default = names::first())] what: String) -> String { what }
}";

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap()
}

fn attribute(which: Attribute, options: TokenStream, item: TokenStream) -> TokenStream {
    let plain = match which {
        Attribute::Tool => tool::expand,
        Attribute::ToolHook => hook::expand,
        Attribute::RunHook => agent_hooks::run_hook,
        Attribute::TurnHook => agent_hooks::turn_hook,
        Attribute::MessageHook => agent_hooks::message_hook,
        Attribute::Guardrail => guardrail::attribute,
        Attribute::Toolbox => toolbox::expand,
    };
    which.expand(options.clone(), item.clone(), &plain(options, item))
}

fn expand_agent(tokens: TokenStream) -> TokenStream {
    agent(tokens.clone(), crate::agent::expand(tokens))
}

/// An input, as one stream, and what expands it.
type Case = (&'static str, TokenStream, fn(TokenStream) -> TokenStream);

/// An attribute's options and its item are one stream: `{ options } { item }`.
fn cases() -> Vec<Case> {
    fn two(tokens: TokenStream) -> [TokenStream; 2] {
        let mut groups = tokens.into_iter().map(|token| match token {
            TokenTree::Group(group) => group.stream(),
            _ => TokenStream::new(),
        });
        [groups.next().unwrap(), groups.next().unwrap()]
    }
    fn both(which: Attribute, tokens: TokenStream) -> TokenStream {
        let [options, item] = two(tokens);
        attribute(which, options, item)
    }
    let pair = |options: &str, item: &str| tokens(&format!("{{ {options} }} {{ {item} }}"));
    vec![
        ("agent", tokens(AGENT), expand_agent),
        ("tool", pair(TOOL_OPTIONS, TOOL), |tokens| both(Attribute::Tool, tokens)),
        ("hook", pair("tool = add_one", HOOK), |tokens| both(Attribute::ToolHook, tokens)),
        ("run_hook", pair("post", "fn sign(#[config] mark: &str, answer: &mut RunAnswer) {}"), |tokens| {
            both(Attribute::RunHook, tokens)
        }),
        (
            "turn_hook",
            pair("before_llm_call", "fn short(#[config] most: u32, request: &mut TurnRequest) {}"),
            |tokens| both(Attribute::TurnHook, tokens),
        ),
        (
            "message_hook",
            pair(
                "process_message_before_send",
                "fn short(#[config] most: usize, message: &mut SentMessage) {}",
            ),
            |tokens| both(Attribute::MessageHook, tokens),
        ),
        ("guardrail", pair("input", "fn short(#[config] most: usize, args: &Args) {}"), |tokens| {
            both(Attribute::Guardrail, tokens)
        }),
        ("toolbox", pair("instructions = TEXT", TOOLBOX), |tokens| both(Attribute::Toolbox, tokens)),
    ]
}

/// All words of a stream.
fn words(tokens: &TokenStream, all: &mut Vec<Ident>) {
    for token in tokens.clone() {
        match token {
            TokenTree::Group(group) => words(&group.stream(), all),
            TokenTree::Ident(word) => all.push(word),
            _ => {}
        }
    }
}

/// Counts each word of a stream, by its text and place.
fn counted(tokens: &TokenStream) -> BTreeMap<(String, usize, usize), usize> {
    let (mut all, mut counted) = (Vec::new(), BTreeMap::new());
    words(tokens, &mut all);
    for word in all {
        let LineColumn { line, column } = word.span().start();
        *counted.entry((word.to_string(), line, column)).or_default() += 1;
    }
    counted
}

/// A word that is in several places has several meanings to an editor.
#[test]
fn each_word_of_the_users_is_used_once() {
    for (name, input, expand) in cases() {
        let expansion = counted(&expand(input.clone()));
        for (word, line, column) in counted(&input).into_keys() {
            let found = expansion.get(&(word.clone(), line, column)).copied().unwrap_or_default();
            // The function, and the type beside it.
            let most = if matches!(&*word, "pub" | "greet" | "retry" | "short" | "sign") { 2 } else { 1 };
            assert!(found <= most, "{name}: `{word}` is there {found} times");
            let shown =
                ["add_one", "search", "Find", "Kb", "Worker", "execute", "audit", "Desk", "once", "turns"];
            let shown =
                shown.contains(&&*word) || ["timeout", "name", "default", "instructions"].contains(&&*word);
            assert!(!shown || found == 1, "{name}: `{word}` is there {found} times");
        }
    }
}

/// The stream with the made-up word behind its `at`th word.
fn completing(tokens: TokenStream, at: &mut usize) -> TokenStream {
    let each = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut changed = Group::new(group.delimiter(), completing(group.stream(), at));
            changed.set_span(group.span());
            TokenTree::Group(changed)
        }
        TokenTree::Ident(word) => {
            let left = at.checked_sub(1);
            *at = left.unwrap_or(usize::MAX);
            let text = format!("{word}raCompletionMarker");
            TokenTree::Ident(match text.strip_prefix("r#") {
                _ if left.is_some() => word,
                Some(raw) => Ident::new_raw(raw, word.span()),
                None => Ident::new(&text, word.span()),
            })
        }
        other => other,
    });
    each.collect()
}

/// rust-analyzer takes the offset of the made-up word in one expansion for the place of the word in the other.
#[test]
fn a_word_that_is_completed_is_at_the_same_place_in_both_expansions() {
    for (name, input, expand) in cases() {
        let whole = expand(input.clone()).to_string();
        let mut all = Vec::new();
        words(&input, &mut all);
        let mut found = 0;
        for (at, word) in all.iter().enumerate() {
            // The name of the item itself, and keywords, begin nothing that is completed.
            if ["pub", "fn", "async", "impl", "Clerk", "bind", "arg", "config", "tool"]
                .iter()
                .any(|own| word == own)
            {
                continue;
            }
            let completed = expand(completing(input.clone(), &mut { at })).to_string();
            let Some(end) = completed.find("raCompletionMarker") else { continue };
            found += 1;
            assert!(whole.starts_with(&completed[..end]), "{name}: at `{word}`\n{whole}\n{completed}");
        }
        assert!(found * 2 > all.len(), "{name}: {found} of {} words", all.len());
    }
}

/// The input ends at any token, and the made-up word is behind its last word.
#[test]
fn nothing_half_typed_panics() {
    let raw = "A { r#state: r#type::r#fn, function_tools: [r#type, crate::r#match, self::a, super], agents: [Self] }";
    let mut count = 0;
    for (_, input, expand) in cases().into_iter().chain([("raw", tokens(raw), expand_agent as fn(_) -> _)]) {
        let is_pair = !input.to_string().contains("function_tools");
        for prefix in prefixes(input.clone()) {
            let mut all = Vec::new();
            words(&prefix, &mut all);
            // Options and item are both there, however short.
            if is_pair && prefix.clone().into_iter().count() < 2 {
                continue;
            }
            expand(prefix.clone());
            if let Some(last) = all.len().checked_sub(1) {
                expand(completing(prefix, &mut { last }));
            }
            count += 1;
        }
    }
    assert!(count > 300, "{count}");
}

#[test]
fn what_is_completed_is_no_error() {
    let (_, _, expand) = &cases()[1];
    let unknown = tokens("{ timeuot } { fn greet() {} }");
    assert!(expand(unknown.clone()).to_string().contains("compile_error"));
    assert!(!expand(completing(unknown, &mut 0)).to_string().contains("compile_error"));
    for (name, input, expand) in cases() {
        let expansion = expand(input).to_string();
        assert!(!expansion.contains("compile_error"), "{name}: {expansion}");
    }
}

/// Without the made-up word, nothing is written there yet.
#[test]
fn a_place_where_nothing_is_written_is_inside_of_the_probes() {
    let (before, empty) = ("A { instruction: \"a\", function_tools: [", "] }");
    let whole = expand_agent(tokens(&format!("{before}{empty}"))).to_string();
    let completed = expand_agent(tokens(&format!("{before}raCompletionMarker{empty}"))).to_string();
    let at = completed.find("raCompletionMarker").unwrap();
    assert!(whole.find(" struct ").is_some_and(|end| end > at), "{at}: {whole}\n{completed}");
}

#[test]
fn no_alias_is_beside_a_function() {
    let hook = attribute(Attribute::ToolHook, tokens("tool = add_one"), tokens(HOOK)).to_string();
    assert!(!hook.contains("__ToolOf") && !hook.contains("__ValuesOf"), "{hook}");
    assert!(hook.contains("args : ArgsOf < add_one >"), "{hook}");
    let tool = attribute(Attribute::Tool, tokens("hooks = [audit]"), tokens(TOOL)).to_string();
    assert!(!tool.contains("__HookOf"), "{tool}");
}

/// The known words that an error about an unknown word lists, and the number of those that it does not list.
fn listed(expansion: &TokenStream) -> (BTreeSet<String>, usize) {
    let text = expansion.to_string();
    let (_, list) = text.split_once("; there are: ").unwrap_or_else(|| panic!("{text}"));
    let list = list.split('"').next().unwrap_or_default();
    let (list, more) = list.split_once(" and ").unwrap_or((list, "0 more"));
    let more = more.trim_end_matches(" more").parse().unwrap();
    (list.split(", ").map(str::to_owned).collect(), more)
}

/// The error for an unknown word lists the rows that editors show.
#[test]
fn every_word_of_an_attribute_has_its_documentation() {
    let function = "fn f(args: &Args) {}";
    let on_tool = |options: &str| tool::expand(tokens(options), tokens(function));
    let on_parameter =
        |attribute: &str| tool::expand(TokenStream::new(), tokens(&format!("fn f({attribute} x: u8) {{}}")));
    for (keys, expansion) in [
        (options::tool(), on_tool("qqqq")),
        (options::annotations(), on_tool("annotations(qqqq)")),
        (options::cache(), on_tool("cache(qqqq)")),
        (options::arg(), on_parameter("#[arg(qqqq)]")),
        (options::tool_hook(), hook::expand(tokens("qqqq"), tokens(function))),
        (options::run_hook(), agent_hooks::run_hook(tokens("qqqq"), tokens(function))),
        (options::turn_hook(), agent_hooks::turn_hook(tokens("qqqq"), tokens(function))),
        (options::message_hook(), agent_hooks::message_hook(tokens("qqqq"), tokens(function))),
        (options::guardrail(), guardrail::attribute(tokens("qqqq"), tokens(function))),
        (options::toolbox(), toolbox::expand(tokens("qqqq"), tokens(TOOLBOX))),
    ] {
        let names: BTreeSet<_> = keys.iter().map(|key| key.name.to_owned()).collect();
        let (listed, more) = listed(&expansion);
        assert!(listed.is_subset(&names), "{listed:?}");
        assert_eq!(listed.len() + more, names.len());
    }
}

/// Removes the plain expansion's block, which has a snapshot of its own.
fn own(expansion: TokenStream) -> TokenStream {
    let short = expansion.into_iter().map(|token| match token {
        TokenTree::Group(group)
            if group.stream().into_iter().next().is_some_and(|first| first.to_string() == "use") =>
        {
            TokenTree::Group(Group::new(group.delimiter(), tokens("..")))
        }
        other => other,
    });
    short.collect()
}

#[test]
fn expansion_of_a_tool_for_an_editor_reads_well() {
    let item = tokens("/// Adds one.\npub async fn add_one(#[arg(range(0..=9))] x: u8) -> u8 { x + 1 }");
    compare("editor_tool.txt", own(attribute(Attribute::Tool, tokens("timeout = \"5s\""), item)));
}

#[test]
fn expansion_of_an_agent_for_an_editor_reads_well() {
    let declaration = "pub Boss {
            instruction: \"Lead.\",
            function_tools: [add_one],
            agents: [Worker],
            tool_hooks: [audit for [add_one], .., retry(3)],
            max_parallel: 2,
        }";
    compare("editor_agent.txt", own(expand_agent(tokens(declaration))));
}

#[test]
fn a_state_whose_type_has_a_comma_is_one_option() {
    let options = [
        (Attribute::Tool, "state = Map<String, Vec<i64>>, effect = pure"),
        (Attribute::ToolHook, "before, state = Map<String, Vec<i64>>"),
        (Attribute::Guardrail, "input, state = Map<String, Vec<i64>>"),
    ];
    for (which, options) in options {
        let item = tokens("fn greet(#[bind(first)] first: &str) {}");
        let expansion = attribute(which, tokens(options), item).to_string().replace(' ', "");
        assert!(expansion.contains("let_:[Map<String,Vec<i64>>;0];"), "{expansion}");
        assert!(expansion.contains("::value::<Map<String,Vec<i64>>>().first;"), "{expansion}");
    }
}
