//! Property tests of `parse`: it never panics, ends in bounded time, and neither loses nor repeats text.

use std::time::{Duration, Instant};

use proc_macro2::Span;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use quote::quote;
use syn::parse_quote;

use super::{Docs, Line, Parts, parse};

/// `PROPTEST_CASES` says how many cases there are.
fn config() -> ProptestConfig {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/proptest-regressions/docs.txt");
    ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(seeds))),
        ..ProptestConfig::default()
    }
}

fn parsed(lines: &[String]) -> Parts {
    let lines: Vec<_> =
        lines.iter().map(|text| Line { text: text.clone(), span: Span::call_site() }).collect();
    parse(&lines)
}

/// The total length of the parsed parts.
fn length(parts: &Parts) -> usize {
    let params = parts.params.iter().map(|entry| entry.name.len() + entry.text.len());
    parts.description.len() + parts.returns.len() + params.sum::<usize>()
}

/// A line of fragments of section syntax.
fn line() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "# ",
        "## ",
        "Arguments",
        "Args",
        "Parameters",
        "Returns",
        "Return value",
        "Raises",
        "Errors",
        ":",
        ": ",
        "::",
        " - ",
        "* ",
        "- ",
        "+ ",
        "`x`",
        "`",
        "x",
        "y_1",
        "**x**",
        "**",
        "(int)",
        "(",
        ")",
        "int",
        "Vec<u8>",
        "```",
        "~~~",
        "---",
        "-----",
        ":param ",
        ":param x: ",
        ":return: ",
        ":type x: ",
        " ",
        "  ",
        "    ",
        "\t",
        "\u{a0}",
        "\u{e9}",
        "\u{1F600}",
        "1",
        "word",
        "",
    ]);
    let made =
        (prop::sample::select(vec!["", "", "  ", "    ", "\u{3000}"]), prop::collection::vec(piece, 0..6));
    prop_oneof![
        6 => made.prop_map(|(indent, pieces)| format!("{indent}{}", pieces.concat())),
        1 => any::<String>().prop_map(|text| text.replace('\n', " ")),
    ]
}

/// A part of documentation as people write it, with `{}` in place of words, and where those must be found.
const BLOCKS: &[(&[&str], &[Place])] = &[
    (&["It {}.", "And: {} - so."], &[Place::Description, Place::Description]),
    (&["- a {}", "- b {}"], &[Place::Description, Place::Description]),
    (&["```", "# Arguments", "* `x` - {}", "```"], &[Place::Description]),
    (&["## Notes", "", "It {}."], &[Place::Description]),
    (
        &["# Arguments", "* `x` - {}", "  {}", "* `y`: {}"],
        &[Place::Param("x"), Place::Param("x"), Place::Param("y")],
    ),
    (&["# Arguments", "", "First {}:", "", "* `x` - {}"], &[Place::Description, Place::Param("x")]),
    (&["# Parameters", "", "- **x** (int): {}", "- y {}"], &[Place::Param("x"), Place::Param("x")]),
    (
        &["Args:", "    x (int, optional): {}", "        {}", "    y: {}"],
        &[Place::Param("x"), Place::Param("x"), Place::Param("y")],
    ),
    (&["Args:", "    These {}", "    x: {}"], &[Place::Description, Place::Param("x")]),
    (
        &["Parameters", "----------", "x : int", "    {}", "y", "    {}"],
        &[Place::Param("x"), Place::Param("y")],
    ),
    (
        &[":param x: {}", "    {}", ":param int y: {}"],
        &[Place::Param("x"), Place::Param("x"), Place::Param("y")],
    ),
    (&["# Returns", "", "It gives {}."], &[Place::Returns]),
    (&["Returns:", "    int: {}", "    {}"], &[Place::Returns, Place::Returns]),
    (&["Returns: {}"], &[Place::Returns]),
    (&["Returns", "-------", "int", "    {}"], &[Place::Returns]),
    (&[":returns: {}"], &[Place::Returns]),
];

#[derive(Debug, Clone, Copy)]
enum Place {
    Description,
    Param(&'static str),
    Returns,
}

impl Place {
    fn holds(self, parts: &Parts, word: &str) -> bool {
        match self {
            Self::Description => parts.description.contains(word),
            Self::Param(name) => {
                parts.params.iter().any(|entry| entry.name == name && entry.text.contains(word))
            }
            Self::Returns => parts.returns.contains(word),
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn long_t2_any_docs_are_taken_apart(mut lines in prop::collection::vec(line(), 0..40), times in 1_usize..20) {
        lines = std::iter::repeat_n(lines, times).flatten().collect();
        let given: usize = lines.iter().map(|line| line.len() + 1).sum();
        let begun = Instant::now();
        let parts = parsed(&lines);
        prop_assert!(length(&parts) <= given, "{} of {given} bytes", length(&parts));
        prop_assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }

    #[test]
    fn long_t2_any_doc_attribute_is_read(text in "[ *\t\n\u{e9}\u{a0}a#-]{0,60}", more in any::<String>()) {
        let attributes = [parse_quote!(#[doc = #text]), parse_quote!(#[doc = #more])];
        let Docs::Lines(lines) = Docs::new(&attributes) else { panic!("{} is text", quote!(#text)) };
        let read: String = lines.iter().flat_map(|line| line.text.chars()).collect();
        let kept = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '*').collect::<String>();
        prop_assert_eq!(kept(&read), kept(&text) + &kept(&more));
    }

    #[test]
    fn long_t2_no_word_of_docs_is_lost_or_doubled(blocks in prop::collection::vec(prop::sample::select(BLOCKS), 0..8)) {
        let (mut lines, mut expected) = (Vec::new(), Vec::new());
        for (texts, places) in blocks {
            let mut places = places.iter();
            for text in texts {
                let word = format!("word{}word", expected.len());
                if text.contains("{}") {
                    expected.push((word.clone(), *places.next().expect("a place for each word")));
                }
                lines.push(text.replace("{}", &word));
            }
            // A section ends with the next heading at the latest.
            lines.extend(["", "# More", ""].map(str::to_owned));
        }
        let parts = parsed(&lines);
        let params = parts.params.iter().map(|entry| entry.text.as_str());
        let all: String = params.chain([&*parts.description, &*parts.returns]).collect::<Vec<_>>().join("\n");
        for (word, place) in expected {
            prop_assert!(place.holds(&parts, &word), "{word} is not in the {place:?} of\n{}", lines.join("\n"));
            prop_assert_eq!(all.matches(&word).count(), 1, "{} in\n{}", word, lines.join("\n"));
        }
    }
}
