//! Types of states.

use std::any::{TypeId, type_name};

/// The type `S` of a state `State<S>`, as a value, for tools whose type is known only at run time.
///
/// ```
/// use onionskin::spec::StateType;
///
/// struct Shop;
///
/// assert_eq!(StateType::new::<Shop>(), StateType::new::<Shop>());
/// assert!(StateType::new::<Shop>().name().ends_with("Shop"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StateType {
    id: TypeId,
    name: &'static str,
}

impl StateType {
    /// The type `S`.
    pub fn new<S: 'static>() -> Self {
        Self { id: TypeId::of::<S>(), name: type_name::<S>() }
    }

    /// The name of the type, for people.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The type's id.
    pub fn id(&self) -> TypeId {
        self.id
    }

    /// Whether the type is `()`: the agent has no state.
    pub fn is_none(&self) -> bool {
        self.id == TypeId::of::<()>()
    }
}
