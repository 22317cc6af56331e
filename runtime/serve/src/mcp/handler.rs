//! Requests of clients, as rmcp dispatches them.

use std::sync::{Arc, Mutex, PoisonError};

use onionskin_core::CancellationToken;
use onionskin_core::text::short;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
#[cfg(feature = "skills")]
use rmcp::handler::server::skill_catalog::SkillCatalog;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
    GetTaskResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    LoggingLevel, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
    UpdateTaskParams,
};
#[cfg(feature = "skills")]
use rmcp::model::{
    GetSkillRequestParams, GetSkillResult, ListSkillsResult, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};

use super::call::Place;
use super::client::Requester;
use super::result::MAX_ECHO;
use super::{call, lists, task};
use crate::calls::Calls;
use crate::changes::Listener;
use crate::parts::Parts;
use crate::wire::{MAX_WATCHED, UNFIT};

/// The handler of one connection: a client over standard streams, a session over HTTP, or a single request without a session.
pub(crate) struct Handler {
    parts: Arc<Parts>,
    calls: Arc<Calls>,
    /// Listens for a session from its beginning, so that a client that is ready hears of each change. `None` once the session is notified.
    session_listener: Mutex<Option<Listener>>,
    /// The listeners of subscriptions that are being acknowledged. They listen before that, so that a client that has the acknowledgement
    /// hears of each change.
    acknowledged: Mutex<Vec<(SubscriptionFilter, Listener)>>,
    /// The level of logs that the client of a session has set.
    log_level: Mutex<LoggingLevel>,
    /// The resources that the client of a session watches.
    watched: Arc<Mutex<Vec<String>>>,
    /// Cancelled when the connection ends, together with what belongs to it.
    ended: CancellationToken,
}

impl Handler {
    pub(crate) fn new(parts: Arc<Parts>, calls: Arc<Calls>) -> Self {
        Self {
            session_listener: Mutex::new(Some(parts.changes.listen())),
            acknowledged: Mutex::default(),
            parts,
            calls,
            log_level: Mutex::new(LoggingLevel::Info),
            watched: Arc::default(),
            ended: CancellationToken::new(),
        }
    }

