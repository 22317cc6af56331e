//! Tests of the macro as a function from tokens to tokens.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

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
                // See `with_no_generics`.
                let expanded = expanded.replacen(" < > <Parenthesis", " <Parenthesis", 1);
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
         effect = once, stop_after, max_calls = 3, crate = a::b, type_name = X, on_error = f, meta = m(1, 2), \
         input_guardrails = [a, b(1)], approval = f, cache(ttl = \"5s\", key = k), \
         examples = [example(x = 1).output([2]).note(\"n\")]",
    );
    for prefix in prefixes(&options) {
        let expanded = super::expand(prefix, tokens(EXAMPLES[0])).to_string();
        assert!(expanded.starts_with("# [doc = \" Adds one.\"] async fn add_one (x : i64)"), "{expanded}");
    }
}

#[test]
fn t2_the_page_of_the_type_begins_with_the_description() {
    let page = |options: &str, item: &str| {
        let expanded = super::expand(tokens(options), tokens(item)).to_string();
        expanded.split_once("# [doc =").unwrap().1.split_once("pub struct").unwrap().0.replace("# [doc =", "")
    };
    let two = "/// Adds one.\n///\n/// Not two.\n pub fn add_one(x: i64) -> i64 { x + 1 }";
    let of_two = page("", two);
    assert!(
        of_two.ends_with(r#""Adds one."]  ""]  "The tool `add_one`: what `agent!` names."] "#),
        "{of_two}"
    );
    let described = page("description = \"Takes a Vec<u8>.\"", "/**/ #[doc = \"\"] pub fn f() {}");
    assert!(described.contains(r#""````text\nTakes a Vec<u8>.\n````"]  ""]"#), "{described}");
}
