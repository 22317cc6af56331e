//! A client of both bindings that knows no types of ours.

use std::time::Duration;

use reqwest::{Method, Response, StatusCode, Url};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Binding {
    Rpc,
    Rest,
}

#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) url: String,
    pub(crate) binding: Binding,
    pub(crate) user: Option<&'static str>,
}

/// An answer: the result, or the status of HTTP and the reason of the error.
pub(crate) type Answer = Result<Value, (u16, String)>;

pub(crate) fn both(url: &str) -> [Client; 2] {
    [Binding::Rpc, Binding::Rest].map(|binding| Client::new(url, binding))
}

pub(crate) fn message(text: &str) -> Value {
    json!({ "messageId": "m1", "role": "ROLE_USER", "parts": [{ "text": text }] })
}

/// A message to a task.
pub(crate) fn reply(task: &Value, text: &str) -> Value {
    let mut reply = message(text);
    reply["taskId"] = task["id"].clone();
    reply
}

pub(crate) fn state(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap().trim_start_matches("TASK_STATE_")
}

/// The text of the answer of a task.
pub(crate) fn answer(task: &Value) -> &str {
    task["artifacts"][0]["parts"][0]["text"].as_str().unwrap_or_default()
}

/// One word for an event of a stream.
pub(crate) fn word(event: &Value) -> String {
    if event["task"].is_object() {
        format!("task:{}", state(&event["task"]))
    } else if event["statusUpdate"].is_object() {
        format!("status:{}", state(&event["statusUpdate"]))
    } else {
        "artifact".to_owned()
    }
}

impl Client {
    pub(crate) fn new(url: &str, binding: Binding) -> Self {
        let http = onionskin_tls::http_client(&Url::parse(url).unwrap()).unwrap();
        let http = http.timeout(Duration::from_secs(20)).build().unwrap();
        Self { http, url: url.to_owned(), binding, user: None }
    }

    pub(crate) fn user(mut self, user: &'static str) -> Self {
        self.user = Some(user);
        self
    }

    async fn request(&self, method: Method, url: String, body: Option<Value>) -> Response {
        let mut request = self.http.request(method, url).header("a2a-version", "1.0");
        if let Some(user) = self.user {
            request = request.header("x-user", user);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        request.send().await.unwrap()
    }

    pub(crate) async fn rpc(&self, method: &str, params: Value) -> Response {
        let body = json!({ "jsonrpc": "2.0", "id": "r1", "method": method, "params": params });
        self.request(Method::POST, format!("{}/a2a", self.url), Some(body)).await
    }

    async fn rest(&self, method: Method, path: &str, body: Option<Value>) -> Response {
        self.request(method, format!("{}/a2a/rest/{path}", self.url), body).await
    }

    async fn read(&self, response: Response) -> Answer {
        let status = response.status();
        let body: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        match self.binding {
            Binding::Rpc => {
                assert_eq!(
                    (status, &body["jsonrpc"], &body["id"]),
                    (StatusCode::OK, &json!("2.0"), &json!("r1"))
                );
                match body.get("result") {
                    Some(result) => Ok(result.clone()),
                    None => Err((200, body["error"]["data"][0]["reason"].as_str().unwrap().to_owned())),
                }
            }
            Binding::Rest if status == StatusCode::OK => Ok(body),
            Binding::Rest => {
                assert_eq!(body["error"]["code"], status.as_u16());
                Err((status.as_u16(), body["error"]["details"][0]["reason"].as_str().unwrap().to_owned()))
            }
        }
    }

    pub(crate) async fn send_with(&self, message: Value, configuration: Value) -> Answer {
        let params = json!({ "message": message, "configuration": configuration });
        let response = match self.binding {
            Binding::Rpc => self.rpc("SendMessage", params).await,
            Binding::Rest => self.rest(Method::POST, "message:send", Some(params)).await,
        };
        self.read(response).await.map(|result| result["task"].clone())
    }

    pub(crate) async fn send(&self, message: Value) -> Answer {
        self.send_with(message, Value::Null).await
    }

    /// Sends a message, and returns the task that works on it.
    pub(crate) async fn begin(&self, text: &str) -> Value {
        self.send_with(message(text), json!({ "returnImmediately": true })).await.unwrap()
    }

    pub(crate) async fn get(&self, task: &Value) -> Answer {
        self.get_with(task, None).await
    }

    pub(crate) async fn get_with(&self, task: &Value, history: Option<i64>) -> Answer {
        let id = task["id"].as_str().unwrap();
        let response = match self.binding {
            Binding::Rpc => self.rpc("GetTask", json!({ "id": id, "historyLength": history })).await,
            Binding::Rest => {
                let query = history.map(|history| format!("?historyLength={history}")).unwrap_or_default();
                self.rest(Method::GET, &format!("tasks/{id}{query}"), None).await
            }
        };
        self.read(response).await
    }

    pub(crate) async fn list(&self, params: &[(&str, &str)]) -> Answer {
        let response = match self.binding {
            Binding::Rpc => {
                let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| json!(text));
                let params = params.iter().map(|(name, text)| {
                    let value = if *name == "pageToken" { json!(text) } else { value(text) };
                    ((*name).to_owned(), value)
                });
                self.rpc("ListTasks", Value::Object(params.collect())).await
            }
            Binding::Rest => {
                let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(params).finish();
                self.rest(Method::GET, &format!("tasks?{query}"), None).await
            }
        };
        self.read(response).await
    }

