//! One Agent as its supervisor holds it.

use std::fs::{File, OpenOptions};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use occ_driver::AgentKey;
use occ_model::failure::FailureCode;
use tokio_util::sync::CancellationToken;

use super::args::AgentArgs;
use super::disk::Disk;
use super::folder::Folder;
use super::idle::Idle;
use super::in_hand::InHand;
use super::restart::Restarts;
use super::running::Running;
use super::runtimes::Runtimes;
use crate::door::Door;
use crate::fence::Fence;
use crate::files::{AgentPlace, Persisted, Place, Served, make_folder};
use crate::sandbox::{Identity, Isolation};
use crate::{Error, Result};

/// Everything of one Agent.
pub(super) struct Agent {
    /// Whose.
    pub key: AgentKey,
    /// The data folder.
    pub place: Place,
    /// The Agent's places in it.
    pub files: AgentPlace,
    /// The installed runtimes.
    pub runtimes: Runtimes,
    /// The shim and shell inside the walls.
    pub program: std::path::PathBuf,
    /// How processes are kept apart.
    pub isolation: Isolation,
    /// The highest epoch seen.
    pub fence: Fence,
    /// The only way in for turns.
    pub door: Door,
    /// Held by whoever changes something; the pointer is inside.
    pub work: tokio::sync::Mutex<Work>,
    /// When nothing is left to do.
    pub idle: Idle,
    /// The Agent is deleted and whoever asked for it knows: leave.
    pub leave: CancellationToken,
    /// The latest request that writes.
    pub in_hand: InHand,
    /// Restarts after ends that were not our doing.
    pub restarts: Restarts,
    disk: Disk,
    live: Mutex<Live>,
    _lock: File,
}

/// What only the holder of the lock changes.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// The pointer and the times of unclean starts, as on disk.
    pub persisted: Persisted,
    /// The walls were tried and stand.
    pub walls_stand: bool,
}

/// What everybody may look at.
#[derive(Default)]
struct Live {
    running: Option<Arc<Running>>,
    folder: Option<Folder>,
    active: Option<Served>,
    deleted: bool,
    /// So many are at it.
    progressing: u32,
    failure: Option<FailureCode>,
}

impl Agent {
    /// Takes the Agent over. `AlreadyOwned`: another supervisor has it.
    pub fn open(args: AgentArgs) -> Result<Self> {
        let key = args.key();
        let place = Place::new(&args.data)?;
        place.make()?;
        let files = place.of(key);
        make_folder(files.sockets(), 0o700, Identity::Same)?;
        let lock = own(&files.lock())?;
        let program = match args.program {
            Some(program) => program,
            None => std::env::current_exe().map_err(Error::io("find this program"))?,
        };
        let folder = Folder::find(&place, key)?;
        let persisted = if folder.is_some() { Persisted::read(&files)? } else { Persisted::default() };
        Ok(Self {
            key,
            fence: Fence::open(place.fence(key.agent))?,
            runtimes: Runtimes::new(&args.runtimes),
            program,
            isolation: args.isolation,
            door: Door::default(),
            idle: Idle::default(),
            leave: CancellationToken::new(),
            in_hand: InHand::default(),
            restarts: Restarts::default(),
            disk: Disk::default(),
            live: Mutex::new(Live { folder, active: persisted.active, ..Live::default() }),
            work: tokio::sync::Mutex::new(Work { persisted, walls_stand: false }),
            place,
            files,
            _lock: lock,
        })
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What runs.
    pub fn running(&self) -> Option<Arc<Running>> {
        self.live().running.clone()
    }

    /// Something else, or nothing, runs from now on.
    pub fn set_running(&self, running: Option<Arc<Running>>) {
        self.live().running = running;
    }

    /// The Agent's folder, if it has one.
    pub fn folder(&self) -> Option<Folder> {
        self.live().folder.clone()
    }

    /// The Agent's folder, made if it is not there.
    pub fn claim_folder(&self) -> Result<Folder> {
        if let Some(folder) = self.folder() {
            return Ok(folder);
        }
        let folder = Folder::claim(&self.place, self.key)?;
        let mut live = self.live();
        live.folder = Some(folder.clone());
        live.deleted = false;
        Ok(folder)
    }

    /// Everything is gone.
    pub fn set_deleted(&self) {
        let mut live = self.live();
        *live = Live { deleted: true, progressing: live.progressing, ..Live::default() };
    }

    /// Everything is gone, and nothing new is there.
    pub fn is_deleted(&self) -> bool {
        self.live().deleted
    }

    /// The revision that the route should lead to.
    pub fn active(&self) -> Option<Served> {
        self.live().active
    }

    /// The pointer moved.
    pub fn set_active(&self, active: Option<Served>) {
        self.live().active = active;
    }

    /// Bytes on disk, as measured last.
    pub fn disk(&self) -> Option<u64> {
        self.disk.look(self.files.root())
    }

    /// Something is being changed until the answer is dropped.
    pub fn progress(&self) -> Progress<'_> {
        self.live().progressing += 1;
        Progress(self)
    }

    /// Something is being changed.
    pub fn progressing(&self) -> bool {
        self.live().progressing > 0
    }

    /// Why nothing runs though something should.
    pub fn failure(&self) -> Option<FailureCode> {
        self.live().failure
    }

    /// Remembers it, or forgets it.
    pub fn set_failure(&self, failure: Option<FailureCode>) {
        self.live().failure = failure;
    }

    /// A line of our own in the Agent's log.
    pub fn say(&self, level: &'static str, text: &str) {
        if let Some(folder) = self.folder() {
            folder.book.say(level, text);
        }
    }
}

/// Something is being changed.
pub(super) struct Progress<'a>(&'a Agent);

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        let mut live = self.0.live();
        live.progressing = live.progressing.saturating_sub(1);
    }
}

/// Takes the lock that a supervisor holds for life, and writes our process id into it.
fn own(path: &std::path::Path) -> Result<File> {
    use std::io::Write as _;
    use std::os::unix::fs::MetadataExt as _;
    let open = || OpenOptions::new().create(true).truncate(false).write(true).open(path);
    let mut lock = open().map_err(Error::file("open", path))?;
    lock.try_lock().map_err(|_| Error::AlreadyOwned)?;
    // The one before us may have removed it in between: then what we locked is nobody's lock.
    let (ours, there) = (lock.metadata(), std::fs::metadata(path));
    let same = ours.is_ok_and(|ours| there.is_ok_and(|there| (ours.dev(), ours.ino()) == (there.dev(), there.ino())));
    if !same {
        return Err(Error::AlreadyOwned);
    }
    lock.set_len(0).and_then(|()| writeln!(lock, "{}", std::process::id())).map_err(Error::file("write", path))?;
    Ok(lock)
}
