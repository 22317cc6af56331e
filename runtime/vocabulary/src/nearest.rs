//! Suggestions of similar names: "did you mean ..?".

/// The name most similar to `name`, if one is similar enough.
pub fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // Comparing takes time in proportion to the length, and no misspelt name is this long.
    let name = if name.len() > 200 { "" } else { name };
    names
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}
