//! The values that a card gives a hook, `with: [3]`, in the types of the hook.

use std::any::TypeId;
use std::panic::catch_unwind;

use onionskin_cards::ValueKind;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::panics::text_of;

/// A value that does not fit its type: its index, and why.
pub(crate) type Unfit = (usize, String);

/// The values of a hook as a tuple of up to eight types that serde reads; `()` for a hook without values. Programs do not implement it.
#[diagnostic::on_unimplemented(
    message = "a card cannot give a hook the values `{Self}`",
    label = "not a tuple of up to eight types that implement `Deserialize` and borrow nothing",
    note = "register the hook with `tool_hook_with`, `run_hook_with`, `turn_hook_with` or `message_hook_with`, and make it of values that \
            serde reads"
)]
pub trait HookValues: Sized + 'static {
    /// What a card can be held to, for each value.
    #[doc(hidden)]
    fn kinds() -> Vec<Option<ValueKind>>;

    /// Reads as many values as there are kinds.
    #[doc(hidden)]
    fn read(values: &[Value]) -> Result<Self, Unfit>;
}

#[diagnostic::do_not_recommend]
impl HookValues for () {
    fn kinds() -> Vec<Option<ValueKind>> {
        Vec::new()
    }

    fn read(_: &[Value]) -> Result<Self, Unfit> {
        Ok(())
    }
}

macro_rules! hook_values {
    ($($($at:literal $name:ident)*;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($name: DeserializeOwned + 'static),*> HookValues for ($($name,)*) {
            fn kinds() -> Vec<Option<ValueKind>> {
                vec![$(kind_of::<$name>()),*]
            }

            fn read(values: &[Value]) -> Result<Self, Unfit> {
                Ok(($(value::<$name>(values, $at)?,)*))
            }
        }
    )*};
}

hook_values! {
    0 A;
    0 A 1 B;
    0 A 1 B 2 C;
    0 A 1 B 2 C 3 D;
    0 A 1 B 2 C 3 D 4 E;
    0 A 1 B 2 C 3 D 4 E 5 F;
    0 A 1 B 2 C 3 D 4 E 5 F 6 G;
    0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H;
}

fn value<T: DeserializeOwned>(values: &[Value], at: usize) -> Result<T, Unfit> {
    let value = values.get(at).unwrap_or(&Value::Null);
    match catch_unwind(|| T::deserialize(value)) {
        Ok(read) => read.map_err(|error| (at, error.to_string())),
        Err(panic) => {
            Err((at, format!("code of the program panicked while it read the value: {}", text_of(&*panic))))
        }
    }
}

/// Whether a hook's only value, a number, is at least this one.
pub(crate) fn at_least(least: u64, values: &[Value], why: &str) -> Result<(), Unfit> {
    match values {
        [Value::Number(number)] if number.as_u64().is_some_and(|number| number < least) => {
            Err((0, why.to_owned()))
        }
        _ => Ok(()),
    }
}

/// What the values of a type have to be, in the words of the compiler's errors.
fn kind_of<T: 'static>() -> Option<ValueKind> {
    macro_rules! known {
        ($($known:ident)*) => {
            [$((TypeId::of::<$known>(), stringify!($known))),*]
        };
    }
    let known = known!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String bool);
    let (_, name) = known.into_iter().find(|(known, _)| *known == TypeId::of::<T>())?;
    ValueKind::from_type(name)
}
