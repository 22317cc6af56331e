//! The program that a command line belongs to.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use onionskin_core::declaration::{AppBuilder, DynAgent};
use onionskin_core::servers::BoxError;
use onionskin_core::{Agent, BoxFuture};
use onionskin_loader::Registry;

use crate::failure::Failure;
use crate::settings::Settings;

pub(crate) type Setup =
    Arc<dyn Fn(AppBuilder) -> BoxFuture<'static, Result<AppBuilder, BoxError>> + Send + Sync>;

/// A program with a command line: its agents, the items that cards can name, and what the agents need. `onionskin::main!` makes it.
///
/// ```no_run
/// use onionskin::agent;
/// use onionskin::cli::Program;
///
/// agent! { Helper { instruction: "Help." } }
///
/// fn main() -> std::process::ExitCode {
///     Program::new("helper", "0.1.0").agent::<Helper>().main()
/// }
/// ```
#[must_use = "a program does nothing until `Program::main` is called"]
pub struct Program {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) about: &'static str,
    pub(crate) agents: Vec<DynAgent>,
    /// What the program registers itself; the ready program registers nothing.
    pub(crate) registry: Option<Registry>,
    pub(crate) setup: Option<Setup>,
    /// Those of the ready program. Other programs have the folders of the user alone.
    pub(crate) settings: Settings,
}

impl Program {
    /// Makes a program of this name and version, without agents.
    pub fn new(name: &'static str, version: &'static str) -> Self {
        Self {
            name,
            version,
            about: "",
            agents: Vec::new(),
            registry: None,
            setup: None,
            settings: Settings::default(),
        }
    }

    /// Sets the line that `--help` begins with.
    pub fn about(mut self, text: &'static str) -> Self {
        self.about = text;
        self
    }

    /// Adds an agent. Its children are added with it; add a child by itself only to ask it by name.
    pub fn agent<A: Agent>(mut self) -> Self {
        self.agents.push(DynAgent::from_type::<A>());
        self
    }

    /// Sets the items that cards of `--card` and the folder of `--workflow` can name. The paths of its files begin at the working directory.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = Some(registry);
        self
    }

    /// Sets the function that adds to the app what its agents need: servers, services, a model, states, an approver. It gives the
    /// builder, a `Result` with it, or a future of such a `Result`. It is called for each app that a command builds. `--model`,
    /// `--config` and `--root` win over what it sets.
    ///
    /// A panic of the function is an error of the command.
    ///
    /// ```no_run
    /// use onionskin::cli::Program;
    /// use onionskin::{Provided, agent, tool};
    ///
    /// struct Orders(String);
    ///
    /// /// Takes an order.
    /// #[tool]
    /// fn order(orders: Provided<Orders>) -> String {
    ///     orders.0.clone()
    /// }
    ///
    /// agent! { Desk { instruction: "Sell.", function_tools: [order] } }
    ///
    /// fn main() -> std::process::ExitCode {
    ///     Program::new("desk", "0.1.0")
    ///         .agent::<Desk>()
    ///         .setup(|app| async move {
    ///             let orders = tokio::fs::read_to_string("orders.csv").await?;
    ///             Ok::<_, std::io::Error>(app.provide(Orders(orders)))
    ///         })
    ///         .main()
    /// }
    /// ```
    pub fn setup<P: Prepared<M>, M>(
        mut self,
        setup: impl Fn(AppBuilder) -> P + Send + Sync + 'static,
    ) -> Self {
        let setup = Arc::new(setup);
        self.setup = Some(Arc::new(move |app| {
            let setup = Arc::clone(&setup);
            Box::pin(async move { setup(app).prepared().await })
        }));
        self
    }

    /// Whether it has agents and items of files alone, as `onionskin` does.
    pub(crate) fn is_ready_program(&self) -> bool {
        self.agents.is_empty() && self.registry.is_none() && self.setup.is_none()
    }

    /// The builder with what the program adds to it.
    pub(crate) async fn prepare(&self, app: AppBuilder) -> Result<AppBuilder, Failure> {
        let Some(setup) = self.setup.clone() else { return Ok(app) };
        // A task of its own: a panic ends the task.
        match tokio::spawn(async move { setup(app).await }).await {
            Ok(Ok(app)) => Ok(app),
            Ok(Err(error)) => Err(Failure::new(format!("the program's `setup` failed: {error}"))),
            Err(_) => Err(Failure::new("the program's `setup` panicked")),
        }
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("agents", &self.agents)
            .field("registry", &self.registry)
            .finish_non_exhaustive()
    }
}

/// What [`Program::setup`] may give: an [`AppBuilder`], a `Result` with one, or a future of such a `Result`. `M` tells them apart.
/// Programs do not implement it.
#[diagnostic::on_unimplemented(
    message = "`setup` must give an `AppBuilder`, a `Result` with one, or a future of such a `Result`, not `{Self}`",
    label = "give the builder: `|app| app.model(..)`"
)]
pub trait Prepared<M>: Send + 'static {
    /// The builder.
    ///
    /// Cancel safety: a dropped future drops what the setup had begun.
    fn prepared(self) -> BoxFuture<'static, Result<AppBuilder, BoxError>>;
}

/// The setup gives a builder.
#[derive(Debug)]
pub struct Builds(());

/// The setup can fail.
#[derive(Debug)]
pub struct Fails(());

/// The setup waits.
#[derive(Debug)]
pub struct Waits(());

#[diagnostic::do_not_recommend]
impl Prepared<Builds> for AppBuilder {
    fn prepared(self) -> BoxFuture<'static, Result<AppBuilder, BoxError>> {
        Box::pin(std::future::ready(Ok(self)))
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError> + Send + 'static> Prepared<Fails> for Result<AppBuilder, E> {
    fn prepared(self) -> BoxFuture<'static, Result<AppBuilder, BoxError>> {
        Box::pin(std::future::ready(self.map_err(Into::into)))
    }
}

#[diagnostic::do_not_recommend]
impl<F, E> Prepared<Waits> for F
where
    F: Future<Output = Result<AppBuilder, E>> + Send + 'static,
    E: Into<BoxError> + 'static,
{
    fn prepared(self) -> BoxFuture<'static, Result<AppBuilder, BoxError>> {
        Box::pin(async move { self.await.map_err(Into::into) })
    }
}
