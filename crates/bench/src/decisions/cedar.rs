//! The same grants in Cedar: a template, linked once a grant, as its documentation has role assignments.

use std::collections::HashMap;
use std::str::FromStr as _;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use cedar_policy::{
    Authorizer, Context, Decision, Entities, Entity, EntityId, EntityTypeName, EntityUid, PolicyId, PolicySet, Request,
    SlotId, Template,
};
use occ_policy::{ScopeFact, Target};

use super::facts::Grants;
use crate::samples::Samples;

const TEMPLATE: &str =
    r#"permit(principal == ?principal, action in [Action::"read", Action::"use"], resource in ?resource);"#;

/// Times of decisions over all grants.
pub fn measure(grants: &Grants, tries: usize) -> anyhow::Result<Samples> {
    let caller = uid("Principal", "caller")?;
    let mut policies = PolicySet::new();
    let template = PolicyId::new("grant");
    policies.add_template(Template::parse(Some(template.clone()), TEMPLATE).context("the template")?)?;
    for (n, scope) in grants.scopes.iter().enumerate() {
        let resource = match scope {
            ScopeFact::Namespace(namespace) => uid("Namespace", &namespace.to_string())?,
            ScopeFact::Resource { id, .. } => uid("Agent", &id.to_string())?,
            ScopeFact::Installation => continue,
        };
        let values = HashMap::from([(SlotId::principal(), caller.clone()), (SlotId::resource(), resource)]);
        policies.link(template.clone(), PolicyId::new(format!("grant-{n}")), values)?;
    }
    let authorizer = Authorizer::new();
    let mut times = Samples::default();
    for n in 0..tries {
        let (target, allowed) = grants.question(n);
        let (agent, entities) = agent(&target)?;
        let request = Request::new(caller.clone(), uid("Action", "read")?, agent, Context::empty(), None)?;
        let begun = Instant::now();
        let response = authorizer.is_authorized(&request, &policies, &entities);
        times.push(begun.elapsed());
        ensure!((response.decision() == Decision::Allow) == allowed, "Cedar decides otherwise about {target:?}");
    }
    Ok(times)
}

/// The Agent of the question, in its Namespace.
fn agent(target: &Target) -> anyhow::Result<(EntityUid, Entities)> {
    let agent = uid("Agent", &target.id.context("an Agent")?.to_string())?;
    let parents = target.namespace.map(|space| uid("Namespace", &space.to_string())).transpose()?;
    let entity = Entity::new_no_attrs(agent.clone(), parents.into_iter().collect());
    Ok((agent, Entities::from_entities([entity], None)?))
}

fn uid(kind: &str, id: &str) -> anyhow::Result<EntityUid> {
    Ok(EntityUid::from_type_name_and_id(EntityTypeName::from_str(kind)?, EntityId::new(id)))
}
