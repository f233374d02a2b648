//! The checks of an admission as they are made: each is kept, and the first that does not pass is the refusal.

use occ_model::deployment::AdmissionCheck;
use occ_model::problem::{Code, FieldError, Problem};

/// The checks so far.
#[derive(Default)]
pub(crate) struct Checks {
    /// In their order.
    pub done: Vec<AdmissionCheck>,
    /// The check and its refusal.
    pub refusal: Option<(&'static str, Problem)>,
}

impl Checks {
    /// One that passed.
    pub fn pass(&mut self, check: &'static str, subject: impl Into<String>) {
        self.done.push(AdmissionCheck { check: check.to_owned(), passed: true, subject: subject.into(), error: None });
    }

    /// One that did not. Further failures of the check that refused first add their places to its refusal.
    pub fn fail(&mut self, check: &'static str, subject: &str, code: Code, detail: &str, errors: Vec<FieldError>) {
        let shown = errors.first().cloned().unwrap_or_else(|| FieldError::new("", code.as_str(), detail));
        let subject = subject.to_owned();
        self.done.push(AdmissionCheck { check: check.to_owned(), passed: false, subject, error: Some(shown) });
        match &mut self.refusal {
            None => self.refusal = Some((check, Problem::new(code, detail).with_errors(errors))),
            Some((first, problem)) if *first == check && problem.code == code => {
                problem.errors.extend(errors);
                problem.errors.truncate(Problem::MAX_ERRORS);
            }
            Some(_) => {}
        }
    }

    /// Every one so far passed.
    pub fn passed(&self) -> bool {
        self.refusal.is_none()
    }
}
