//! Files that are put into a new Agent's workspace once.

use std::collections::BTreeMap;

use occ_model::problem::FieldError;
use occ_model::strict::escape;

use crate::draft::invalid;
use crate::error::Result;

/// At most so many files.
pub const MAX_FILES: usize = 64;
/// Paths and texts together have at most so many bytes.
pub const MAX_BYTES: usize = 64 * 1024;

/// Refuses what would not land inside the workspace, or not as it was written.
pub fn check(files: &BTreeMap<String, String>) -> Result<()> {
    const HERE: &str = "/initialWorkspaceFiles";
    let mut errors = Vec::new();
    if files.len() > MAX_FILES {
        errors.push(FieldError::new(HERE, "TOO_MANY", "At most 64 files."));
    }
    if files.iter().map(|(path, text)| path.len() + text.len()).sum::<usize>() > MAX_BYTES {
        errors.push(FieldError::new(HERE, "TOO_LARGE", "The files have at most 64 KiB together."));
    }
    for (path, text) in files {
        let pointer = format!("{HERE}/{}", escape(path));
        if !is_inside(path) {
            errors.push(FieldError::new(
                pointer,
                "PATH",
                "A path is relative and normalized: parts between slashes, none of them empty, . or .., without backslashes or control characters.",
            ));
        } else if text.contains('\0') {
            errors.push(FieldError::new(pointer, "CONTROL_CHARACTER", "A text has no NUL characters."));
        } else if files.keys().any(|other| path.starts_with(&format!("{other}/"))) {
            errors.push(FieldError::new(pointer, "PATH", "Another file stands where this one needs a folder."));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(invalid(errors)) }
}

fn is_inside(path: &str) -> bool {
    (1..=1024).contains(&path.len())
        && !path.chars().any(|c| c.is_control() || c == '\\')
        && path.split('/').all(|part| !matches!(part, "" | "." | "..") && part.len() <= 255)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn codes(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        match check(&files) {
            Ok(()) => Vec::new(),
            Err(error) => error.problem().errors.into_iter().map(|e| (e.pointer, e.code)).collect(),
        }
    }

    #[test]
    fn files_land_inside_the_workspace() {
        assert!(codes(&[("AGENTS.md", "hi"), ("notes/a b/ä.md", "")]).is_empty());
        for path in ["", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "./a", "a\\b", "a\nb", "a\0b"] {
            let pointer = format!("/initialWorkspaceFiles/{}", escape(path));
            assert_eq!(codes(&[(path, "")]), [(pointer, "PATH".to_owned())], "{path:?}");
        }
    }

    #[test]
    fn sizes_are_bounded_and_files_do_not_collide() {
        let many: Vec<String> = (0..=MAX_FILES).map(|n| format!("f{n}")).collect();
        let many: Vec<_> = many.iter().map(|path| (path.as_str(), "")).collect();
        assert_eq!(codes(&many)[0].1, "TOO_MANY");
        assert_eq!(codes(&[("big", &"x".repeat(MAX_BYTES))])[0].1, "TOO_LARGE");
        assert_eq!(codes(&[("a", "x"), ("a/b", "y")]), [("/initialWorkspaceFiles/a~1b".to_owned(), "PATH".to_owned())]);
        assert_eq!(codes(&[("a", "x\0y")])[0].1, "CONTROL_CHARACTER");
    }
}
