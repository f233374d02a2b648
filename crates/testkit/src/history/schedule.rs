//! A schedule: what people, workers, machine and clock do, one line a step, as it is generated, shrunk, printed and read again.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

macro_rules! words {
    ($(#[doc = $says:literal] $name:ident { $($(#[doc = $what:literal])+ $word:ident = $text:literal,)+ })+) => {$(
        #[doc = $says]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[doc = $what])+ $word,)+ }

        impl $name {
            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$word,)+];
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$word => $text,)+ })
            }
        }

        impl FromStr for $name {
            type Err = anyhow::Error;
            fn from_str(text: &str) -> Result<Self> {
                Ok(match text { $($text => Self::$word,)+ other => bail!("{other:?} is none of {:?}", Self::ALL) })
            }
        }
    )+};
}

words! {
    /// Who asks.
    Person {
        /// Deploys and operates.
        Ada = "ada",
        /// The same.
        Ben = "ben",
    }
    /// About which Agent of the Namespace.
    Which {
        /// One.
        First = "first",
        /// Another.
        Second = "second",
    }
    /// What is asked.
    Ask {
        /// A new revision of the draft.
        Deploy = "deploy",
        /// The first revision again.
        Rollback = "rollback",
        /// No process.
        Stop = "stop",
        /// What served last.
        Start = "start",
        /// New processes of what serves.
        Restart = "restart",
        /// Nothing of it.
        Delete = "delete",
        /// Never mind the latest deployment.
        Cancel = "cancel",
        /// Another document in the Configuration.
        Edit = "edit",
        /// Another value of the Secret.
        Rotate = "rotate",
    }
    /// Whether the same request comes twice.
    Twice {
        /// Once.
        No = "once",
        /// Again, after its answer.
        Later = "again",
        /// Two at once.
        Together = "together",
    }
    /// What the target does wrong.
    Trouble {
        /// The preparation fails.
        PrepareFails = "prepare-fails",
        /// The target does not answer the preparation.
        PrepareLost = "prepare-lost",
        /// The preparation is done and its answer is lost.
        PrepareAnswerLost = "prepare-answer-lost",
        /// It is not ready yet.
        PreparePending = "prepare-pending",
        /// The candidate does not start.
        ActivateFails = "activate-fails",
        /// It starts and the answer is lost.
        ActivateAnswerLost = "activate-answer-lost",
        /// A fault of the driver.
        ActivateFault = "activate-fault",
        /// Neither the candidate starts nor, at first, what is brought back.
        ActivateFailsTwice = "activate-fails-twice",
        /// Nor what is brought back, however often.
        ActivateFailsThrice = "activate-fails-thrice",
        /// The door does not open.
        OpenLost = "open-lost",
        /// It opens and nobody hears of it.
        OpenAnswerLost = "open-answer-lost",
        /// The target does not answer the stop.
        StopLost = "stop-lost",
        /// It stops and the answer is lost.
        StopAnswerLost = "stop-answer-lost",
        /// A fault of the driver while it retires.
        RetireFault = "retire-fault",
        /// The target does not say what runs.
        ObserveLost = "observe-lost",
        /// It is deleted and the answer is lost.
        DeleteAnswerLost = "delete-answer-lost",
    }
    /// What happens to the machine.
    Mishap {
        /// It is switched off and on.
        Reboot = "reboot",
        /// The first Agent's gateway dies.
        FirstDies = "first-dies",
        /// The first Agent's door shuts by itself.
        FirstShuts = "first-shuts",
    }
    /// What becomes of the policy.
    Rule {
        /// Ada may do nothing any more.
        TakeAda = "take-ada",
        /// Ada may do all again.
        GiveAda = "give-ada",
        /// The first Agent may not use its Secret any more.
        TakeGrant = "take-grant",
        /// It may again.
        GiveGrant = "give-grant",
        /// It moves, and nothing of anybody's changes.
        Stir = "stir",
    }
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Somebody asks for something.
    Ask(Person, Ask, Which, Twice),
    /// The worker passes so many fault points.
    Run(u8),
    /// The worker runs until nothing is due.
    Settle,
    /// The worker is killed where it stands; the next one finds its leases run out.
    Kill,
    /// The worker falls asleep where it stands, its leases run out, and another one takes over.
    Pause,
    /// The sleeper goes on, late.
    Wake,
    /// The clock of the host jumps by so many minutes.
    Jump(i8),
    /// The target does this wrong, once.
    Trouble(Trouble),
    /// Something happens to the machine.
    Mishap(Mishap),
    /// The policy changes.
    Policy(Rule),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ask(who, ask, which, Twice::No) => write!(f, "{who} asks {ask} {which}"),
            Self::Ask(who, ask, which, twice) => write!(f, "{who} asks {ask} {which} {twice}"),
            Self::Run(points) => write!(f, "run {points}"),
            Self::Settle => f.write_str("settle"),
            Self::Kill => f.write_str("kill"),
            Self::Pause => f.write_str("pause"),
            Self::Wake => f.write_str("wake"),
            Self::Jump(minutes) => write!(f, "jump {minutes}"),
            Self::Trouble(trouble) => write!(f, "target {trouble}"),
            Self::Mishap(mishap) => write!(f, "machine {mishap}"),
            Self::Policy(rule) => write!(f, "policy {rule}"),
        }
    }
}

impl FromStr for Step {
    type Err = anyhow::Error;

    fn from_str(line: &str) -> Result<Self> {
        let words: Vec<_> = line.split_whitespace().collect();
        Ok(match words.as_slice() {
            [who, "asks", ask, which] => Self::Ask(who.parse()?, ask.parse()?, which.parse()?, Twice::No),
            [who, "asks", ask, which, twice] => Self::Ask(who.parse()?, ask.parse()?, which.parse()?, twice.parse()?),
            ["run", points] => Self::Run(points.parse()?),
            ["settle"] => Self::Settle,
            ["kill"] => Self::Kill,
            ["pause"] => Self::Pause,
            ["wake"] => Self::Wake,
            ["jump", minutes] => Self::Jump(minutes.parse()?),
            ["target", trouble] => Self::Trouble(trouble.parse()?),
            ["machine", mishap] => Self::Mishap(mishap.parse()?),
            ["policy", rule] => Self::Policy(rule.parse()?),
            _ => bail!("no step of a schedule: {line:?}"),
        })
    }
}

/// A whole schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Whether the Agents have a dedicated Harness.
    pub dedicated: bool,
    /// In order.
    pub steps: Vec<Step>,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", if self.dedicated { "dedicated" } else { "embedded" })?;
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))
    }
}

impl FromStr for Schedule {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let dedicated = match lines.next().context("an empty schedule")? {
            "dedicated" => true,
            "embedded" => false,
            other => bail!("a schedule begins with its mode, not with {other:?}"),
        };
        let steps = lines.map(str::parse).collect::<Result<_>>()?;
        Ok(Self { dedicated, steps })
    }
}
