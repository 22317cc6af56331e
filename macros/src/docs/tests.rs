//! Sections in every style.

use super::Line;

fn parts(text: &str) -> (String, Vec<(String, String)>, String) {
    let all = super::parse(&Line::all(text));
    let params = all.params.into_iter().map(|entry| (entry.name, entry.text)).collect();
    (all.description, params, all.returns)
}

fn pair(name: &str, text: &str) -> (String, String) {
    (name.to_owned(), text.to_owned())
}

#[test]
fn t2_markdown_sections() {
    let (text, params, returns) = parts(
        "Adds.\n\n    code\n\n# Arguments\n\n* `a` - first\n  line two\n- `b`: second\n* c: third\n+ `d` (optional) - d\n\n\
         ## Returns\nThe sum.\n\n# Errors\nNever.\n\n# Panics\nNever.\n\n# Examples\n```\n# Arguments\n```",
    );
    assert_eq!(text, "Adds.\n\n    code\n\n# Examples\n```\n# Arguments\n```");
    assert_eq!(params[0], pair("a", "first\nline two"));
    assert_eq!(params[1], pair("b", "second"));
    assert_eq!(params[2], pair("c", "third"));
    assert_eq!(params[3], pair("d", "d"));
    assert_eq!(returns, "The sum.");
    assert_eq!(parts("A.\n\n# Returns\nThe sum.\n\n# Errors\nNo.").2, "The sum.");
}

#[test]
fn t2_google_sections() {
    let (text, params, returns) = parts(
        "Adds.\n\nArgs:\n    a (int): first\n        line two\n    b: second\n\nReturns:\n    The sum.\n\nRaises:\n    \
         ValueError: never\n\nMore.",
    );
    assert_eq!(text, "Adds.\n\nMore.");
    assert_eq!(params, [pair("a", "first\nline two"), pair("b", "second")]);
    assert_eq!(returns, "The sum.");
    assert_eq!(parts("Adds.\n\nReturns: the sum").2, "the sum");
    assert_eq!(parts("Adds.\n\nReturns: int: The sum.").2, "The sum.");
    assert_eq!(parts("Adds.\n\nReturns:\n    int: The sum.").2, "The sum.");
    assert_eq!(parts("Adds.\n\nReturns:\n    Dict[str, int]: The sums.\n      All.").2, "The sums.\n  All.");
    assert_eq!(parts("Adds.\n\nReturns:\n    Option<Vec<u8>>: The bytes.").2, "The bytes.");
    assert_eq!(parts("Adds.\n\nReturns: note: no type").2, "note: no type");
    assert_eq!(parts("Adds.\n\n# Returns\nint: no Google style").2, "int: no Google style");
}

#[test]
fn t2_numpy_sections() {
    let (text, params, returns) = parts(
        "Adds.\n\nParameters\n----------\na : int\n    first\n    line two\nb\n    second\n\nReturns\n-------\nint\n    The \
         sum.",
    );
    assert_eq!(text, "Adds.");
    assert_eq!(params, [pair("a", "first\nline two"), pair("b", "second")]);
    assert_eq!(returns, "The sum.");
}

#[test]
fn t2_sphinx_fields() {
    let (text, params, returns) = parts(
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
        let (kept, params, _) = parts(text);
        assert_eq!((kept.as_str(), params.len()), (text, 0));
    }
}

#[test]
fn the_summary_is_the_first_paragraph_with_the_targets_of_its_links() {
    let summary = |text| super::summary(&Line::all(text));
    assert_eq!(summary("Adds one.\nAnd no more.\n\n```\nadd(1)\n```"), "Adds one.\nAnd no more.");
    assert_eq!(
        summary("Adds as [RFC] says.\n\n# Arguments\n\n- `x`: a number\n\n[RFC]: https://rfc-editor.org\n"),
        "Adds as [RFC] says.\n\n[RFC]: https://rfc-editor.org",
    );
    assert_eq!(summary(""), "");
}