    pub(crate) async fn cancel(&self, task: &Value) -> Answer {
        let id = task["id"].as_str().unwrap();
        let response = match self.binding {
            Binding::Rpc => self.rpc("CancelTask", json!({ "id": id })).await,
            Binding::Rest => self.rest(Method::POST, &format!("tasks/{id}:cancel"), None).await,
        };
        self.read(response).await
    }

    pub(crate) async fn push(&self, task: &Value) -> Answer {
        let id = task["id"].as_str().unwrap();
        let config = json!({ "taskId": id, "url": "http://127.0.0.1:1/" });
        let response = match self.binding {
            Binding::Rpc => self.rpc("CreateTaskPushNotificationConfig", config).await,
            Binding::Rest => {
                self.rest(Method::POST, &format!("tasks/{id}/pushNotificationConfigs"), Some(config)).await
            }
        };
        self.read(response).await
    }

    async fn events(&self, response: Response) -> Result<Stream, (u16, String)> {
        let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
        if kind == "text/event-stream" {
            return Ok(Stream { response, rest: String::new(), binding: self.binding });
        }
        Err(self.read(response).await.unwrap_err())
    }

    pub(crate) async fn stream(&self, message: Value) -> Result<Stream, (u16, String)> {
        let params = json!({ "message": message });
        let response = match self.binding {
            Binding::Rpc => self.rpc("SendStreamingMessage", params).await,
            Binding::Rest => self.rest(Method::POST, "message:stream", Some(params)).await,
        };
        self.events(response).await
    }

    pub(crate) async fn subscribe(&self, task: &Value) -> Result<Stream, (u16, String)> {
        let id = task["id"].as_str().unwrap();
        let response = match self.binding {
            Binding::Rpc => self.rpc("SubscribeToTask", json!({ "id": id })).await,
            Binding::Rest => self.rest(Method::POST, &format!("tasks/{id}:subscribe"), None).await,
        };
        self.events(response).await
    }

    /// Waits until a task has this state.
    pub(crate) async fn until(&self, task: &Value, wanted: &str) -> Value {
        for _ in 0..200 {
            let task = self.get(task).await.unwrap();
            if state(&task) == wanted {
                return task;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the task is not {wanted}");
    }
}

pub(crate) struct Stream {
    response: Response,
    rest: String,
    binding: Binding,
}

impl Stream {
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.rest.split_once("\n\n") {
                let data =
                    event.strip_prefix("data: ").map(|data| serde_json::from_str::<Value>(data).unwrap());
                self.rest = String::from(rest);
                match (data, self.binding) {
                    (Some(data), Binding::Rpc) => return Some(data["result"].clone()),
                    (Some(data), Binding::Rest) => return Some(data),
                    (None, _) => continue,
                }
            }
            let chunk = self.response.chunk().await.unwrap()?;
            self.rest.push_str(str::from_utf8(&chunk).unwrap());
        }
    }

    pub(crate) async fn all(mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

/// The words of events.
pub(crate) fn words(events: &[Value]) -> Vec<String> {
    events.iter().map(word).collect()
}
