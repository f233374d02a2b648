//! The icons (after Lucide: 24 units, stroke 1.7) and the brand's mark. Icons are decoration beside a word, so assistive
//! technology does not see them; a control that shows only an icon carries a label of its own.

use leptos::prelude::*;

/// The icons in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what they draw")]
pub enum Icon {
    Home,
    Agent,
    File,
    Key,
    Stack,
    Shield,
    People,
    List,
    Pulse,
    Search,
    Sun,
    Moon,
    Screen,
    Menu,
    Down,
    Up,
    Warn,
    Play,
    Stop,
    Chat,
    External,
    Check,
    Close,
    Dots,
    Copy,
    Info,
    Lock,
    Plus,
    Trash,
    Refresh,
    SignOut,
    Keyboard,
    Tool,
}

impl Icon {
    fn path(self) -> &'static str {
        match self {
            Self::Home => "M3 11l9-8 9 8M5 9.5V20h5v-6h4v6h5V9.5",
            Self::Agent => "M12 3v3M7 6h10a3 3 0 013 3v7a3 3 0 01-3 3H7a3 3 0 01-3-3V9a3 3 0 013-3zM9 12v1.5M15 12v1.5",
            Self::File => "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
            Self::Key => {
                "M7.5 20a4.500 4.500 0 100-9 4.500 4.500 0 000 9zM10.700 12.300L20 3M15.500 7.500l3 3M18 5l2.500 2.500"
            }
            Self::Stack => "M12 3l9 5-9 5-9-5zM3 12.5l9 5 9-5M3 17l9 4 9-4",
            Self::Shield => "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z",
            Self::People => {
                "M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM3 20c0-3.5 2.7-6 6-6s6 2.5 6 6M16 4.5a3.5 3.5 0 010 6.5\
                 M17 14.5c2.4.7 4 2.8 4 5.5"
            }
            Self::List => "M8 6h13M8 12h13M8 18h13M3.5 6h.01M3.5 12h.01M3.5 18h.01",
            Self::Pulse => "M3 12h4l3 8 4-16 3 8h4",
            Self::Search => "M11 18a7 7 0 100-14 7 7 0 000 14zM16 16l5 5",
            Self::Sun => {
                "M12 16a4 4 0 100-8 4 4 0 000 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5\
                 M17.5 6.5L19 5"
            }
            Self::Moon => "M20 14.5A8.5 8.5 0 019.500 4 8.500 8.500 0 1020 14.500z",
            Self::Screen => "M3 5h18v11H3zM9 20h6M12 16v4",
            Self::Menu => "M4 6h16M4 12h16M4 18h16",
            Self::Down => "M8 10l4 4 4-4",
            Self::Up => "M8 14l4-4 4 4",
            Self::Warn => {
                "M12 9v5M12 17.5v.01M10.3 4.2L2.6 18a2 2 0 001.7 3h15.4a2 2 0 001.7-3L13.7 4.2a2 2 0 00-3.4 0z"
            }
            Self::Play => "M7 5l12 7-12 7z",
            Self::Stop => "M6 6h12v12H6z",
            Self::Chat => "M4 5h16v11H9l-5 4z",
            Self::External => "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
            Self::Check => "M5 12.5l4.5 4.5L19 7.5",
            Self::Close => "M6 6l12 12M18 6L6 18",
            Self::Dots => {
                "M6 12a1 1 0 10-2 0 1 1 0 002 0zM13 12a1 1 0 10-2 0 1 1 0 002 0zM20 12a1 1 0 10-2 0 1 1 0 002 0z"
            }
            Self::Copy => "M9 9h11v11H9zM5 15H4V4h11v1",
            Self::Info => "M12 21a9 9 0 100-18 9 9 0 000 18zM12 11v5M12 8v.01",
            Self::Lock => "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 017 0v3",
            Self::Plus => "M12 5v14M5 12h14",
            Self::Trash => "M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10 11v5M14 11v5",
            Self::Refresh => "M20 11a8 8 0 00-14.500-4L4 9M4 4v5h5M4 13a8 8 0 0014.500 4L20 15M20 20v-5h-5",
            Self::SignOut => "M14 4h6v16h-6M10 8l-4 4 4 4M6 12h9",
            Self::Keyboard => "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8",
            Self::Tool => "M14.500 6.500a4 4 0 01-5 5L5 16l3 3 4.500-4.500a4 4 0 005-5L15 12l-3-3z",
        }
    }
}

/// An icon beside a word.
#[component]
pub fn Glyph(
    /// Which one.
    #[prop(into)]
    icon: Signal<Icon>,
) -> impl IntoView {
    view! {
        <svg class="i" viewBox="0 0 24 24" aria-hidden="true">
            <path d=move || icon.get().path()></path>
        </svg>
    }
}

/// The brand: mark and name.
#[component]
pub fn Brand() -> impl IntoView {
    view! {
        <div class="brand">
            <svg
                viewBox="0 0 24 24"
                fill="none"
                stroke="currentColor"
                stroke-width="2.2"
                stroke-linecap="round"
                aria-hidden="true"
            >
                <path d="M12 21c-5 0-8-3.6-8-8.5C4 8 6.500 4 8 3c0 3 .8 4.600 4 4.600S16 6 16 3c1.500 1 4 5 4 9.500 0 4.900-3 8.500-8 8.500z"></path>
            </svg>
            <span>"OpenClaw " <small>"Control Plane"</small></span>
        </div>
    }
}
