//! Tests of the macro as a function from tokens to tokens.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::docs::{self, Line};

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap()
}

/// Functions as people write them.
const EXAMPLES: &[&str] = &[
    "/// Adds one.\n async fn add_one(/** the number */ x: i64) -> i64 { x + 1 }",
    "/// Many.\n #[allow(unused)] pub(crate) fn many(cx: &ToolContext, #[arg(default = 5, range(0..=9))] mut a: u8, \
     b: Option<&str>, #[inject] c: Mine, #[cfg(feature = \"x\")] d: &[Vec<u8>]) -> Result<Vec<u8>, String> { todo!() }",
    "/// Borrows.\n fn longer<'a>(a: &'a str, b: Cow<'_, str>, c: &Point) -> &'a str where 'a: 'a { a }",
    "/// Words.\n ///\n /// # Arguments\n /// * `x` - it\n unsafe extern \"C\" fn f(self, (x, y): (u8, u8), z: impl Fn()) { }",
];

/// All prefixes of a stream, groups cut open and closed again.
fn prefixes(stream: &TokenStream) -> Vec<TokenStream> {
    let trees: Vec<TokenTree> = stream.clone().into_iter().collect();
    let mut all = Vec::new();
    for end in 0..=trees.len() {
        all.push(trees[..end].iter().cloned().collect());
        if let Some(TokenTree::Group(group)) = trees.get(end) {
            for inner in prefixes(&group.stream()) {
                let mut cut: Vec<TokenTree> = trees[..end].to_vec();
                cut.push(TokenTree::Group(Group::new(group.delimiter(), inner)));
                all.push(cut.into_iter().collect());
            }
        }
    }
    all
}

/// Everything but attributes and doc comments.
fn words(stream: TokenStream) -> String {
    let mut text = String::new();
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match (&tree, trees.peek()) {
            (TokenTree::Punct(mark), Some(TokenTree::Group(group)))
                if mark.as_char() == '#' && group.delimiter() == Delimiter::Bracket =>
            {
                trees.next();
            }
            (TokenTree::Group(group), _) => {
                text.extend([format!("<{:?} {}>", group.delimiter(), words(group.stream()))]);
            }
            _ => text.extend([tree.to_string(), " ".to_owned()]),
        }
    }
    text
}

#[test]
fn every_prefix_of_a_function_is_given_back() {
    let mut count = 0;
    for example in EXAMPLES {
        for prefix in prefixes(&tokens(example)) {
            for options in ["", "name = \"x\", blocking", "descripton = 5, timeout", "hooks = [a, b(1)]"] {
                let expanded = words(super::expand(tokens(options), prefix.clone()));
                let item = words(prefix.clone());
                assert!(expanded.starts_with(&item), "{prefix}\n{item}\n{expanded}");
                count += 1;
            }
        }
    }
    assert!(count > 900, "{count}");
}

#[test]
fn half_typed_functions_get_no_error_of_ours() {
    for half in [
        "fn",
        "fn f",
        "fn f(",
        "fn f(x",
        "fn f(x:) {}",
        "fn f() -> {}",
        "async",
        "pub fn f(x: u8)",
        "fn f();",
    ] {
        let Ok(item) = half.parse::<TokenStream>() else { continue };
        let expanded = super::expand(TokenStream::new(), item.clone()).to_string();
        assert!(!expanded.contains("compile_error"), "{item}: {expanded}");
    }
}

#[test]
fn every_prefix_of_the_options_is_read_without_a_panic() {
    let options = tokens(
        "name = \"x\", title = T, timeout = \"5s\", hooks = [a, b(1)], annotations(read_only, destructive = false), \
         effect = once, stop_after, max_calls = 3, crate = a::b, type_name = X, on_error = f, meta = (1, 2), \
         input_guardrails = [a, b(1)], approval = f, cache(ttl = \"5s\", key = k), \
         examples = [example(x = 1).output([2]).note(\"n\")]",
    );
    for prefix in prefixes(&options) {
        let expanded = super::expand(prefix, tokens(EXAMPLES[0])).to_string();
        assert!(expanded.starts_with("# [doc = \" Adds one.\"] async fn add_one (x : i64)"), "{expanded}");
    }
}

