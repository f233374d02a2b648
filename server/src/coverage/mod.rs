//! The walk through every operation: nobody who may not gets anything there, neither over REST nor by a server function.
//!
//! Each row of the operations table and each registered server function has a row here, which says how it is asked and what whoever
//! may not is told; one without fails. At each, asked by id and by name: without credentials and from another page; by somebody
//! without rights, and by somebody with every right but this one; by the other tenant's administrator, for the first tenant's things
//! and for their own mixed with those, each beside the same for what is not there (I6, I16). Refusing changes nothing and is audited.
//! At last somebody who may asks the same, so that no refusal is one of nonsense.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod answer;
mod door;
mod functions;
mod operations;
mod things;
mod walk;
mod world;

use sqlx::PgPool;

use door::Door;
use world::{Form, World};

fn found(of: Result<Vec<Door>, Vec<String>>) -> Vec<Door> {
    of.unwrap_or_else(|faults| panic!("{}", faults.join("\n")))
}

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

async fn refused(world: &World, doors: &[Door]) -> Vec<String> {
    let unknown: Vec<_> = doors.iter().filter_map(|door| walk::unknown(world, door)).collect();
    none(&unknown);
    let (mut faults, mut state) = (Vec::new(), world.state().await);
    for door in doors {
        faults.extend(walk::refusals(world, door, &mut state).await);
    }
    faults
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i6_i16_every_operation_refuses_strangers_and_tells_them_nothing(pool: PgPool) {
    let doors = found(operations::doors());
    let world = World::new(pool).await;
    let mut faults = refused(&world, &doors).await;
    let mut before = world.state().await;
    for door in &doors {
        let query = if door.address.contains('?') { '&' } else { '?' };
        let dry = if door.operation.mutates { format!("{query}dryRun=true") } else { String::new() };
        let door = Door { address: format!("{}{dry}", door.address), ..door.clone() };
        for form in door.forms(&world.a) {
            faults.extend(walk::control(&world, &door, form).await);
        }
        let after = world.state().await;
        if before != after {
            faults.push(format!("{}: neither a dry run nor reading writes, but this did", door.name));
        }
        before = after;
    }
    none(&faults);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i6_i16_every_server_function_refuses_strangers_and_tells_them_nothing(pool: PgPool) {
    let doors = found(functions::doors());
    let world = World::new(pool).await;
    let mut faults = refused(&world, &doors).await;
    for door in &doors {
        faults.extend(walk::control(&world, door, Form::Id).await);
    }
    none(&faults);
}
