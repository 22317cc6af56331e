//! Counts the bytes that a value of a script holds.

use std::collections::HashSet;

use rhai::{Dynamic, FnPtr, Identifier};

use super::super::chars::Chars;

/// A value in its place: in a variable, an array or a map.
pub(super) const SLOT: usize = size_of::<Dynamic>();
/// The bytes of each array, text, closure or captured variable beside its items: its own allocations.
const BOX: usize = 48;
/// An entry of a map without the value's own bytes: nodes of the tree are not full.
pub(super) const ENTRY: usize = 64 + SLOT;
/// More than any other value of the language holds.
const OTHER: usize = 128;
/// Values are walked on the stack; deeper than any value that Rhai lets through.
const DEPTH: usize = 16_384;

/// Adds up values, each captured variable once.
pub(crate) struct Size {
    /// Adding ends here, which bounds the time of a walk.
    limit: usize,
    pub(super) bytes: usize,
    /// Bytes of all texts, names of entries among them.
    pub(crate) text: usize,
    /// Items of all arrays.
    pub(crate) items: usize,
    /// Entries of all maps.
    pub(crate) entries: usize,
    captured: HashSet<usize>,
}

impl Size {
    pub(crate) fn up_to(limit: usize) -> Self {
        Self { limit, bytes: 0, text: 0, items: 0, entries: 0, captured: HashSet::new() }
    }

    pub(super) fn measure(value: &Dynamic, limit: usize) -> Self {
        let mut size = Self::up_to(limit);
        size.add(value);
        size
    }

    pub(crate) fn add(&mut self, value: &Dynamic) {
        self.walk(value, 0);
    }

    fn walk(&mut self, value: &Dynamic, depth: usize) {
        self.bytes = self.bytes.saturating_add(SLOT);
        if self.bytes > self.limit {
            return;
        }
        if depth > DEPTH {
            self.bytes = usize::MAX;
        } else if value.is_shared() {
            // A locked value is in use by an outer function, and counted there.
            if let Some(inner) = value.read_lock::<Dynamic>()
                && self.captured.insert(address(&inner))
            {
                self.bytes += BOX;
                self.walk(&inner, depth + 1);
            }
        } else if value.is_int() || value.is_float() || value.is_bool() || value.is_unit() {
        } else if let Ok(text) = value.as_immutable_string_ref() {
            self.bytes += BOX + AsRef::<Identifier>::as_ref(&*text).capacity();
            self.text += text.len();
        } else if let Ok(items) = value.as_array_ref() {
            self.bytes += BOX + (items.capacity() - items.len()) * SLOT;
            self.items += items.len();
            items.iter().for_each(|item| self.walk(item, depth + 1));
        } else if let Ok(entries) = value.as_map_ref() {
            self.bytes += BOX;
            self.entries += entries.len();
            for (name, value) in entries.iter() {
                self.bytes += ENTRY - SLOT + name.capacity();
                self.text += name.len();
                self.walk(value, depth + 1);
            }
        } else if let Some(function) = value.read_lock::<FnPtr>() {
            self.bytes += BOX + size_of::<FnPtr>();
            function.iter_curry().for_each(|value| self.walk(value, depth + 1));
        } else if let Ok(bytes) = value.as_blob_ref() {
            self.bytes += BOX + bytes.capacity();
            self.items += bytes.len();
        } else if let Some(chars) = value.read_lock::<Chars>() {
            self.bytes += BOX + size_of::<Chars>() + chars.bytes();
            self.text += chars.bytes();
        } else if !value.is_char() {
            // Ranges and other small things of the language.
            self.bytes += BOX + OTHER;
        }
    }
}

/// The identity of a captured variable.
pub(super) fn address(inner: &Dynamic) -> usize {
    std::ptr::from_ref(inner).addr()
}

/// Returns whether it contains a closure that holds values, also in captured variables.
pub(super) fn holds_closure(value: &Dynamic) -> bool {
    if value.is_shared() {
        false
    } else if let Ok(items) = value.as_array_ref() {
        items.iter().any(holds_closure)
    } else if let Ok(entries) = value.as_map_ref() {
        entries.values().any(holds_closure)
    } else {
        value.read_lock::<FnPtr>().is_some_and(|function| function.is_curried())
    }
}
