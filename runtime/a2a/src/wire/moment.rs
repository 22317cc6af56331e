//! Moments, in the form that the protocol has: UTC with milliseconds.

use jiff::Timestamp;

/// This moment.
pub(crate) fn now() -> String {
    shown(Timestamp::now())
}

fn shown(moment: Timestamp) -> String {
    format!("{moment:.3}")
}

/// A moment of a client, in the same form; `None` if it is none.
pub(crate) fn read_moment(text: &str) -> Option<String> {
    text.parse().ok().map(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o6_moments_have_one_form_and_so_one_order() {
        assert_eq!(read_moment("2026-11-30T03:01:08.98+01:00").unwrap(), "2026-11-30T02:01:08.980Z");
        assert_eq!(read_moment("2026-11-30T02:01:08Z").unwrap(), "2026-11-30T02:01:08.000Z");
        assert!(read_moment("yesterday").is_none());
        assert_eq!(now().len(), "2026-11-30T02:01:08.980Z".len());
    }
}
