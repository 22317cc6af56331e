//! An error about an unknown name suggests the nearest known one: "did you mean".

/// The name that is most like `name`, if one is like it.
///
/// `onionskin-core` searches in the same way at run time, and `onionskin-names`, which the macros have with a feature only. A crate that
/// all programs have would cost more than these lines do, so a test holds the three together.
pub(crate) fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    names
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// The error for an unknown word: the word that was meant, or all words.
pub(crate) fn unknown(what: &str, word: &str, candidates: &[&str]) -> String {
    match nearest(word, candidates.iter().copied()) {
        Some(near) => format!("unknown {what} `{word}`; did you mean `{near}`?"),
        None => format!("unknown {what} `{word}`; there are: {}", candidates.join(", ")),
    }
}

/// The correction for a value that must be a path or a type: the same without quotes if `fits` accepts the quoted text.
pub(crate) fn unquoted(meta: &syn::Meta, example: &str, fits: impl FnOnce(&syn::LitStr) -> bool) -> String {
    if let syn::Meta::NameValue(pair) = meta
        && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value
        && fits(text)
    {
        return format!("write `{}`, without quotes", text.value());
    }
    format!("`{example}`")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a7_the_runtime_searches_for_names_in_the_same_way() {
        const OURS: &str = include_str!("suggest.rs");
        const THEIRS: &str = include_str!("../../runtime/core/src/text.rs");
        const NAMES: &str = include_str!("../../names/src/nearest.rs");
        let (_, search) = OURS.split_once("-> Option<&'n str> {\n").unwrap();
        let (search, _) = search.split_once("\n}").unwrap();
        assert!(search.contains("jaro_winkler"), "{search}");
        assert!(THEIRS.contains(search), "`nearest` differs in runtime/core/src/text.rs");
        assert!(NAMES.contains(search), "`nearest` differs in names/src/nearest.rs");
    }
}
