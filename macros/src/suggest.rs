//! An error about an unknown name suggests the nearest known one: "did you mean".

pub(crate) use onionskin_vocabulary::nearest;

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
