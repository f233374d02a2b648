//! The one vocabulary of colour: green serving or ready, blue in progress, amber wants attention but works, red failed or
//! refused, grey stopped or draft.

/// What a colour says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Serving, ready, done.
    Ok,
    /// In progress.
    Info,
    /// Works, but wants attention.
    Warn,
    /// Failed or refused.
    Bad,
    /// Stopped, draft, nothing to say.
    #[default]
    Idle,
}

impl Tone {
    /// The class that sets the tone's two colours.
    pub fn class(self) -> &'static str {
        match self {
            Self::Ok => "tone-ok",
            Self::Info => "tone-info",
            Self::Warn => "tone-warn",
            Self::Bad => "tone-bad",
            Self::Idle => "tone-idle",
        }
    }
}
