//! A source of tools: the operations of an OpenAPI document, called over HTTP.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use onionskin_core::secret::Secret;
use onionskin_core::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin_core::{
    Args, BoxFuture, DynTool, Effect, ErrorKind, Exit, RunContext, ToolContext, ToolDefinition, ToolError,
    ToolOutput, ToolResult,
};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, Url};
use serde_json::{Map, Value};

use crate::openapi_document::{Document, OpenApiError, Operation};

/// The most bytes of an answer that a tool gives back.
const MOST: usize = 1 << 20;

/// An OpenAPI document as a server of tools: each operation is a tool of the name `server__operationId`. The user of a run
/// has the operations with `"x-admin": true` only as one of the [`admins`](Self::admins).
#[derive(Debug, Clone)]
pub struct OpenApi {
    operations: Vec<Operation>,
    base: Url,
    key: Option<Secret<String>>,
    admins: Arc<BTreeSet<String>>,
}

impl OpenApi {
    /// Reads a document in JSON. `file` is its name in errors, `base` the address that the paths of the document follow.
    ///
    /// # Errors
    /// Returns an error that names the file and the place if a part of the document cannot become a tool.
    pub fn read(file: &str, document: &str, base: Url) -> Result<Self, OpenApiError> {
        let root: Value = serde_json::from_str(document)
            .map_err(|error| OpenApiError::Json { file: file.to_owned(), reason: error.to_string() })?;
        let operations = Document { file, root: &root }.operations()?;
        Ok(Self { operations, base, key: None, admins: Arc::default() })
    }

    /// Sets the API key, which each request carries in the header `x-api-key`.
    #[must_use]
    pub fn api_key(mut self, key: Secret<String>) -> Self {
        self.key = Some(key);
        self
    }

    /// Sets the users who have the operations for admins.
    #[must_use]
    pub fn admins<U: Into<String>>(mut self, users: impl IntoIterator<Item = U>) -> Self {
        self.admins = Arc::new(users.into_iter().map(Into::into).collect());
        self
    }
}

impl ToolServer for OpenApi {
    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        let client = onionskin_tls::http_client(&self.base)?.timeout(Duration::from_secs(30));
        let api = Arc::new(Api { client: client.build()?, base: self.base.clone(), key: self.key.clone() });
        let tool = |operation: &Operation| {
            let definition = definition(request.tool_name(&operation.id), operation);
            Arc::new(Call { definition, operation: operation.clone(), api: Arc::clone(&api) })
                as Arc<dyn DynTool>
        };
        let is_public = self.operations.iter().map(|operation| !operation.for_admins);
        let tools = self.operations.iter().map(tool);
        Ok(Arc::new(Operations { tools: tools.zip(is_public).collect(), admins: Arc::clone(&self.admins) }))
    }
}

fn definition(name: String, operation: &Operation) -> ToolDefinition {
    let definition = ToolDefinition::new(name, &operation.description);
    let mut definition = definition.with_input_schema(operation.schema.clone());
    definition.effect = match &*operation.method {
        "GET" => Effect::Pure,
        "PUT" | "DELETE" => Effect::Idempotent,
        _ => Effect::Once,
    };
    definition
}

/// All operations, each with whether it is for everybody.
struct Operations {
    tools: Vec<(Arc<dyn DynTool>, bool)>,
    admins: Arc<BTreeSet<String>>,
}

impl Operations {
    fn for_user(&self, is_admin: bool) -> Vec<Arc<dyn DynTool>> {
        let tools = self.tools.iter().filter(|(_, is_public)| is_admin || *is_public);
        tools.map(|(tool, _)| Arc::clone(tool)).collect()
    }
}

impl ToolProvider for Operations {
    fn generation(&self) -> u64 {
        0
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        self.for_user(true)
    }

    fn for_run<'a>(
        &'a self,
        run: &'a RunContext,
    ) -> Option<BoxFuture<'a, Result<Arc<dyn ToolProvider>, BoxError>>> {
        let is_admin = run.user().is_some_and(|user| self.admins.contains(user));
        Some(Box::pin(async move { Ok(Arc::new(self.for_user(is_admin)) as Arc<dyn ToolProvider>) }))
    }
}

/// The address of an API, and the way to it.
struct Api {
    client: Client,
    base: Url,
    key: Option<Secret<String>>,
}

/// One operation.
struct Call {
    definition: ToolDefinition,
    operation: Operation,
    api: Arc<Api>,
}

impl Call {
    /// The address of a call with these arguments.
    fn url(&self, args: &Map<String, Value>) -> ToolResult<Url> {
        let mut url = self.api.base.clone();
        let mut segments = Vec::new();
        for part in self.operation.path.split('/').filter(|part| !part.is_empty()) {
            let name = part.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
            let segment = name.map_or_else(|| part.to_owned(), |name| plain(&args[name]));
            // Such a segment would change the path, and so the operation.
            if matches!(&*segment, "" | "." | "..") {
                return Err(Exit::tool(format!("`{}` cannot be `{segment}`", name.unwrap_or(part))));
            }
            segments.push(segment);
        }
        let path = url.path_segments_mut();
        path.map_err(|()| "the address of the API has no path")?.pop_if_empty().extend(segments);
        for name in &self.operation.query {
            match args.get(name) {
                None | Some(Value::Null) => {}
                Some(Value::Array(items)) => {
                    url.query_pairs_mut().extend_pairs(items.iter().map(|item| (name, plain(item))));
                }
                Some(value) => _ = url.query_pairs_mut().append_pair(name, &plain(value)),
            }
        }
        Ok(url)
    }

    async fn send(&self, cx: &ToolContext, args: &Map<String, Value>) -> ToolResult {
        let method = Method::from_bytes(self.operation.method.as_bytes())?;
        let mut request = self.api.client.request(method, self.url(args)?);
        if let Some(key) = &self.api.key {
            // An answer that repeats the key is redacted.
            cx.conceal(key);
            let mut value = HeaderValue::from_str(key.expose())?;
            value.set_sensitive(true);
            request = request.header("x-api-key", value);
        }
        if let Some(body) = args.get("body") {
            request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let remote = |text: String| Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Remote));
        let lost = |error: reqwest::Error| remote(format!("no answer: {}", error.without_url()));
        let mut response = request.send().await.map_err(lost)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            body.extend_from_slice(&chunk);
            if body.len() > MOST {
                return Err(remote(format!("the answer has more than {MOST} bytes")));
            }
        }
        let (status, text) = (response.status(), String::from_utf8_lossy(&body).into_owned());
        if status.is_success() {
            Ok(ToolOutput::text(text))
        } else {
            Err(remote(format!("{status}: {text}")))
        }
    }
}

impl DynTool for Call {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let args = self
                .definition
                .fit(args)
                .map_err(|problems| Exit::Tool(self.definition.refuse(&problems)))?;
            self.send(cx, &args).await
        })
    }
}

/// A value in an address: a text without quotes, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
