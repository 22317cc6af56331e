//! The ladders, one trait each. Generated code imports them.
//!
//! A blanket implementation cannot distinguish `Result<T, E>` from a serialisable type, so `#[tool]` uses
//! autoref specialisation on the concrete type: of the implementations of a ladder that apply, its rungs, the
//! one with the most references wins. So aliases of `Result`, and custom types called `Result`, are handled
//! correctly. Each ladder has a rung for every type, so only one bound check of the macro fails, at the wrong
//! part of the type.

use std::error::Error;
use std::fmt::Display;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::own_form::OwnForm;
use super::reread::{InJson, InOwnForm, OwnReading, Readable, Unread};
use super::result::{
    AsIs, Described, InError, InExit, InText, Mute, Own, Sides, Undescribed, Untold, ValueForm,
};
use super::result_types::{Kind, SecretResult, ToolReturn};
use crate::error::Exit;
use crate::schema::to_json;

/// Implements the ladder `$ladder` with its rungs, the first choice first.
macro_rules! rungs {
    ($ladder:ident, $method:ident: $([$($param:tt)*] $kind:ty => $rung:ty;)+) => {$(
        impl<$($param)*> $ladder for $kind {
            type Rung = $rung;

            fn $method(&self) -> $rung {
                <$rung>::new()
            }
        }
    )+};
}

/// How the error side of a return type is removed.
pub trait SplitLadder {
    type Rung;

    fn split_by(&self) -> Self::Rung;
}

rungs! { SplitLadder, split_by:
    [T] &&&&Kind<Result<T, Exit>> => Sides<InExit, T, String>;
    [T, E: Into<Box<dyn Error + Send + Sync>>] &&&Kind<Result<T, E>> => Sides<InError, T, String>;
    [T, E: Display] &&Kind<Result<T, E>> => Sides<InText, T, String>;
    [T, E] &Kind<Result<T, E>> => Sides<Mute, T, E>;
    [T] Kind<T> => Sides<AsIs, T, String>;
}

/// How a value without an error side is serialised. With [`SplitLadder`] it makes a
/// [`Returned`](super::Returned).
pub trait FormLadder {
    type Rung;

    fn form(&self) -> Self::Rung;
}

rungs! { FormLadder, form:
    [T: OwnForm] &&&&Kind<T> => ValueForm<Own, String, ()>;
    [T: ToolReturn + JsonSchema] &&&Kind<T> => ValueForm<Described, String, ()>;
    [T: ToolReturn] &&Kind<T> => ValueForm<Undescribed, String, ()>;
    [T: SecretResult] &Kind<T> => ValueForm<Untold, String, T>;
    [T] Kind<T> => ValueForm<Untold, T, ()>;
}

/// How such a value is deserialised, for typed hooks on a tool with its own layers. A type that cannot be
/// deserialised has its own rung, so that the error is at the typed hook, where it names the tool, and not at
/// the tool.
pub trait ReadLadder {
    type Rung;

    fn reading(&self) -> Self::Rung;
}

rungs! { ReadLadder, reading:
    [T: OwnReading] &&Kind<T> => Readable<InOwnForm, String>;
    [T: DeserializeOwned] &Kind<T> => Readable<InJson, String>;
    [T] Kind<T> => Readable<Unread, T>;
}

/// Whether a value can be serialised. The defaults are for a type that cannot be.
pub trait ValueLadder<T> {
    /// A default or an example for the model.
    fn show(&self, _: &T) -> Option<Value> {
        None
    }

    /// An argument for a tool with its own layers. A typed hook on a tool whose arguments cannot be
    /// serialised does not compile.
    fn write(&self, _: &T) -> Result<String, serde_json::Error> {
        Err(serde::ser::Error::custom("it has no `Serialize`"))
    }
}

impl<T: Serialize> ValueLadder<T> for &Kind<T> {
    fn show(&self, value: &T) -> Option<Value> {
        serde_json::to_value(value).ok()
    }

    fn write(&self, value: &T) -> Result<String, serde_json::Error> {
        to_json(value)
    }
}

impl<T> ValueLadder<T> for Kind<T> {}
