//! The server with the credentials of a run.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use onionskin_core::servers::RunHeader;
use onionskin_core::{ErrorKind, Exit, RunContext, ToolError};

use super::Server;
use super::calls::remote;
#[cfg(feature = "mcp-auth")]
use crate::auth::OAuth;
use crate::endpoint::{self, Mistake};
use crate::pool::Credentials;

impl Server {
    /// The server with the credentials of a run: the values of these headers, and its user.
    ///
    /// # Errors
    /// Returns an error for the model if the run has none, or if too many connections are in use.
    pub(crate) fn for_run(
        self: &Arc<Self>,
        run: &RunContext,
        headers: &[RunHeader],
    ) -> Result<Arc<Self>, Exit> {
        if !self.config.depends_on_run(headers) {
            return Ok(Arc::clone(self));
        }
        if self.closed.load(Ordering::Acquire) {
            return Err(remote(format!("the MCP server `{}` was shut down", self.name), ErrorKind::Remote));
        }
        let mut credentials = Credentials::default();
        for header in headers {
            let name = header.name();
            let value = header.value(run).map_err(|error| {
                let text = format!(
                    "the call was not sent to the MCP server `{}`: its header `{name}` has no value in this run: {error}",
                    self.name
                );
                Exit::Tool(ToolError::new(run.hide_text(text).into_owned()).with_kind(ErrorKind::Denied).with_source(error))
            })?;
            credentials.headers.insert(name.to_owned(), value.expose().clone());
        }
        if let Err(Mistake::Address(reason) | Mistake::Header(_, reason)) =
            endpoint::check(&self.config.command.value, &credentials.headers)
        {
            let text = format!(
                "the call was not sent to the MCP server `{}`: a header of this run cannot be used: {reason}",
                self.name
            );
            return Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Denied)));
        }
        #[cfg(feature = "mcp-auth")]
        if self.config.oauth.as_ref().is_some_and(OAuth::is_for_users) {
            let user = run.user().filter(|user| !user.is_empty());
            credentials.user = Some(user.map(str::to_owned).ok_or_else(|| {
                let text = format!(
                    "the call was not sent to the MCP server `{}`: each user logs in to it, and the run has no user",
                    self.name
                );
                Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Denied))
            })?);
        }
        let make = || {
            let mut config = self.config.clone();
            config.run_headers.clear();
            config.unread.clear();
            config.headers.extend(credentials.headers.clone());
            #[cfg(feature = "mcp-auth")]
            if let Some(user) = &credentials.user {
                config.oauth = config.oauth.map(|oauth| oauth.with_user(user.clone()));
            }
            Self::new(&self.name, config)
        };
        // Its session on the server ends too.
        let close = |server: Arc<Self>| drop(tokio::spawn(async move { server.end().await }));
        let server = self.pool.get(credentials.clone(), make, close).map_err(|most| {
            let text = format!(
                "the MCP server `{}` has {most} connections, and all are in use; try again later",
                self.name
            );
            remote(text, ErrorKind::Limit)
        })?;
        // A shutdown may have come while the values were made.
        if self.closed.load(Ordering::Acquire) {
            self.kill();
        }
        Ok(server)
    }
}
