//! The words of the command that leads a program through the walls.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use super::codex::REQUIREMENTS;
use super::{Access, Identity, InnerWall, Launch, SandboxSpec, wall};

/// Where bubblewrap may be.
const BUBBLEWRAP: [&str; 3] = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];
/// Places beside `/usr` that hold programs and libraries: links on most systems, directories on some.
const ROOTS: [&str; 6] = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];
/// The part of `/etc` that programs need and that says nothing about the machine's users.
const ETC: [&str; 14] = [
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "gai.conf",
    "host.conf",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "resolv.conf",
    "ssl",
];

/// Bubblewrap on this machine.
pub(super) fn bubblewrap() -> Option<PathBuf> {
    BUBBLEWRAP.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// A command's words, in the making.
pub(super) struct Words {
    list: Vec<OsString>,
    /// Directories that were named with their mode already.
    made: Vec<PathBuf>,
}

impl Words {
    pub(super) fn new(program: impl AsRef<OsStr>) -> Self {
        Self { list: vec![program.as_ref().to_owned()], made: Vec::new() }
    }

    pub(super) fn one(&mut self, word: impl AsRef<OsStr>) {
        self.list.push(word.as_ref().to_owned());
    }

    pub(super) fn all<W: AsRef<OsStr>>(&mut self, words: impl IntoIterator<Item = W>) {
        words.into_iter().for_each(|word| self.one(word));
    }

    pub(super) fn done(self) -> Vec<OsString> {
        self.list
    }

    /// Binds `source` at `target`, whose parents can be passed by everyone: left to itself bubblewrap makes some of them 0700.
    pub(super) fn bind(&mut self, how: &str, source: &Path, target: &Path) {
        let mut parents: Vec<&Path> = target.ancestors().skip(1).filter(|p| p.parent().is_some()).collect();
        parents.reverse();
        for parent in parents {
            if !self.made.iter().any(|made| made == parent) {
                self.all(["--perms", "0755", "--dir"]);
                self.one(parent);
                self.made.push(parent.to_owned());
            }
        }
        self.one(how);
        self.one(source);
        self.one(target);
        // What lies in a bound place is the place's own business.
        self.made.push(target.to_owned());
    }
}

/// `/usr` and its links, as on the host.
pub(super) fn system(words: &mut Words) {
    words.bind("--ro-bind", Path::new("/usr"), Path::new("/usr"));
    for name in ROOTS {
        let path = Path::new("/").join(name);
        match fs::read_link(&path) {
            Ok(target) => {
                words.one("--symlink");
                words.one(target);
                words.one(path);
            }
            Err(_) if path.is_dir() => words.bind("--ro-bind", &path, &path),
            Err(_) => {}
        }
    }
}

/// Everything that is bound, at the same place on both sides. `staged`: the first bubblewrap put our own files where the second finds
/// them.
fn places(words: &mut Words, spec: &SandboxSpec, bwrap: &Path, staged: bool) {
    let own = |host: &Path, inside: &str| if staged { PathBuf::from(inside) } else { host.to_owned() };
    system(words);
    for name in ETC {
        let path = Path::new("/etc").join(name);
        if path.exists() {
            words.bind("--ro-bind", &path, &path);
        }
    }
    let (passwd, group) = (spec.run.join(spec.passwd()), spec.run.join("group"));
    let mut ours: Vec<(&Path, &str)> = vec![(&passwd, "/etc/passwd"), (&group, "/etc/group")];
    ours.extend([(bwrap, wall::BUBBLEWRAP), (&*spec.program, wall::PROGRAM)]);
    ours.push(match &spec.inner {
        InnerWall::Shell => (&spec.program, wall::SHELL),
        InnerWall::Codex(places) => (&places.requirements, REQUIREMENTS),
    });
    for (host, inside) in ours {
        words.bind("--ro-bind", &own(host, inside), Path::new(inside));
    }
    words.one("--symlink");
    words.one(&spec.workspace);
    words.one(wall::WORKSPACE);
    words.bind("--bind", &own(&spec.tmp, "/tmp"), Path::new("/tmp"));
    for place in &spec.places {
        let how = match place.access {
            Access::ReadOnly => "--ro-bind",
            Access::ReadWrite => "--bind",
        };
        words.bind(how, &place.path, &place.path);
    }
}

/// The way through the walls.
pub(super) fn walled(spec: &SandboxSpec, bwrap: &Path, launch: &Launch) -> Vec<OsString> {
    let mut words = enter(spec);
    let mut staged = false;
    if let Identity::Own { uid } = spec.identity {
        // Still root, so that it reaches what is closed to others; it keeps only what dropping the uid takes.
        words.one(bwrap);
        words.all(["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--die-with-parent"]);
        // Before the places: secrets in memory lie under /dev/shm.
        words.all(["--bind", "/proc", "/proc", "--dev", "/dev"]);
        places(&mut words, spec, bwrap, false);
        words.one("--");
        words.all([wall::PROGRAM, "runtime", "exec", "enter", "--uid"]);
        words.one(uid.to_string());
        words.one("--");
        staged = true;
        words.made.clear();
    }
    words.one(if staged { Path::new(wall::BUBBLEWRAP) } else { bwrap });
    words.all(["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]);
    words.all(["--die-with-parent", "--new-session", "--as-pid-1", "--hostname", "agent"]);
    words.all(["--proc", "/proc", "--dev", "/dev"]);
    places(&mut words, spec, bwrap, staged);
    words.all(["--remount-ro", "/", "--chdir"]);
    words.one(&launch.directory);
    words.all(["--", wall::PROGRAM]);
    init(&mut words, launch);
    words.done()
}

/// Without walls: the shim only.
pub(super) fn bare(spec: &SandboxSpec, launch: &Launch) -> Vec<OsString> {
    let mut words = enter(spec);
    words.one(&spec.program);
    init(&mut words, launch);
    words.done()
}

fn enter(spec: &SandboxSpec) -> Words {
    let mut words = Words::new(&spec.program);
    words.all(["runtime", "exec", "enter"]);
    for group in spec.limits.groups() {
        words.one("--cgroup");
        words.one(group);
    }
    words.one("--");
    words
}

fn init(words: &mut Words, launch: &Launch) {
    words.all(["runtime", "exec", "init", "--directory"]);
    words.one(&launch.directory);
    if let Some(variable) = &launch.secret_variable {
        words.one("--secret-variable");
        words.one(&variable.name);
        words.one(&variable.file);
    }
    words.one("--");
    words.one(&launch.program);
    words.all(&launch.args);
}
