//! "Did you mean".

/// The candidate that somebody who wrote `word` most likely meant.
pub(crate) fn nearest<'c>(word: &str, candidates: &[&'c str]) -> Option<&'c str> {
    candidates
        .iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), *candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// An error message for a key that is not known: what was meant, or what there is.
pub(crate) fn unknown(what: &str, word: &str, candidates: &[&str]) -> String {
    match nearest(word, candidates) {
        Some(near) => format!("unknown {what} `{word}`; did you mean `{near}`?"),
        None => format!("unknown {what} `{word}`; there are: {}", candidates.join(", ")),
    }
}

/// What to write where a path is wanted: the same without quotes, if it is quoted.
pub(crate) fn unquoted(meta: &syn::Meta, example: &str) -> String {
    if let syn::Meta::NameValue(pair) = meta
        && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value
        && text.parse_with(syn::Path::parse_mod_style).is_ok()
    {
        return format!("write `{}`, without quotes", text.value());
    }
    format!("`{example}`")
}
