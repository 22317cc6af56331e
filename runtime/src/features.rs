//! What `agent!` writes that depends on the features of this crate.

/// Gives an agent the provider of the model that it names.
#[cfg(feature = "genai")]
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_model {
    ($agent:ident) => {
        $agent.default_model($crate::GenaiModel::from_env())
    };
}

/// Gives an agent the provider of the model that it names.
#[cfg(not(feature = "genai"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_model {
    ($agent:ident) => {
        $agent
    };
}
