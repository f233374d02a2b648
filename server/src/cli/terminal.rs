//! What a person's terminal is spared: text that it would obey, and a last word after its reader has left.

/// Exit code of a program whose reader left (128 + SIGPIPE), as the shell has it.
const READER_LEFT: i32 = 141;

/// Ends this program without a word where whoever reads its output has left (`occ get agents | head -1`).
pub fn end_with_the_reader() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let said = info.payload().downcast_ref::<String>();
        if said.is_some_and(|said| said.starts_with("failed printing to stdout") && said.contains("Broken pipe")) {
            std::process::exit(READER_LEFT);
        }
        before(info);
    }));
}

/// Foreign text for a terminal: new lines and tabs stay, other control characters and what turns the direction of writing around
/// become escapes.
pub fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if (c.is_control() && !matches!(c, '\n' | '\t')) || turns {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_foreign() {
        assert_eq!(harmless("a\tb\nc"), "a\tb\nc");
        assert_eq!(harmless("\u{1b}]52;c;x\u{7}\u{202e}"), "\\u{1b}]52;c;x\\u{7}\\u{202e}");
    }
}
