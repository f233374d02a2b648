//! How quantities are said: durations, relative and exact times, short ids, counts.
//!
//! Pure functions, so that the server's first paint and the browser say the same, and a translation has one place.

use time::{Month, OffsetDateTime};

/// A length of time in milliseconds, in two units at most: `21 ms`, `6.4 s`, `3 min 5 s`, `2 h 4 min`, `20 days`.
pub fn duration(millis: u64) -> String {
    let seconds = millis / 1000;
    match millis {
        0 => "< 1 ms".to_owned(),
        1..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{}.{} s", seconds, (millis % 1000) / 100),
        60_000..3_600_000 => two(seconds / 60, "min", seconds % 60, "s"),
        3_600_000..172_800_000 => two(seconds / 3600, "h", (seconds % 3600) / 60, "min"),
        _ => format!("{} days", seconds / 86_400),
    }
}

fn two(big: u64, big_unit: &str, small: u64, small_unit: &str) -> String {
    if small == 0 { format!("{big} {big_unit}") } else { format!("{big} {big_unit} {small} {small_unit}") }
}

/// Milliseconds from `from` to `to`, zero when `to` is earlier (clocks of two machines may disagree a little).
pub fn millis_between(from: OffsetDateTime, to: OffsetDateTime) -> u64 {
    u64::try_from((to - from).whole_milliseconds()).unwrap_or(0)
}

/// `at`, seen from `now`: `just now`, `41 s ago`, `3 min ago`, `2 h ago`, `yesterday`, `12 Nov`, `in 4 min`.
pub fn relative(now: OffsetDateTime, at: OffsetDateTime) -> String {
    let seconds = (now - at).whole_seconds();
    let ago = |n: i64, unit: &str| if seconds < 0 { format!("in {n} {unit}") } else { format!("{n} {unit} ago") };
    let size = seconds.abs();
    match size {
        0..5 => "just now".to_owned(),
        5..60 => ago(size, "s"),
        60..3_600 => ago(size / 60, "min"),
        3_600..86_400 => ago(size / 3_600, "h"),
        86_400..172_800 => if seconds < 0 { "tomorrow" } else { "yesterday" }.to_owned(),
        172_800..604_800 => ago(size / 86_400, "days"),
        _ if at.year() == now.year() => day(at),
        _ => format!("{} {}", day(at), at.year()),
    }
}

/// Day and month: `12 Nov`.
pub fn day(at: OffsetDateTime) -> String {
    format!("{} {}", at.day(), month(at.month()))
}

/// The exact time for a title: `30 Nov 2026, 08:12:04 UTC`.
pub fn exact(at: OffsetDateTime) -> String {
    let at = at.to_offset(time::UtcOffset::UTC);
    format!("{} {}, {:02}:{:02}:{:02} UTC", day(at), at.year(), at.hour(), at.minute(), at.second())
}

/// The time of day with milliseconds, as log lines show it: `08:12:04.214`.
pub fn clock_time(at: OffsetDateTime) -> String {
    let at = at.to_offset(time::UtcOffset::UTC);
    format!("{:02}:{:02}:{:02}.{:03}", at.hour(), at.minute(), at.second(), at.millisecond())
}

/// RFC 3339, the machine-readable value of a `<time>` element.
pub fn rfc3339(at: OffsetDateTime) -> String {
    at.format(&time::format_description::well_known::Rfc3339).unwrap_or_default()
}

/// An id short enough for a line: `agt_0192f4…c81e`. Short values stay whole.
pub fn short_id(id: &str) -> String {
    let chars: Vec<char> = id.chars().collect();
    if chars.len() <= 17 {
        return id.to_owned();
    }
    let head: String = chars[..10].iter().collect();
    let tail: String = chars[chars.len() - 4..].iter().collect();
    format!("{head}…{tail}")
}

/// A count with its noun: `1 Agent`, `12 Agents`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// How many attempts failed so far.
pub fn failed_attempts(n: i32) -> String {
    if n == 0 { "none".to_owned() } else { n.to_string() }
}

fn month(month: Month) -> &'static str {
    match month {
        Month::January => "Jan",
        Month::February => "Feb",
        Month::March => "Mar",
        Month::April => "Apr",
        Month::May => "May",
        Month::June => "Jun",
        Month::July => "Jul",
        Month::August => "Aug",
        Month::September => "Sep",
        Month::October => "Oct",
        Month::November => "Nov",
        Month::December => "Dec",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn durations_use_two_units_at_most() {
        let said: Vec<_> = [0, 21, 6_430, 12_700, 60_000, 185_000, 7_440_000, 1_728_000_000].map(duration).into();
        assert_eq!(said, ["< 1 ms", "21 ms", "6.4 s", "12.7 s", "1 min", "3 min 5 s", "2 h 4 min", "20 days"]);
    }

    #[test]
    fn relative_times_count_down_to_dates() {
        let now = datetime!(2026-11-30 12:00 UTC);
        let said = |at| relative(now, at);
        assert_eq!(said(datetime!(2026-11-30 11:59:58 UTC)), "just now");
        assert_eq!(said(datetime!(2026-11-30 11:59:19 UTC)), "41 s ago");
        assert_eq!(said(datetime!(2026-11-30 10:00 UTC)), "2 h ago");
        assert_eq!(said(datetime!(2026-11-29 10:00 UTC)), "yesterday");
        assert_eq!(said(datetime!(2026-11-12 10:00 UTC)), "12 Nov");
        assert_eq!(said(datetime!(2025-11-12 10:00 UTC)), "12 Nov 2025");
        assert_eq!(said(datetime!(2026-11-30 12:04 UTC)), "in 4 min");
    }

    #[test]
    fn a_length_is_never_negative() {
        assert_eq!(millis_between(datetime!(2026-11-30 12:00:01 UTC), datetime!(2026-11-30 12:00 UTC)), 0);
    }

    #[test]
    fn long_ids_keep_both_ends() {
        assert_eq!(short_id("agt_0192f4aa-0000-7000-8000-00000000c81e"), "agt_0192f4…c81e");
        assert_eq!(short_id("paper-reader"), "paper-reader");
    }
}
