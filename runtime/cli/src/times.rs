//! Moments, as people and programs write them.

use std::time::SystemTime;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};

/// Reads a moment: a date or a time of this place, a time with its offset, or how long ago it was.
pub(crate) fn read(text: &str) -> Result<SystemTime, String> {
    let moment = if let Ok(moment) = text.parse::<Timestamp>() {
        moment
    } else if let Ok(time) = text.parse::<DateTime>() {
        time.to_zoned(TimeZone::system()).map_err(|error| error.to_string())?.timestamp()
    } else if let Ok(span) = text.parse::<Span>() {
        let before = if span.is_negative() { span } else { -span };
        Zoned::now().checked_add(before).map_err(|error| error.to_string())?.timestamp()
    } else {
        return Err(
            "write a date (`2026-11-28`), a time (`2026-11-28T10:30`), or how long ago it was (`2d`, `12h`)"
                .to_owned(),
        );
    };
    Ok(moment.into())
}

/// The date and the time of this place, for people.
pub(crate) fn shown(time: SystemTime) -> String {
    match Timestamp::try_from(time) {
        Ok(moment) => moment.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => "?".to_owned(),
    }
}

/// The form of RFC 3339, for programs; none for a time that it cannot have.
pub(crate) fn rfc3339(time: SystemTime) -> Option<String> {
    Timestamp::try_from(time).ok().map(|moment| moment.to_string())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn a12_a_moment_is_a_date_a_time_or_how_long_ago_it_was() {
        let moment = UNIX_EPOCH + Duration::from_mins(29_931_030);
        assert_eq!(read("2026-11-28T10:30:00Z").unwrap(), moment);
        assert_eq!(read("2026-11-28T11:30:00+01:00").unwrap(), moment);
        assert_eq!(rfc3339(moment).unwrap(), "2026-11-28T10:30:00Z");
        assert_eq!(shown(read("2026-11-28T10:30").unwrap()), "2026-11-28 10:30");
        assert_eq!(shown(read("2026-11-28").unwrap()), "2026-11-28 00:00");
        for (text, hours) in [("2h", 2), ("-2h", 2), ("90m ago", 1)] {
            let before = read(text).unwrap();
            let ago = SystemTime::now().duration_since(before).unwrap();
            assert_eq!(ago.as_secs() / 3600, hours, "{text}");
        }
        assert!(read("yesterday").unwrap_err().contains("how long ago"));
        assert!(read("20000y").is_err());
    }
}