    /// Where calls run.
    fn place(&self) -> Place<'_> {
        Place { parts: &self.parts, calls: &self.calls }
    }

    fn requester(&self, context: &RequestContext<RoleServer>) -> Requester {
        Requester::new(context, *self.log_level.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The milliseconds for which the client may use a list, if its protocol says that.
    fn list_ttl(&self, context: &RequestContext<RoleServer>) -> Option<u64> {
        let is_said = !self.parts.list_ttl.is_zero() && self.requester(context).is_asked_by_result;
        is_said.then(|| u64::try_from(self.parts.list_ttl.as_millis()).unwrap_or(u64::MAX))
    }

    /// The answer of what runs functions of the program. A server that ends answers calls that have not ended in their time.
    ///
    /// It is boxed: rmcp moves the future of a request, which has room for each of them, several times.
    async fn answered<T>(
        &self,
        call: impl Future<Output = Result<T, ErrorData>> + Send,
    ) -> Result<T, ErrorData> {
        let answered = self.calls.until_aborted(Box::pin(call)).await;
        answered.unwrap_or_else(|| Err(call::aborted()))
    }

    /// Refuses a method that clients from 2026-07-28 on do not have.
    fn check_earlier(&self, method: &str, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        if self.requester(context).is_asked_by_result { Err(unknown_method(method)) } else { Ok(()) }
    }

    fn has_resource(&self, uri: &str) -> bool {
        lists::has_resource(&self.parts.offer(), uri)
    }

    fn acknowledged(&self) -> std::sync::MutexGuard<'_, Vec<(SubscriptionFilter, Listener)>> {
        self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The listener of a subscription that was acknowledged.
    fn listener(&self, requested: &SubscriptionFilter) -> Listener {
        let mut waiting = self.acknowledged();
        match waiting.iter().position(|(filter, _)| filter == requested) {
            Some(place) => waiting.remove(place).1,
            None => self.parts.changes.listen(),
        }
    }

    fn watched(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}

fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.parts.info()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.parts.offer().tools().ok()?.listed(name).cloned()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let ttl_ms = self.list_ttl(&context);
        let tools = self.parts.offer().tools().map_err(|error| call::unlisted(&error))?;
        let (tools, next_cursor) = lists::page(&tools.listed, cursor(request).as_deref())?;
        Ok(ListToolsResult { next_cursor, ttl_ms, ..ListToolsResult::with_all_items(tools) })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let requester = self.requester(&context);
        self.answered(call::tool(self.place(), &requester, request, &context.ct)).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let requester = self.requester(&context);
        let state = Box::pin(task::get(self.place(), &requester, &request.task_id)).await?;
        Ok(GetTaskResult::new(state))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let UpdateTaskParams { task_id, input_responses, .. } = request;
        Box::pin(task::update(self.place(), &self.requester(&context), &task_id, input_responses)).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Box::pin(task::cancel(self.place(), &self.requester(&context), &request.task_id)).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let ttl_ms = self.list_ttl(&context);
        let (all, next_cursor) =
            lists::page(&lists::resources(&self.parts.offer())?, cursor(request).as_deref())?;
        Ok(ListResourcesResult { next_cursor, ttl_ms, ..ListResourcesResult::with_all_items(all) })
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let ttl_ms = self.list_ttl(&context);
        let (all, next_cursor) =
            lists::page(&lists::templates(&self.parts.offer()), cursor(request).as_deref())?;
        Ok(ListResourceTemplatesResult {
            next_cursor,
            ttl_ms,
            ..ListResourceTemplatesResult::with_all_items(all)
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (requester, uri) = (self.requester(&context), &request.uri);
        let read = self.answered(lists::read(self.place(), &requester, uri));
        let read = context.ct.run_until_cancelled(read).await;
        read.unwrap_or_else(|| Err(lists::cancelled(uri))).map(Into::into)
    }

    #[cfg(feature = "skills")]
    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let skills = self.parts.offer().skills.as_ref().map(SkillCatalog::skills).unwrap_or_default();
        let (skills, next_cursor) = lists::page(&skills, cursor(request).as_deref())?;
        Ok(ListSkillsResult { next_cursor, ..ListSkillsResult::with_all_items(skills) })
    }

    #[cfg(feature = "skills")]
    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let unknown = || lists::unknown_resource(&request.uri);
        self.parts.offer().skills.as_ref().ok_or_else(unknown)?.get_skill(&request.uri)
    }

    #[cfg(feature = "skills")]
    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let unknown = || lists::unknown_resource(&request.uri);
        self.parts.offer().skills.as_ref().ok_or_else(unknown)?.read_resource_directory(&request.uri)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let ttl_ms = self.list_ttl(&context);
        let (all, next_cursor) =
            lists::page(&lists::prompts(&self.parts.offer()), cursor(request).as_deref())?;
        Ok(ListPromptsResult { next_cursor, ttl_ms, ..ListPromptsResult::with_all_items(all) })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let requester = self.requester(&context);
        self.answered(lists::prompt(self.place(), &requester, request, &context.ct)).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        lists::complete(&self.parts.offer(), &request)
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.check_earlier(SET_LEVEL, &context)?;
        *self.log_level.lock().unwrap_or_else(PoisonError::into_inner) = request.level;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.check_earlier(SUBSCRIBE, &context)?;
        let uri = request.uri;
        if !self.has_resource(&uri) {
            return Err(lists::unknown_resource(&uri));
        }
        let mut watched = self.watched();
        if !watched.contains(&uri) {
            if watched.len() >= MAX_WATCHED {
                return Err(ErrorData::invalid_request(
                    "the session watches too many resources: unsubscribe some",
                    None,
                ));
            }
            watched.push(uri);
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.check_earlier(UNSUBSCRIBE, &context)?;
        self.watched().retain(|uri| *uri != request.uri);
        Ok(())
    }

    /// A session is notified of changes from here on.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let listener = self.session_listener.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(changes) = listener else { return };
        let (peer, watched) = (context.peer, Arc::clone(&self.watched));
        let ended = self.ended.clone();
        tokio::spawn(async move { ended.run_until_cancelled(changes.notify_session(&peer, &watched)).await });
    }

    /// rmcp acknowledges the subscription between this and [`Self::listen`].
    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.acknowledged().push((requested.clone(), self.parts.changes.listen()));
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.retain(|uri| self.has_resource(uri));
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let changes = self.listener(context.requested());
        tokio::select! {
            () = context.cancelled() => {}
            () = changes.notify_subscription(context.sink()) => {}
        }
        Ok(())
    }

    /// The protocol library passes on what it does not know, and requests whose parameters do not fit.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let (name, method) = (request.method.as_str(), short(&request.method, MAX_ECHO));
        let is_earlier = !self.requester(&context).is_asked_by_result;
        let has_skills = !self.parts.offer().skill_resources.is_empty();
        if METHODS.contains(&name)
            || is_earlier && EARLIER_METHODS.contains(&name)
            || has_skills && SKILL_METHODS.contains(&name)
        {
            return Err(ErrorData::invalid_params(format!("{UNFIT} `{method}`"), None));
        }
        Err(unknown_method(&method))
    }
}

fn unknown_method(method: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method: {method}"), None)
}

const SET_LEVEL: &str = "logging/setLevel";
const SUBSCRIBE: &str = "resources/subscribe";
const UNSUBSCRIBE: &str = "resources/unsubscribe";
/// The methods with parameters that only clients before 2026-07-28 have.
const EARLIER_METHODS: [&str; 3] = [SET_LEVEL, SUBSCRIBE, UNSUBSCRIBE];
/// The methods with parameters of a server with skills.
const SKILL_METHODS: [&str; 3] = ["skills/list", "skills/get", "resources/directory/read"];
/// The methods with parameters that all clients have.
const METHODS: [&str; 12] = [
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
    "tools/call",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "subscriptions/listen",
];
