//! The card of an agent: what it is, and where it is reached.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::or_default;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Card {
    #[serde(deserialize_with = "or_default")]
    pub(crate) name: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) description: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) version: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) supported_interfaces: Vec<Interface>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) capabilities: Capabilities,
    #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "or_default")]
    pub(crate) security_schemes: BTreeMap<String, SecurityScheme>,
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "or_default")]
    pub(crate) security_requirements: Vec<SecurityRequirement>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) default_input_modes: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) default_output_modes: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) skills: Vec<Skill>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Interface {
    #[serde(deserialize_with = "or_default")]
    pub(crate) url: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) protocol_binding: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) protocol_version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tenant: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Capabilities {
    #[serde(deserialize_with = "or_default")]
    pub(crate) streaming: bool,
    #[serde(deserialize_with = "or_default")]
    pub(crate) push_notifications: bool,
}

/// A way to log in. Other kinds than this one are read as empty.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SecurityScheme {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) http_auth_security_scheme: Option<HttpScheme>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct HttpScheme {
    #[serde(deserialize_with = "or_default")]
    pub(crate) scheme: String,
}

/// The ways to log in that a request needs, each with its scopes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SecurityRequirement {
    #[serde(deserialize_with = "or_default")]
    pub(crate) schemes: BTreeMap<String, Scopes>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Scopes {
    #[serde(deserialize_with = "or_default")]
    pub(crate) list: Vec<String>,
}

/// What an agent can do, for clients that look for an agent.
///
/// ```
/// use onionskin::a2a::Skill;
///
/// let skill = Skill::new("colours", "Colours", "Paints in a colour.").tag("paint").example("Paint it red.");
/// # drop(skill);
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Skill {
    #[serde(deserialize_with = "or_default")]
    pub(crate) id: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) name: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) description: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "or_default")]
    pub(crate) examples: Vec<String>,
}

impl Skill {
    /// Creates a skill. Its tag is its id, unless [`Self::tag`] adds others.
    pub fn new(id: impl Into<String>, name: impl Into<String>, description: impl Into<String>) -> Self {
        let (id, name, description) = (id.into(), name.into(), description.into());
        Self { id, name, description, ..Self::default() }
    }

    /// Adds a word by which clients find the skill.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Adds an example of a message.
    #[must_use]
    pub fn example(mut self, message: impl Into<String>) -> Self {
        self.examples.push(message.into());
        self
    }
}
