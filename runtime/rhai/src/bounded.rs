//! Replacements for functions of the language that could exceed the size of a value, or would not end. `language` registers
//! them.

// Rhai checks the size of a result after a function made it. These functions check it before or meanwhile. `tests` runs all
// functions of an engine.
#![expect(clippy::needless_pass_by_value, reason = "the language passes values")]

#[cfg(all(test, target_os = "linux"))]
mod tests;

use rhai::{Array, Dynamic, EvalAltResult, FnPtr, INT, ImmutableString, Map, NativeCallContext};

use super::memory::{Most, Size};

/// The result of a function of the language.
pub(super) type ScriptResult<T> = Result<T, Box<EvalAltResult>>;

pub(super) fn replace(
    cx: &NativeCallContext<'_>,
    text: &mut ImmutableString,
    from: &str,
    to: &str,
) -> ScriptResult<()> {
    if text.is_empty() {
        return Ok(());
    }
    if to.len() > from.len() {
        let more = text.matches(from).count().saturating_mul(to.len() - from.len());
        Most::from_engine(cx.engine()).check_text(text.len().saturating_add(more))?;
    }
    *text = text.replace(from, to).into();
    Ok(())
}

/// Pads to at least this number of letters. The language's own function does not end if there is nothing to add.
pub(super) fn pad(
    cx: NativeCallContext<'_>,
    text: &mut ImmutableString,
    len: INT,
    padding: ImmutableString,
) -> ScriptResult<()> {
    let (len, before) = (usize::try_from(len).unwrap_or(0), text.chars().count());
    if padding.is_empty() || len <= before {
        return Ok(());
    }
    let most = Most::from_engine(cx.engine());
    most.check_text(text.len().saturating_add(len - before))?;
    let added: String = padding.chars().cycle().take(len - before).collect();
    most.check_text(text.len().saturating_add(added.len()))?;
    *text += added;
    Ok(())
}

/// Pads to at least this number of items. The language's own function overflows when it adds sizes.
pub(super) fn pad_array(
    cx: NativeCallContext<'_>,
    items: &mut Array,
    len: INT,
    item: Dynamic,
) -> ScriptResult<()> {
    let len = usize::try_from(len).unwrap_or(0);
    let (mut growing, item) = (Growing::new(&cx), item.flatten());
    growing.size.items = items.len();
    for item in items.iter() {
        growing.size.add(item);
    }
    while items.len() < len {
        items.push(growing.add(item.clone())?);
    }
    Ok(())
}

/// A result that a function makes item by item.
struct Growing {
    size: Size,
    most: Most,
}

impl Growing {
    fn new(cx: &NativeCallContext<'_>) -> Self {
        Self { size: Size::up_to(usize::MAX), most: Most::from_engine(cx.engine()) }
    }

    fn add(&mut self, value: Dynamic) -> ScriptResult<Dynamic> {
        let value = value.flatten();
        self.size.items += 1;
        self.size.add(&value);
        self.most.check(&self.size)?;
        Ok(value)
    }
}

pub(super) fn map_array(
    cx: NativeCallContext<'_>,
    items: &mut Array,
    function: FnPtr,
) -> ScriptResult<Array> {
    let mut growing = Growing::new(&cx);
    let made = items.iter_mut().enumerate().map(|(at, item)| {
        let made = function.call_raw_with_extra_args("map", &cx, Some(item), [], [index(at)], Some(0))?;
        growing.add(made)
    });
    made.collect()
}

pub(super) fn map_map(cx: NativeCallContext<'_>, entries: &mut Map, function: FnPtr) -> ScriptResult<Map> {
    let mut growing = Growing::new(&cx);
    let made = entries.iter_mut().map(|(name, value)| {
        let key = [name.as_str().into()];
        let made = function.call_raw_with_extra_args("map", &cx, Some(value), key, [], Some(1))?;
        Ok((name.clone(), growing.add(made)?))
    });
    made.collect()
}

pub(super) fn zip(
    cx: NativeCallContext<'_>,
    items: &mut Array,
    others: Array,
    function: FnPtr,
) -> ScriptResult<Array> {
    let mut growing = Growing::new(&cx);
    let made = items.iter().zip(others).enumerate().map(|(at, (item, other))| {
        let both = [item.clone(), other];
        let made = function.call_raw_with_extra_args("zip", &cx, None, both, [index(at)], None)?;
        growing.add(made)
    });
    made.collect()
}

fn index(at: usize) -> Dynamic {
    INT::try_from(at).unwrap_or(INT::MAX).into()
}

/// The place of a text, or of a letter.
pub(super) fn index_of(items: &Array, text: &str, start: INT) -> INT {
    let count = usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX);
    let start = if start < 0 { items.len().saturating_sub(count) } else { count };
    let is_it = |item: &Dynamic| match (item.as_immutable_string_ref(), item.as_char()) {
        (Ok(item), _) => item.as_str() == text,
        (_, Ok(letter)) => *letter.encode_utf8(&mut [0; 4]) == *text,
        _ => false,
    };
    let found = items.iter().skip(start).position(is_it);
    found.and_then(|at| INT::try_from(at + start).ok()).unwrap_or(-1)
}
