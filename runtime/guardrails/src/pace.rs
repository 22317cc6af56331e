//! Long texts are looked at in parts, and other work of the thread goes on between them, so limits and cancellation end the check.

/// The bytes of a part.
pub(crate) const PART: usize = 4096;
/// What a text costs beside its bytes.
const TEXT: usize = 32;

/// Gives way when enough was looked at, in one text or in many.
#[derive(Default)]
pub(crate) struct Pace {
    since: usize,
}

impl Pace {
    /// Call it before a part of so many bytes is looked at.
    pub(crate) async fn part(&mut self, bytes: usize) {
        if self.since >= PART {
            self.since = 0;
            tokio::task::yield_now().await;
        }
        self.since += bytes + TEXT;
    }
}

/// The text in parts, at least one.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (part, later) = text.split_at(text.floor_char_boundary(PART));
        rest = Some(later).filter(|later| !later.is_empty());
        Some(part)
    })
}
