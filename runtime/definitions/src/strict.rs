//! [`Strict`]: types whose schema follows OpenAI's strict rules, for checks by the compiler.

// `export/strict_rewrite.rs` accepts the schema of a type if and only if the type is accepted here;
// `tests/type_matrix` checks both. Schemas exist at run time only, so this trait is a marker.

use std::borrow::Cow;
use std::collections::{BTreeSet, BinaryHeap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8, NonZeroU16,
    NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize,
};
use std::ops::{Bound, Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::definition::ToolDefinition;
use crate::export::{self, ExportError};

/// A type whose schema follows OpenAI's strict rules
/// (<https://platform.openai.com/docs/guides/structured-outputs>). The provider can then enforce the schema
/// while the model writes. Every parameter of a `#[tool(strict)]` function has such a type.
///
/// `#[derive(Strict)]` implements it for other types; its documentation lists the allowed fields. It is
/// implemented for numbers, texts, `bool`, `()`, `Option`, lists and sets, arrays of 1 to 32 items, tuples of
/// one type, boxes and references, `Result`, ranges, times and addresses of `std`, for
/// [`serde_json::Number`], and with the features `chrono04`, `uuid1` and `url2` for the types of those
/// crates.
///
/// It is not implemented for maps, for [`serde_json::Value`], for tuples of different types and for empty
/// arrays.
///
/// ```
/// use onionskin::export::{self, ExportOptions};
/// use onionskin::{Strict, Tool, tool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
/// struct Filter {
///     field: String,
///     least: Option<f64>,
/// }
///
/// /// Searches the shop.
/// #[tool(strict)]
/// fn search(words: Vec<String>, filters: Vec<Filter>) -> usize {
///     words.len() + filters.len()
/// }
///
/// let tool = search::default();
/// let exported = export::openai_chat(tool.definition(), &ExportOptions::new()).unwrap();
/// assert_eq!(exported["function"]["strict"], true);
/// ```
///
/// For a type with a hand-written `JsonSchema`, write `impl Strict for MyType {}`. This is a promise: an
/// export checks the schema itself, and rejects it if it breaks the rules.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be strict",
    label = "OpenAI's strict rules have no form for this type, or for one inside of it",
    note = "for a type of your own write `#[derive(onionskin::Strict)]`",
    note = "replace a map by a list of structs with a key and a value, a tuple of different types by a struct, and any JSON \
            value by a type with fields; or remove `strict`"
)]
pub trait Strict {}

/// A [`Strict`] type, as a parameter of a tool with `strict`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be strict",
    label = "OpenAI's strict rules have no form for this type, or for one inside of it",
    note = "for a type of your own write `#[derive(onionskin::Strict)]`",
    note = "replace a map by a list of structs with a key and a value, a tuple of different types by a struct, and any JSON \
            value by a type with fields; or remove `strict`"
)]
pub trait StrictParameter {
    /// Checks the bound at the span that the macro chooses.
    #[doc(hidden)]
    const IS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: Strict + ?Sized> StrictParameter for T {}

/// `#[derive(Strict)]` names the types of the fields in an implementation of this trait.
pub trait CheckedFields {
    /// Checks the fields.
    fn fields();
}

/// A type whose fields can be placed among those of another type: with `#[serde(flatten)]`, or in a variant
/// of an enum with `tag`. `#[derive(Strict)]` implements it. Like [`Strict`], it can be implemented by hand
/// for a type with a hand-written `JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "the fields of `{Self}` cannot be fields of a strict object",
    label = "not a strict type with fields of its own",
    note = "a flattened field, and the content of a variant of an enum with `tag`, must be a struct with named fields, or an \
            enum whose variants have them, with `#[derive(onionskin::Strict)]`; a map has fields of any name"
)]
pub trait StrictFields: Strict {
    /// The number of enums among the fields, including flattened ones. The strict rules cannot express two
    /// enums in one object.
    const ENUMS: usize;
}

macro_rules! strict {
    ($($ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Strict for $ty {}
    )*};
    (of T: $($ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Strict> Strict for $ty {}
    )*};
    (arrays of $($length:literal)*) => { strict! { of T: $([T; $length];)* } };
}

