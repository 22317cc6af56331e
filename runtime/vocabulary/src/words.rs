//! Closed lists of words.

use std::fmt;

/// A word of a closed list.
pub trait Word: Copy + Eq + fmt::Display + 'static {
    /// All words, in the order in which messages and tables list them.
    const ALL: &'static [Self];

    /// The words as text, in the same order.
    const WORDS: &'static [&'static str];

    /// The word as text.
    fn word(self) -> &'static str;

    /// The name of the variant in Rust.
    fn variant(self) -> &'static str;

    /// Its row: lines for people.
    fn row(self) -> &'static [&'static str];

    /// The word with this text.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.word() == word)
    }
}

/// Declares an enum for each list. The first lines of a row are its description, and `word => Variant` is the word with its variant.
macro_rules! words {
    ($(
        $(#[doc = $about:literal])+
        $module:ident $name:ident { $($(#[doc = $doc:expr])+ $word:ident => $variant:ident,)+ }
    )+) => {$(
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $crate::words::Word for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];
            const WORDS: &'static [&'static str] = &[$(stringify!($word)),+];

            fn word(self) -> &'static str {
                Self::WORDS[self as usize]
            }

            fn variant(self) -> &'static str {
                [$(stringify!($variant)),+][self as usize]
            }

            fn row(self) -> &'static [&'static str] {
                const ROWS: &[&[&str]] = &[$(&[$($doc),+]),+];
                ROWS[self as usize]
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str($crate::words::Word::word(*self))
            }
        }
    )+};
}

pub(crate) use words;
