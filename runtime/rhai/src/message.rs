//! A script's function as a hook on messages.

use std::sync::Arc;

use onionskin_core::content::ContentBlock;
use onionskin_core::message_hooks::{BoxError, Delivery, MessageHook, Participant, SentMessage};
use onionskin_core::model::{History, Message};
use onionskin_core::{RunContext, made};
use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::MessagePlace;
use serde_json::{Value, json};

use super::call_error::failed;
use super::code::{Code, FunctionSource, SetOnDrop, off_thread};
use super::env::Env;
use super::json::{from_script, to_script};
use super::limits::ScriptLimits;
use super::load_error::ScriptError;
use super::sandbox::Watch;

/// The parameters of a hook at each place.
const PLACES: [(MessagePlace, &[&str]); 4] = [
    (MessagePlace::BeforeSend, &["sender", "message", "recipient", "silent"]),
    (MessagePlace::UpdateState, &["state", "messages"]),
    (MessagePlace::LastReceived, &["message"]),
    (MessagePlace::BeforeReply, &["messages"]),
];

/// A hook on messages that is a function of a script: [`message_hook_from_code`](super::message_hook_from_code) makes it.
#[derive(Clone)]
pub struct ScriptMessageHook {
    code: Arc<Code>,
    /// The file of the script, as descriptions show it.
    file: Option<Arc<str>>,
    place: MessagePlace,
}

impl ScriptMessageHook {
    /// Reads a script.
    ///
    /// # Errors
    /// Returns an error if the script has a mistake, or if the function has the parameters of no place.
    pub(super) fn load(
        text: &str,
        func_name: Option<&str>,
        file: Option<String>,
        env: Env,
        limits: ScriptLimits,
    ) -> Result<Self, ScriptError> {
        let (code, place) = Code::load(text, func_name, env, limits, place)?;
        Ok(Self { code: Arc::new(code), file: file.map(Into::into), place })
    }

    /// The name of the function.
    pub fn name(&self) -> &str {
        &self.code.function
    }

    /// The place of the hook, which its parameters say: `update_agent_state`.
    pub fn place(&self) -> &'static str {
        self.place.word()
    }

    /// Calls the function.
    async fn call(&self, run: &RunContext, values: &[Value]) -> Result<Value, BoxError> {
        let unseen = |reason| format!("a script cannot see the message: {reason}");
        let values = values.iter().map(|value| to_script(value).map_err(unseen)).collect::<Result<_, _>>()?;
        let watch = Watch::new(run);
        let _dropped = SetOnDrop(Arc::clone(&watch.dropped));
        let (code, limits) = (Arc::clone(&self.code), &self.code.limits);
        let called = off_thread(limits.stack(), move || {
            Ok(code.call(&code.env, values, &watch)?.map(|value| from_script(&value)))
        });
        match called.await {
            Ok(Ok(value)) => Ok(value.map_err(|reason| self.unusable(&reason))?),
            Ok(Err(error)) => Err(match self.code.thrown(&error) {
                Some(reason) => reason.into(),
                None => failed(limits, self.name(), &error).to_string().into(),
            }),
            Err(exit) => Err(exit.to_string().into()),
        }
    }

    /// Calls the function for each text, with the values that `values` gives. An empty result says to drop the message.
    async fn texts(
        &self,
        run: &RunContext,
        texts: Vec<String>,
        values: impl Fn(String) -> Vec<Value>,
    ) -> Result<Option<Vec<String>>, BoxError> {
        let mut changed = Vec::with_capacity(texts.len());
        for text in texts {
            match (self.call(run, &values(text)).await?, self.place) {
                (Value::String(text), _) => changed.push(text),
                (Value::Bool(false), MessagePlace::BeforeSend) => return Ok(None),
                (_, MessagePlace::BeforeSend) => {
                    return Err(self.unusable("end it with `message`, or with `false` to drop the message"));
                }
                _ => return Err(self.unusable("end it with `message`")),
            }
        }
        Ok(Some(changed))
    }

    fn unusable(&self, reason: &str) -> BoxError {
        format!("the result of the hook `{}` cannot be used: {reason}", self.name()).into()
    }
}

