//! The options `approval` and `cache` of `#[tool(..)]`.

use darling::FromMeta;
use syn::{Expr, ExprLit, Lit, Meta, Path};

use crate::keys::options;
use crate::option::read::{self, Timeout};
use crate::option::{Table, error_at};

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

options! {
    /// The options of `cache(..)`.
    #[derive(Default, FromMeta)]
    pub(crate) struct CacheOptions {
        ttl: Option<Timeout> = read::time,
        key: Option<Path> = read::path,
        capacity: Option<Expr> = read::count,
    }
}

const CACHE: Table<'_> = Table {
    literal: Some("name the option: `ttl = \"60s\"`, `capacity = 100`"),
    ..Table::new("`cache` option", onionskin_vocabulary::options::cache())
};

pub(super) fn approval(meta: &Meta) -> darling::Result<Option<Approval>> {
    match meta {
        Meta::Path(_) => Ok(Some(Approval::Always)),
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Bool(word), .. }) => Ok(word.value.then_some(Approval::Always)),
            _ => Ok(Some(Approval::If(read::path(meta)?))),
        },
        Meta::List(list) => {
            Err(error_at(list, "write `approval` alone, or the function that decides: `approval = is_large`"))
        }
    }
}

pub(super) fn cache(meta: &Meta) -> darling::Result<Option<Cache>> {
    let options = match meta {
        Meta::Path(_) => CacheOptions::default(),
        Meta::List(list) => CACHE.read_inside(list.tokens.clone())?,
        Meta::NameValue(pair) => {
            return Err(error_at(
                &pair.value,
                "write `cache` alone, or with its options in parentheses: `cache(ttl = \"60s\")`",
            ));
        }
    };
    Ok(Some(Cache { word: meta.path().clone(), options }))
}
