//! Findings, printed as they are made.

use std::fmt::Display;

/// What was found so far.
#[derive(Debug, Default)]
pub struct Report {
    fine: usize,
    notes: usize,
    wrong: usize,
}

impl Report {
    /// As it should be.
    pub fn fine(&mut self, what: impl Display) {
        self.fine += 1;
        println!("ok     {what}");
    }

    /// Worth knowing, and not wrong.
    pub fn note(&mut self, what: impl Display, next: impl Display) {
        self.notes += 1;
        println!("note   {what}\n       next: {next}");
    }

    /// Wrong, with what to do.
    pub fn wrong_at(&mut self, what: impl Display, next: impl Display) {
        self.wrong += 1;
        println!("WRONG  {what}\n       next: {next}");
    }

    /// How many things are wrong; the sum of everything is printed.
    pub fn sum_up(&self) -> usize {
        println!("{} fine, {} to note, {} wrong", self.fine, self.notes, self.wrong);
        self.wrong
    }
}

/// An error with its causes, on one line.
pub fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        text = format!("{text}: {source}");
        cause = source.source();
    }
    text
}
