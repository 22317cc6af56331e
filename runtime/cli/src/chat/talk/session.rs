//! The session of the chat: a new one, or a stored one.

use std::io;

use onionskin_core::model::History;
use onionskin_core::sessions::SessionError;
use onionskin_core::{App, Session};

use super::{Next, Talk, aside, waits};
use crate::chat::past::{Before, Past};
use crate::chat::turn::{Used, say};
use crate::sessions::session_error;
use crate::signals::Signals;

impl<'s> Talk<'s> {
    /// Loads changed cards. If they have mistakes, these are shown, and the agent stays as it was.
    pub(super) async fn reload(&mut self) -> io::Result<Next> {
        if !self.watch.has_changed() {
            return Ok(Next::Continue);
        }
        let loaded = tokio::select! {
            biased;
            signal = self.signals.next() => return Ok(Next::Signal(signal)),
            loaded = self.source.app() => loaded,
        };
        match loaded {
            Ok(app) => {
                let opened = self.source.arguments.session.open(&app).await;
                let session = match opened {
                    Ok(opened) => opened,
                    Err(failure) => {
                        self.refuse(&format!("{}\nthe agent stays as it was", failure.text()));
                        return Ok(Next::Continue);
                    }
                };
                say("(the files of the agent have changed, and are loaded)")?;
                let session = match session {
                    Some(session) => session,
                    None => self.in_new_session(&app)?,
                };
                self.session = session;
                self.sum.allows_always = false;
                self.models = self.source.models(&app);
                let before = std::mem::replace(&mut self.app, app);
                tokio::spawn(async move { before.shutdown().await });
            }
            Err(failure) => self.refuse(&format!("{}\nthe agent stays as it was", failure.text())),
        }
        Ok(Next::Continue)
    }

    /// A session of the changed agent with this conversation.
    fn in_new_session(&mut self, app: &App) -> io::Result<Session> {
        let session = app.entry().session();
        let saved = self.session.save();
        if let Err(error) = session.restore(saved.clone()) {
            self.refuse(&format!("{error}\nthe agent begins with a new state"));
            session.restore(saved.without_states()).map_err(io::Error::other)?;
        }
        Ok(session)
    }

    /// Keeps the conversation for later chats.
    pub(super) fn keep(&mut self) {
        let Some(stored) = &self.stored else { return };
        match stored.keep_conversation(&self.session, &mut self.kept) {
            Ok(false) => {}
            Ok(true) => aside(
                "note: another chat has changed this conversation since this one read it: both are kept, as two conversations",
            ),
            Err(why) => {
                aside(&format!("warning: {why}"));
                self.stored = None;
            }
        }
    }

    /// Goes on with another conversation.
    pub(super) fn change_session(&mut self, session: Session) {
        let before = std::mem::replace(&mut self.session, session);
        self.past.keep_session(before, self.kept.clone(), self.paused.take());
        (self.last, self.sum) = (None, Used::default());
    }

    /// The id of the stored session.
    pub(super) fn stored_id(&self) -> Option<&'s str> {
        self.source.arguments.session.id()
    }

    /// Reads what other programs added to the stored session, and says whether there was something; none if it cannot be read.
    pub(super) async fn read_others(&mut self) -> io::Result<Option<bool>> {
        let before = self.session.history();
        let session = self.session.clone();
        if let Err(why) = on_session(self.signals, session.reload()).await {
            self.refuse(&why);
            return Ok(None);
        }
        let history = self.session.history();
        let is_changed = history != before;
        if is_changed {
            self.past = Past::new(&history);
            say(&format!("(another program has changed the session: it has {})", self.messages()))?;
        }
        self.paused = self.session.paused();
        Ok(Some(is_changed))
    }

    /// As [`Self::read_others`], before an input. False if it must wait.
    pub(super) async fn catch_up(&mut self) -> io::Result<bool> {
        if self.read_others().await?.is_none() {
            return Ok(false);
        }
        if let Some(paused) = &self.paused {
            let why = waits(paused);
            self.hint(&format!("the input is not sent: {why}"));
        }
        Ok(self.paused.is_none())
    }

    /// Keeps the input of a run that did not begin, for `/retry`; none was there if a paused run was to go on.
    pub(super) fn keep_unsent(&mut self, input: Option<String>, before: &History) {
        let history = self.session.history();
        if history != *before {
            // It began in the same moment.
            self.past = Past::new(&history);
            self.hint_at_input(before);
            return;
        }
        let then = match input {
            Some(_) => "`/retry` sends it again",
            None => "`/resume` asks again",
        };
        if input.is_some() {
            self.past.drop_input();
        }
        self.unsent = input;
        self.hint(&format!("nothing was sent, because another run of the session is in progress; {then}"));
    }

    /// Goes back to the conversation before the last change. A run that waits in a stored session is given up. What another program did last
    /// is not taken out before the user knows of it.
    pub(super) async fn undo(&mut self) -> io::Result<Option<Before>> {
        if self.stored_id().is_none() {
            return Ok(self.undo_here());
        }
        match self.read_others().await? {
            Some(false) => {}
            Some(true) => {
                self.hint("nothing is taken out: write it again for the last input that the session has now");
                return Ok(None);
            }
            None => return Ok(None),
        }
        let session = self.session.clone();
        let undone = async {
            if session.paused().is_some() {
                on_session(self.signals, session.give_up()).await?;
                self.past = Past::new(&session.history());
            }
            let undone = self.undo_here();
            on_session(self.signals, session.store()).await?;
            Ok::<_, String>(undone)
        };
        Ok(undone.await.unwrap_or_else(|why| {
            self.refuse(&why);
            None
        }))
    }

    /// As [`Self::undo`], in this process.
    fn undo_here(&mut self) -> Option<Before> {
        match self.past.undo(&self.session) {
            Some(Ok(mut before)) => {
                self.paused = before.paused.take();
                if let Some((session, kept)) = before.session.take() {
                    (self.session, self.kept) = (session, kept);
                }
                self.keep();
                Some(before)
            }
            Some(Err(error)) => {
                self.refuse(&error.to_string());
                None
            }
            None => {
                self.refuse("there is nothing to undo");
                None
            }
        }
    }
}

/// Works on a stored session. A signal ends the wait for a run elsewhere.
async fn on_session(
    signals: &mut Signals,
    work: impl Future<Output = Result<(), SessionError>>,
) -> Result<(), String> {
    tokio::select! {
        _ = signals.next() => Err("the session is as it was: another run is in progress in it".to_owned()),
        done = work => done.map_err(|error| session_error(&error)),
    }
}
