//! The options `approval` and `cache` of `#[tool(..)]`.

use syn::{Expr, ExprLit, Lit, Meta, Path};

use crate::keys::keys;
use crate::option::{Table, Timeout, WrittenOption};

/// The calls that need an approval.
pub(crate) enum Approval {
    Always,
    If(Path),
}

/// The options under which results are kept.
pub(crate) struct Cache {
    pub(super) word: Path,
    pub(super) options: CacheOptions,
}

keys! {
    /// The options of `cache(..)`.
    pub(crate) struct CacheOptions from option: WrittenOption<'_> {
        /// `ttl = "60s"` | how long a result is kept
        "ttl" => ttl: Option<Timeout> = Some(option.time("ttl = \"60s\"")?);
        /// `key = path` | a function that makes the key of a call
        "key" => key: Option<Path> = Some(option.path("key = by_city")?);
        /// `capacity = 100` | how many results are kept
        "capacity" => capacity: Option<Expr> = Some(option.count("capacity = 100")?);
    }
}

const CACHE: Table<CacheOptions> = Table {
    literal: Some("say which option this is: `ttl = \"60s\"`, `capacity = 100`"),
    ..Table::new("option of `cache`", CacheOptions::KEYS)
};

pub(super) fn approval(option: &WrittenOption<'_>) -> syn::Result<Option<Approval>> {
    match option.meta {
        Meta::Path(_) => Ok(Some(Approval::Always)),
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Bool(word), .. }) => Ok(word.value.then_some(Approval::Always)),
            _ => Ok(Some(Approval::If(option.path("approval = is_large")?))),
        },
        Meta::List(list) => Err(syn::Error::new_spanned(
            list,
            "write `approval` alone, or the function that decides: `approval = is_large`",
        )),
    }
}

pub(super) fn cache(option: &mut WrittenOption<'_>) -> syn::Result<Cache> {
    let mut options = CacheOptions::default();
    match option.meta {
        Meta::Path(_) => {}
        Meta::List(list) => {
            CACHE.read_list(&mut options, list, option.errors);
        }
        Meta::NameValue(pair) => {
            return Err(syn::Error::new_spanned(
                &pair.value,
                "write `cache` alone, or with its options in parentheses: `cache(ttl = \"60s\")`",
            ));
        }
    }
    Ok(Cache { word: option.meta.path().clone(), options })
}

#[cfg(test)]
mod tests {
    #[test]
    fn t4_an_editor_shows_each_option_of_a_cache_as_the_table_has_it() {
        crate::keys::assert_shown("cache", super::CacheOptions::KEYS);
    }
}
