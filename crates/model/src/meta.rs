//! What every user-made resource carries.

use serde::{Deserialize, Serialize};

use crate::name::{Description, DisplayName, Labels, Name};
use crate::time::Timestamp;

/// Name, texts and times of a resource; flattened into every view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// The immutable name, unique in its scope.
    pub name: Name,
    /// The name for people.
    pub display_name: Option<DisplayName>,
    /// Free text for people.
    pub description: Option<Description>,
    /// Labels to select by.
    pub labels: Labels,
    /// Counts changes of desired state; the `ETag`.
    pub generation: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl Meta {
    /// The name for people, or the name.
    pub fn title(&self) -> &str {
        self.display_name.as_ref().map_or(self.name.as_str(), DisplayName::as_str)
    }
}