/// The place whose parameters a function has.
fn place(found: &FunctionSource<'_>) -> Result<MessagePlace, ScriptError> {
    if let Some((place, _)) = PLACES.iter().find(|(_, params)| *params == found.params) {
        return Ok(*place);
    }
    let (name, (line, column)) = (found.name, found.place);
    let signature = |params: &[&str]| format!("`fn {name}({})`", params.join(", "));
    let known: Vec<_> =
        PLACES.iter().map(|(place, params)| format!("{} for `{place}`", signature(params))).collect();
    let reason = format!(
        "the parameters of a hook on messages say its place: {}; this is {}",
        known.join(", "),
        signature(found.params)
    );
    Err(ScriptError::Invalid { line, column, reason })
}

impl MessageHook for ScriptMessageHook {
    type Made = made::AtRunTime;

    fn shown_name(&self) -> Option<String> {
        Some(match &self.file {
            Some(file) => format!("{file}:{}", self.name()),
            None => self.name().to_owned(),
        })
    }

    fn is_before_send(&self) -> bool {
        self.place == MessagePlace::BeforeSend
    }

    async fn process_message_before_send(
        &self,
        run: &RunContext,
        sender: &Participant,
        message: &mut SentMessage,
        recipient: &Participant,
        silent: bool,
    ) -> Result<Delivery, BoxError> {
        if self.place != MessagePlace::BeforeSend {
            return Ok(Delivery::Send);
        }
        let mut texts = Vec::new();
        message.change_texts(|text| {
            texts.push(text.to_owned());
            None
        });
        let values =
            |text: String| vec![sender.name().into(), text.into(), recipient.name().into(), silent.into()];
        let Some(changed) = self.texts(run, texts, values).await? else { return Ok(Delivery::Drop) };
        let mut changed = changed.into_iter();
        message.change_texts(|_| changed.next());
        Ok(Delivery::Send)
    }

    async fn update_agent_state(&self, run: &RunContext, messages: &History) -> Result<(), BoxError> {
        if self.place != MessagePlace::UpdateState {
            return Ok(());
        }
        let state = run.session_state();
        let before = state.to_value();
        let Value::Object(after) = self.call(run, &[before.clone(), json!(messages)]).await? else {
            return Err(self.unusable("end it with `state`"));
        };
        for (key, value) in after {
            if before.get(&key) != Some(&value) {
                state.set(&key, value);
            }
        }
        Ok(())
    }

    async fn process_last_received_message(
        &self,
        run: &RunContext,
        message: &mut Message,
    ) -> Result<(), BoxError> {
        if self.place != MessagePlace::LastReceived {
            return Ok(());
        }
        let mut texts = Vec::new();
        each_text(message, |text| texts.push(text.clone()));
        let Some(changed) = self.texts(run, texts.clone(), |text| vec![text.into()]).await? else {
            return Ok(());
        };
        if changed != texts {
            let mut changed = changed.into_iter();
            each_text(message, |text| {
                if let Some(changed) = changed.next() {
                    *text = changed;
                }
            });
        }
        Ok(())
    }

    async fn process_all_messages_before_reply(
        &self,
        run: &RunContext,
        messages: &mut History,
    ) -> Result<(), BoxError> {
        if self.place != MessagePlace::BeforeReply {
            return Ok(());
        }
        let before = json!(&*messages);
        let after = self.call(run, std::slice::from_ref(&before)).await?;
        if after != before {
            *messages = serde_json::from_value(after)
                .map_err(|error| self.unusable(&format!("{error}; end it with `messages`")))?;
        }
        Ok(())
    }
}

/// Calls a function with each text of a message that the model reads.
fn each_text(message: &mut Message, mut function: impl FnMut(&mut String)) {
    match message {
        Message::User { content, .. } => {
            content.iter_mut().flat_map(ContentBlock::read_texts_mut).for_each(function);
        }
        Message::Assistant { text, .. } => function(text),
        Message::Tool { results, .. } => {
            for result in results {
                let content = Arc::make_mut(&mut result.content);
                content.iter_mut().flat_map(ContentBlock::read_texts_mut).for_each(&mut function);
            }
        }
    }
}
