//! The shim's words. It is started by the supervisor only, so there is no help and no guessing.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Failed;

/// What `enter` and `init` are told.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub cgroups: Vec<PathBuf>,
    pub uid: Option<u32>,
    pub directory: Option<PathBuf>,
    pub secret_variable: Option<(OsString, PathBuf)>,
    /// Program and arguments; never empty.
    pub command: Vec<OsString>,
}

impl Options {
    pub(super) fn parse(mut args: impl Iterator<Item = OsString>) -> Result<Self, Failed> {
        let mut options = Self::default();
        while let Some(word) = args.next() {
            let mut value = || args.next().ok_or(Failed::Usage);
            match word.to_str() {
                Some("--cgroup") => options.cgroups.push(value()?.into()),
                Some("--uid") => {
                    let uid = value()?.to_str().and_then(|text| text.parse().ok()).filter(|uid| *uid != 0);
                    options.uid = Some(uid.ok_or(Failed::Usage)?);
                }
                Some("--directory") => options.directory = Some(value()?.into()),
                Some("--secret-variable") => options.secret_variable = Some((value()?, value()?.into())),
                Some("--") => {
                    options.command = args.collect();
                    return if options.command.is_empty() { Err(Failed::Usage) } else { Ok(options) };
                }
                _ => return Err(Failed::Usage),
            }
        }
        Err(Failed::Usage)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, Failed> {
        Options::parse(words.iter().map(OsString::from))
    }

    #[test]
    fn words_after_the_dashes_are_the_commands_own() {
        let options = parse(&["--uid", "7", "--", "x", "--uid", "8"]).unwrap();
        assert_eq!((options.uid, options.command.len()), (Some(7), 3));
    }

    #[test]
    fn root_an_empty_command_and_unknown_words_are_refused() {
        for words in [&["--uid", "0", "--", "x"][..], &["--"], &["--what", "--", "x"], &["--uid"], &[]] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }
}