fn parse(text: &str) -> (String, Vec<(String, String)>, String) {
    let parts = docs::parse(&Line::all(text));
    let params = parts.params.into_iter().map(|entry| (entry.name, entry.text)).collect();
    (parts.description, params, parts.returns)
}

fn pair(name: &str, text: &str) -> (String, String) {
    (name.to_owned(), text.to_owned())
}

#[test]
fn t2_markdown_sections() {
    let (text, params, returns) = parse(
        "Adds.\n\n    code\n\n# Arguments\n\n* `a` - first\n  line two\n- `b`: second\n* c: third\n+ `d` (optional) - d\n\n\
         ## Returns\nThe sum.\n\n# Errors\nNever.\n\n# Panics\nNever.\n\n# Examples\n```\n# Arguments\n```",
    );
    assert_eq!(text, "Adds.\n\n    code\n\n# Examples\n```\n# Arguments\n```");
    assert_eq!(params[0], pair("a", "first\nline two"));
    assert_eq!(params[1], pair("b", "second"));
    assert_eq!(params[2], pair("c", "third"));
    assert_eq!(params[3], pair("d", "d"));
    assert_eq!(returns, "The sum.");
    assert_eq!(parse("A.\n\n# Returns\nThe sum.\n\n# Errors\nNo.").2, "The sum.");
}

#[test]
fn t2_google_sections() {
    let (text, params, returns) = parse(
        "Adds.\n\nArgs:\n    a (int): first\n        line two\n    b: second\n\nReturns:\n    The sum.\n\nRaises:\n    \
         ValueError: never\n\nMore.",
    );
    assert_eq!(text, "Adds.\n\nMore.");
    assert_eq!(params, [pair("a", "first\nline two"), pair("b", "second")]);
    assert_eq!(returns, "The sum.");
    assert_eq!(parse("Adds.\n\nReturns: the sum").2, "the sum");
    assert_eq!(parse("Adds.\n\nReturns: int: The sum.").2, "The sum.");
    assert_eq!(parse("Adds.\n\nReturns:\n    int: The sum.").2, "The sum.");
    assert_eq!(parse("Adds.\n\nReturns:\n    Dict[str, int]: The sums.\n      All.").2, "The sums.\n  All.");
    assert_eq!(parse("Adds.\n\nReturns:\n    Option<Vec<u8>>: The bytes.").2, "The bytes.");
    assert_eq!(parse("Adds.\n\nReturns: note: no type").2, "note: no type");
    assert_eq!(parse("Adds.\n\n# Returns\nint: no Google style").2, "int: no Google style");
}

#[test]
fn t2_numpy_sections() {
    let (text, params, returns) = parse(
        "Adds.\n\nParameters\n----------\na : int\n    first\n    line two\nb\n    second\n\nReturns\n-------\nint\n    The \
         sum.",
    );
    assert_eq!(text, "Adds.");
    assert_eq!(params, [pair("a", "first\nline two"), pair("b", "second")]);
    assert_eq!(returns, "The sum.");
}

#[test]
fn t2_sphinx_fields() {
    let (text, params, returns) = parse(
        "Adds.\n\n:param a: first\n    line two\n:param int b: second\n:type b: int\n:returns: The sum.\n:rtype: int",
    );
    assert_eq!(text, "Adds.");
    assert_eq!(params, [pair("a", "first\nline two"), pair("b", "second")]);
    assert_eq!(returns, "The sum.");
}

#[test]
fn t2_what_only_looks_like_a_section_is_kept() {
    for text in [
        "Args:\nnot indented",
        "The arguments:\n- a list",
        "# Arguments are good\nYes.",
        "A: b",
        "Parameters\n\ntext",
    ] {
        let (kept, params, _) = parse(text);
        assert_eq!((kept.as_str(), params.len()), (text, 0));
    }
}
