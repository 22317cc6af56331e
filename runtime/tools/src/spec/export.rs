//! Exports of a tool's visible definition.

use serde_json::Value;

use super::toolspec::ToolSpec;
use onionskin_definitions::export::{self, ExportError, ExportOptions};

impl ToolSpec {
    /// Sets whether exports are strict by default; the options of an export override this. It checks at run
    /// time what the compiler checks for `#[tool(strict)]`.
    ///
    /// ```
    /// use onionskin::ToolSpec;
    /// use onionskin::export::ExportOptions;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Query {
    ///     words: Vec<String>,
    /// }
    ///
    /// let mut spec = ToolSpec::from_fn("search", "Searches.", |args: Query, _| async move { Ok(args.words.len()) });
    /// spec.set_strict(true)?;
    /// assert_eq!(spec.to_jsonschema(&ExportOptions::new())?["strict"], true);
    /// # Ok::<_, onionskin::export::ExportError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if OpenAI's strict rules cannot express the schema of the arguments. The tool is then
    /// unchanged.
    pub fn set_strict(&mut self, strict: bool) -> Result<&mut Self, ExportError> {
        if strict {
            export::strict_schema(&self.definition)?;
        }
        Ok(self.options(|options| options.strict = strict))
    }

    /// The signature: `search_database(query, limit=10)`; see [`export::signature`].
    pub fn signature(&self) -> String {
        export::signature(&self.definition)
    }

    /// A call with these arguments: `search_database(query="example", limit=10)`.
    ///
    /// ```
    /// use onionskin::tool;
    /// use serde_json::json;
    ///
    /// /// Searches the database.
    /// #[tool]
    /// fn search_database(query: String, #[arg(default = 10)] limit: u32) -> Vec<String> {
    ///     vec![query; limit as usize]
    /// }
    ///
    /// let tool = search_database::spec();
    /// assert_eq!(tool.signature(), "search_database(query, limit=10)");
    /// assert_eq!(
    ///     tool.signature_with([("query", json!("example")), ("limit", json!(10))]),
    ///     r#"search_database(query="example", limit=10)"#,
    /// );
    /// ```
    pub fn signature_with<N: Into<String>, V: Into<Value>>(
        &self,
        args: impl IntoIterator<Item = (N, V)>,
    ) -> String {
        let args = args.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        export::signature_with(&self.definition, &args)
    }

    /// The description, the parameters and the result as a docstring, built from the schema:
    /// [`export::docstring`].
    pub fn docstring(&self) -> String {
        export::docstring(&self.definition)
    }

    /// A section for a prompt: [`export::to_prompt`].
    pub fn to_prompt(&self) -> String {
        export::to_prompt(&self.definition)
    }
}

macro_rules! exports {
    ($($about:literal $method:ident => $export:ident;)*) => {
        impl ToolSpec {$(
            #[doc = concat!($about, ": [`export::", stringify!($export), "`].")]
            ///
            /// # Errors
            #[doc = concat!("As [`export::", stringify!($export), "`].")]
            pub fn $method(&self, options: &ExportOptions) -> Result<Value, ExportError> {
                export::$export(&self.definition, options)
            }
        )*}
    };
}

exports! {
    "Flat JSON, independent of any provider" to_jsonschema => to_jsonschema;
    "A tool for OpenAI's Chat Completions API" to_openai_chat => openai_chat;
    "A tool for OpenAI's Responses API" to_openai_responses => openai_responses;
    "A tool for Anthropic's Messages API" to_anthropic => anthropic;
    "A tool for Gemini, in its subset of OpenAPI" to_gemini => gemini;
    "A tool for Gemini with the JSON Schema unchanged" to_gemini_json_schema => gemini_json_schema;
    "A tool as in an MCP `tools/list` result, as JSON with custom fields" to_mcp_json => mcp;
}
