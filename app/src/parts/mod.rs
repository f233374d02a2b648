//! The parts that pages are made of: typed, one file each, each with its states on the gallery page.
//!
//! Invariants: whatever a person, a backend or a model wrote is rendered as text; no part writes a style attribute (the
//! policy would drop it); a colour never stands without a word.

mod ago;
mod bind;
mod button;
mod card;
mod chat;
mod choice;
mod confirm;
mod copy;
mod dialog;
mod diff;
mod editor;
mod facts;
mod field;
mod form;
mod head;
mod icon;
mod input;
mod log;
mod menu;
mod meter;
mod note;
mod picture;
mod pill;
mod select;
mod spark;
mod steps;
mod table;
mod tabs;
mod textarea;
mod timeline;
mod toast;
mod tone;

pub use ago::{Ago, Lasted};
pub use button::{Button, Kind, LinkButton};
pub use card::Card;
pub use chat::{ChatLine, ChatThread, Speaker};
pub use choice::{Check, Choice, ChoiceGroup};
pub use confirm::ConfirmByName;
pub use copy::CopyId;
pub use dialog::Dialog;
pub use diff::{DiffLine, DiffView};
pub use editor::{CodeEditor, Completer, Mark};
pub use facts::{Fact, Facts};
pub use field::Field;
pub use form::{Form, Submit};
pub use head::{Description, PageHead};
pub use icon::{Brand, Glyph, Icon};
pub use input::{TextInput, TextKind};
pub use log::{Level, LogLine, LogPane};
pub use menu::Menu;
pub use meter::Meter;
pub use note::Note;
pub use picture::{Denied, Empty, Failed, Loading};
pub use pill::Pill;
pub use select::Select;
pub use spark::Spark;
pub use steps::{Step, StepState, StepsChart};
pub use table::{Column, Sort, Table};
pub use tabs::{Tab, Tabs};
pub use textarea::TextArea;
pub use timeline::{Happening, Timeline};
pub use toast::{Toasts, provide_toasts, use_toasts};
pub use tone::Tone;
