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

/// Where something is wrong, for people: the place of a JSON Pointer by the words of its field, or as a path through the document.
pub fn place(pointer: &str) -> String {
    let segment = |text: &str| text.replace("~1", "/").replace("~0", "~");
    let path = |pointer: &str| {
        let steps = pointer.split('/').filter(|step| !step.is_empty()).map(|step| match step.parse::<usize>() {
            Ok(n) => format!("item {}", n + 1),
            Err(_) => segment(step),
        });
        steps.collect::<Vec<_>>().join(" › ")
    };
    for document in ["/configuration/values/", "/values/"] {
        if let Some(rest) = pointer.strip_prefix(document) {
            return path(rest);
        }
    }
    let field = match pointer {
        "" => return String::new(),
        "/values" | "/configuration/values" => "Document",
        "/name" => "Name",
        "/displayName" => "Name for people",
        "/description" => "Description",
        "/configuration" => "Configuration",
        "/executionMode" => "Execution mode",
        "/harnessAuth" | "/harnessAuth/apiKey" => "Model key",
        "/harnessAuth/provider" => "Provider",
        "/value" | "/valueBase64" => "Value",
        "/text" => "Message",
        "/revision" => "Revision",
        _ if pointer.starts_with("/labels") => "Labels",
        _ => {
            let (first, rest) = pointer[1..].split_once('/').unwrap_or((&pointer[1..], ""));
            let (word, rest) = (apart(&segment(first)), path(rest));
            return if rest.is_empty() { word } else { format!("{word} › {rest}") };
        }
    };
    field.to_owned()
}

/// `secretBindings` as `Secret bindings`.
fn apart(camel: &str) -> String {
    let mut words = String::new();
    for letter in camel.chars() {
        match letter {
            _ if words.is_empty() => words.extend(letter.to_uppercase()),
            _ if letter.is_uppercase() => {
                words.push(' ');
                words.extend(letter.to_lowercase());
            }
            _ => words.push(letter),
        }
    }
    words
}

/// How long something has been so: `for 12 s`, `for 3 min`, `since 12 Nov`.
pub fn lasting(now: OffsetDateTime, since: OffsetDateTime) -> String {
    let seconds = (now - since).whole_seconds().max(0);
    match seconds {
        0..60 => format!("for {seconds} s"),
        60..3_600 => format!("for {} min", seconds / 60),
        3_600..86_400 => format!("for {} h", seconds / 3_600),
        86_400..604_800 => format!("for {}", count(usize::try_from(seconds / 86_400).unwrap_or(0), "day", "days")),
        _ if since.year() == now.year() => format!("since {}", day(since)),
        _ => format!("since {} {}", day(since), since.year()),
    }
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
    fn a_place_is_said_in_the_fields_own_words() {
        let said = [
            "/name",
            "/harnessAuth/apiKey",
            "/values/gateway/port",
            "/configuration/values/models/0/id",
            "/secretBindings/1/pointer",
            "/values/channels/a~1b",
            "",
        ];
        let words = [
            "Name",
            "Model key",
            "gateway › port",
            "models › item 1 › id",
            "Secret bindings › item 2 › pointer",
            "channels › a/b",
            "",
        ];
        assert_eq!(said.map(place), words);
    }

    #[test]
    fn a_state_lasts_for_a_while_or_since_a_day() {
        let now = datetime!(2026-11-30 12:00 UTC);
        let said = |at| lasting(now, at);
        assert_eq!(said(now), "for 0 s");
        assert_eq!(said(datetime!(2026-11-30 11:59:48 UTC)), "for 12 s");
        assert_eq!(said(datetime!(2026-11-30 10:00 UTC)), "for 2 h");
        assert_eq!(said(datetime!(2026-11-29 10:00 UTC)), "for 1 day");
        assert_eq!(said(datetime!(2026-11-12 10:00 UTC)), "since 12 Nov");
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
