//! The tool in the forms of others: [`export`](crate::export) of what is seen of it.

use serde_json::Value;

use super::toolspec::ToolSpec;
use crate::export::{self, ExportError, ExportOptions};

impl ToolSpec {
    /// Makes exports of it strict where their options say nothing else, or no longer. It is held to OpenAI's strict rules
    /// here, as the compiler holds `#[tool(strict)]` to them.
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
    /// If the schema of the arguments has no form in those rules; nothing is changed then.
    pub fn set_strict(&mut self, strict: bool) -> Result<&mut Self, ExportError> {
        if strict {
            export::strict_schema(&self.definition)?;
        }
        Ok(self.options(|options| options.strict = strict))
    }

    /// How it is called: `search_database(query, limit=10)`. [`export::signature`] says more.
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

    /// What it does, its parameters and its result, rebuilt from the schema: [`export::docstring`].
    pub fn docstring(&self) -> String {
        export::docstring(&self.definition)
    }

    /// Its place in a prompt: [`export::to_prompt`].
    pub fn to_prompt(&self) -> String {
        export::to_prompt(&self.definition)
    }

    /// Flat JSON that belongs to nobody: [`export::to_jsonschema`].
    ///
    /// # Errors
    /// As there.
    pub fn to_jsonschema(&self, options: &ExportOptions) -> Result<Value, ExportError> {
        export::to_jsonschema(&self.definition, options)
    }

    /// For OpenAI's chat completions: [`export::openai_chat`].
    ///
    /// # Errors
    /// As there.
    pub fn to_openai_chat(&self, options: &ExportOptions) -> Result<Value, ExportError> {
        export::openai_chat(&self.definition, options)
    }

    /// For OpenAI's responses: [`export::openai_responses`].
    ///
    /// # Errors
    /// As there.
    pub fn to_openai_responses(&self, options: &ExportOptions) -> Result<Value, ExportError> {
        export::openai_responses(&self.definition, options)
    }

    /// For Anthropic's messages: [`export::anthropic`].
    ///
    /// # Errors
    /// As there.
    pub fn to_anthropic(&self, options: &ExportOptions) -> Result<Value, ExportError> {
        export::anthropic(&self.definition, options)
    }

    /// For Gemini, in its subset of OpenAPI: [`export::gemini`].
    ///
    /// # Errors
    /// As there.
    pub fn to_gemini(&self, options: &ExportOptions) -> Result<Value, ExportError> {
        export::gemini(&self.definition, options)
    }

    /// For Gemini, the schema as it is: [`export::gemini_json_schema`].
    ///
    /// # Errors
    /// As there.
    pub fn to_gemini_json_schema(&self, options: &ExportOptions) -> Result<Value, ExportError> {
        export::gemini_json_schema(&self.definition, options)
    }

    /// As MCP lists it, in JSON and with custom fields: [`export::mcp`].
    ///
    /// # Errors
    /// As there.
    pub fn to_mcp_json(&self, options: &ExportOptions) -> Result<Value, ExportError> {
        export::mcp(&self.definition, options)
    }
}
