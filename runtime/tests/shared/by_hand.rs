//! Tools that are written by hand.

/// Implements [`Tool`](onionskin::Tool) for a type: with the name, the definition (a field, or an expression that is
/// evaluated once), and the other methods.
macro_rules! tool_by_hand {
    ($tool:ident $name:literal, self.$field:tt; $($methods:item)*) => {
        tool_by_hand! { @ $tool $name, self, &self.$field; $($methods)* }
    };
    ($tool:ident $name:literal, $definition:expr; $($methods:item)*) => {
        tool_by_hand! { @ $tool $name, self, {
            static DEFINITION: std::sync::LazyLock<onionskin::ToolDefinition> =
                std::sync::LazyLock::new(|| $definition);
            &DEFINITION
        }; $($methods)* }
    };
    (@ $tool:ident $name:literal, $self:ident, $definition:expr; $($methods:item)*) => {
        impl onionskin::Tool for $tool {
            const NAME: &'static str = $name;
            type State = ();

            fn definition(&$self) -> &onionskin::ToolDefinition {
                $definition
            }

            $($methods)*
        }
    };
}