strict! {
    i8; i16; i32; i64; i128; isize; u8; u16; u32; u64; u128; usize; f32; f64; bool; char; str; String; ();
    NonZeroI8; NonZeroI16; NonZeroI32; NonZeroI64; NonZeroI128; NonZeroIsize;
    NonZeroU8; NonZeroU16; NonZeroU32; NonZeroU64; NonZeroU128; NonZeroUsize;
    serde_json::Number; Path; PathBuf;
    IpAddr; Ipv4Addr; Ipv6Addr; SocketAddr; SocketAddrV4; SocketAddrV6; Duration; SystemTime;
}

strict! {
    of T: Option<T>; Vec<T>; [T]; VecDeque<T>; LinkedList<T>; BinaryHeap<T>; BTreeSet<T>; Bound<T>; Range<T>;
    RangeInclusive<T>;
}

// The lengths that serde supports. An empty array has no item to describe.
strict! { arrays of 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 }

// In the strict rules, all items of a list have one schema.
strict! {
    of T: (T,); (T, T); (T, T, T); (T, T, T, T); (T, T, T, T, T); (T, T, T, T, T, T); (T, T, T, T, T, T, T);
    (T, T, T, T, T, T, T, T); (T, T, T, T, T, T, T, T, T); (T, T, T, T, T, T, T, T, T, T);
    (T, T, T, T, T, T, T, T, T, T, T); (T, T, T, T, T, T, T, T, T, T, T, T);
}

macro_rules! pointers {
    ($($ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Strict + ?Sized> Strict for $ty {}

        #[diagnostic::do_not_recommend]
        impl<T: StrictFields + ?Sized> StrictFields for $ty {
            const ENUMS: usize = T::ENUMS;
        }
    )*};
}

pointers! { &T; Box<T>; Rc<T>; Arc<T>; }

#[diagnostic::do_not_recommend]
impl<T: Strict + ToOwned + ?Sized> Strict for Cow<'_, T> {}

#[diagnostic::do_not_recommend]
impl<T: Strict, E: Strict> Strict for Result<T, E> {}

#[diagnostic::do_not_recommend]
impl<T: Strict, S> Strict for HashSet<T, S> {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> Strict for PhantomData<T> {}

#[cfg(feature = "uuid1")]
strict! { uuid::Uuid; }

#[cfg(feature = "url2")]
strict! { url::Url; }

#[cfg(feature = "chrono04")]
strict! {
    chrono::NaiveDate; chrono::NaiveDateTime; chrono::NaiveTime; chrono::Weekday;
}

#[cfg(feature = "chrono04")]
#[diagnostic::do_not_recommend]
impl<Tz: chrono::TimeZone> Strict for chrono::DateTime<Tz> {}

/// Marks a type as strict.
pub const fn strict<T: Strict + ?Sized>() {}

/// Marks the fields of a type as strict, with the number of enums among them.
pub const fn strict_fields<T: StrictFields + ?Sized>() -> usize {
    T::ENUMS
}

impl ToolDefinition {
    /// Whether exports are strict by default: set by `#[tool(strict)]` or [`with_strict`](Self::with_strict).
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// Sets whether exports are strict by default; the
    /// [options](crate::export::ExportOptions::without_strict) of an export override this. It checks at run
    /// time what the compiler checks for `#[tool(strict)]`.
    ///
    /// ```
    /// use onionskin::ToolDefinition;
    /// use onionskin::export::{self, ExportError, ExportOptions};
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]});
    /// let tool = ToolDefinition::new("look", "Looks.").with_input_schema(schema).with_strict(true)?;
    /// assert_eq!(export::openai_responses(&tool, &ExportOptions::new())?["strict"], true);
    ///
    /// let any = ToolDefinition::new("tally", "Adds up.");
    /// assert!(matches!(any.with_strict(true), Err(ExportError::Schema { path, .. }) if path == "$"));
    /// # Ok::<_, ExportError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if OpenAI's strict rules cannot express the schema of the arguments.
    pub fn with_strict(mut self, strict: bool) -> Result<Self, ExportError> {
        if strict {
            export::strict_schema(&self)?;
        }
        self.strict = strict;
        Ok(self)
    }
}
