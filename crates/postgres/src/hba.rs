//! Who may come in through the socket: the one user that owns the installation, as one of our roles. Written anew before
//! every start, so that a change of user or of this text needs no migration.

use std::fmt::Write as _;

use crate::place::Place;
use crate::{APP_ROLE, Error, OWNER_ROLE, Profile, SUPERUSER};

pub(crate) fn write(place: &Place, profile: Profile) -> Result<(), Error> {
    let method = match profile {
        Profile::Durable => "peer map=occ",
        // Tests make roles of their own; the directory still keeps everybody else out.
        Profile::Test => "trust",
    };
    place.write(&place.data.join("pg_hba.conf"), &format!("local all all {method}\n"))?;
    place.write(&place.data.join("pg_ident.conf"), &ident(place.run_as.peer()))
}

fn ident(peer: &str) -> String {
    let mut text = String::new();
    for role in [SUPERUSER, OWNER_ROLE, APP_ROLE] {
        // Quoted, or a name with a space or a leading slash (a pattern) would mean something else.
        let _ = writeln!(text, "occ \"{}\" {role}", peer.replace('"', "\"\""));
    }
    text
}
