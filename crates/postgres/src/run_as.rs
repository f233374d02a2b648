//! Who the server's processes are. PostgreSQL refuses root, so an `occ` that is root starts it in a user namespace
//! (files stay root's own) or as an unprivileged user of the machine.
//!
//! Invariant: the programs that change identity (`unshare`, `setsid`) exec, so signals reach `postgres` itself.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;

use tokio::process::Command;

use crate::Error;

/// Identity of the server, and the user name under which the kernel shows it the peers that may come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunAs {
    /// The same user as `occ`.
    Same { peer: String },
    /// Root outside, `uid` inside.
    Namespace { uid: u32, gid: u32, peer: String },
    /// Another user; `occ` (root) is the peer.
    User { uid: u32, gid: u32, name: String },
}

impl RunAs {
    /// The user that `occ` itself runs as, by name.
    pub(crate) async fn same() -> Result<Self, Error> {
        let uid = rustix::process::getuid().as_raw();
        // `id` asks the machine's name service too, /etc/passwd does not.
        let out = Command::new("id").arg("-un").output().await.map_err(Error::io("run", "id"))?;
        let peer = String::from_utf8_lossy(&out.stdout).trim().to_owned();
        if !out.status.success() || peer.is_empty() {
            return Err(Error::NoUser { name: format!("with uid {uid}") });
        }
        Ok(Self::Same { peer })
    }

    /// Root as somebody with a name: peer authentication looks the uid up. Not `nobody`, because that is how unmapped
    /// users appear in the namespace.
    pub(crate) fn namespace() -> Result<Self, Error> {
        let user = users()?.into_iter().find(|u| u.uid > 0 && u.uid < 65_534 && u.gid > 0);
        let user = user.ok_or_else(|| Error::NoUser { name: "besides root".to_owned() })?;
        Ok(Self::Namespace { uid: user.uid, gid: user.gid, peer: user.name })
    }

    /// Debian's database user, else `nobody`.
    pub(crate) fn system_user() -> Result<Self, Error> {
        let users = users()?;
        ["postgres", "nobody"]
            .iter()
            .find_map(|name| users.iter().find(|u| u.name == *name && u.uid > 0))
            .map(|u| Self::User { uid: u.uid, gid: u.gid, name: u.name.clone() })
            .ok_or_else(|| Error::NoUser { name: "postgres or nobody".to_owned() })
    }

    /// Whether the kernel grants the namespace.
    pub(crate) async fn namespace_works() -> bool {
        let Ok(run_as) = Self::namespace() else { return false };
        let mut probe = run_as.command(Path::new("/bin/true"));
        probe.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        probe.status().await.is_ok_and(|s| s.success())
    }

    /// Name of the peer that the server may let in.
    pub(crate) fn peer(&self) -> &str {
        match self {
            Self::Same { peer } | Self::Namespace { peer, .. } => peer,
            Self::User { .. } => "root",
        }
    }

    /// Owner of the server's files as `occ` sees them: uid and gid to change to, or `None` for its own.
    pub(crate) fn owner(&self) -> Option<(u32, u32)> {
        match self {
            Self::User { uid, gid, .. } => Some((*uid, *gid)),
            Self::Same { .. } | Self::Namespace { .. } => None,
        }
    }

    /// `program` under this identity, with an empty environment: the server has no business with OCC's.
    pub(crate) fn command(&self, program: &Path) -> Command {
        self.build(&[], program)
    }

    /// The same in a session of its own, so that it outlives the terminal and the process that started it.
    pub(crate) fn detached(&self, program: &Path) -> Command {
        self.build(&["setsid"], program)
    }

    fn build(&self, before: &[&str], program: &Path) -> Command {
        let mut words: Vec<&OsStr> = before.iter().map(OsStr::new).collect();
        let (user, group);
        if let Self::Namespace { uid, gid, .. } = self {
            (user, group) = (format!("--map-user={uid}"), format!("--map-group={gid}"));
            words.extend(["unshare".as_ref(), "--user".as_ref(), user.as_ref(), group.as_ref()] as [&OsStr; 4]);
        }
        words.push(program.as_os_str());
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("LC_ALL", "C.UTF-8");
        if let Some((uid, gid)) = self.owner() {
            command.uid(uid).gid(gid);
        }
        command
    }
}

struct User {
    name: String,
    uid: u32,
    gid: u32,
}

fn users() -> Result<Vec<User>, Error> {
    let text = std::fs::read_to_string("/etc/passwd").map_err(Error::io("read", "/etc/passwd"))?;
    Ok(text.lines().filter_map(parse_user).collect())
}

fn parse_user(line: &str) -> Option<User> {
    let mut fields = line.split(':');
    let name = fields.next()?.to_owned();
    let uid = fields.nth(1)?.parse().ok()?;
    let gid = fields.next()?.parse().ok()?;
    Some(User { name, uid, gid })
}
