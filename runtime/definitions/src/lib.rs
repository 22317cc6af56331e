//! Tools without their calls: definitions and schemas, JSON as models write it, arguments, outputs, the three
//! exits, secrets and exports for providers.
//!
//! Use the crate [`onionskin`](https://docs.rs/onionskin), which re-exports the public types. The other items
//! are for the crates of the runtime.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

/// Implements `From` for values of each of these types.
macro_rules! from_each {
    ($target:ty, $($value:ident: $source:ty => $converted:expr;)+) => {$(
        impl From<$source> for $target {
            fn from($value: $source) -> Self {
                $converted
            }
        }
    )+};
}

/// Implements `Debug` with some values of a type: `Type: this => name: this.name()`.
#[doc(hidden)]
#[macro_export]
macro_rules! debug_fields {
    ($type:ident: $this:ident => $($field:ident: $value:expr),+) => {
        impl ::std::fmt::Debug for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let $this = self;
                f.debug_struct(stringify!($type))
                    $(.field(stringify!($field), &$value))+
                    .finish_non_exhaustive()
            }
        }
    };
}

/// Declares methods that set one field each and return the changed value: `name(value: Type) => field = value;`.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    ($($(#[$about:meta])* $name:ident($($value:ident: $type:ty),*) => $($place:tt).+ = $new:expr;)*) => {$(
        $(#[$about])*
        #[must_use = "the value that is returned has the setting"]
        pub fn $name(mut self, $($value: $type),*) -> Self {
            self.$($place).+ = $new;
            self
        }
    )*};
}

pub mod args;
#[doc(hidden)]
pub mod boxed;
pub mod content;
pub mod definition;
pub mod error;
pub mod export;
pub mod json;
#[doc(hidden)]
pub mod lock;
#[doc(hidden)]
pub mod on_drop;
pub mod output;
pub mod requirements;
pub mod schema;
pub mod secret;
pub mod strict;
pub mod text;

pub use args::Args;
pub use definition::{Effect, ToolDefinition};
pub use error::{Abort, ErrorKind, Exit, Stop, ToolError, ToolResult};
pub use output::ToolOutput;
pub use secret::Secret;
pub use strict::Strict;
