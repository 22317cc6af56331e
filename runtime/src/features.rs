//! What `agent!` writes that depends on the features of this crate. Without `genai` and the features of built-in tools the macros of core remain.

/// Gives an agent the provider of the model that it names.
#[cfg(feature = "genai")]
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_model {
    ($agent:ident) => {
        $agent.default_model($crate::genai::GenaiModel::from_env())
    };
}

/// Gives an agent the servers of the working directory's `.mcp.json`.
#[cfg(feature = "mcp")]
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_servers {
    ($agent:ident $missing:literal) => {
        $agent.default_servers($crate::mcp::WorkingDirectory::new())
    };
}

/// Reports the missing feature at an agent that uses servers.
#[cfg(not(feature = "mcp"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_servers {
    ($agent:ident $missing:literal) => {{
        ::core::compile_error!($missing);
        $agent
    }};
}

/// Reports the missing feature at an agent with headers for its servers. Without `mcp` the servers report theirs.
#[cfg(all(feature = "mcp", not(feature = "mcp-http")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_headers {
    ($agent:ident $missing:literal) => {{
        ::core::compile_error!($missing);
        $agent
    }};
}

/// Gives an agent one of the tools `filesystem.*`.
#[cfg(feature = "filesystem")]
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_filesystem {
    ($agent:ident $tool:ident $missing:literal) => {
        $agent.runtime_tool($crate::builtin::filesystem::$tool())
    };
}

/// Gives an agent `human.input`.
#[cfg(feature = "human-input")]
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_human {
    ($agent:ident $tool:ident $missing:literal) => {
        $agent.runtime_tool($crate::builtin::human::$tool())
    };
}

/// Gives an agent `skills.read`.
#[cfg(feature = "skills")]
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_skills {
    ($agent:ident $tool:ident $missing:literal) => {
        $agent.runtime_tool($crate::builtin::skills::$tool())
    };
}

/// Gives an agent `shell.execute`.
#[cfg(feature = "shell")]
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_shell {
    ($agent:ident $tool:ident $missing:literal) => {
        $agent.runtime_tool($crate::builtin::shell::$tool())
    };
}
