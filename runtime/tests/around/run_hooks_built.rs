//! A9: what building an agent checks of run hooks.

use onionskin::declaration::AgentDeclaration;
use onionskin::run::InjectInRun;
use onionskin::run_hooks::{BoxError, RunHook, RunInput};
use onionskin::services::ServiceTypes;
use onionskin::{
    Agent, App, BuildError, Provided, RunContext, ScriptedModel, ScriptedTurn, State, agent, made,
};

#[derive(Clone)]
struct Till {
    cents: u32,
}

/// Asks for the state and a service.
struct Reporting;

impl RunHook for Reporting {
    type Made = made::AtRunTime<State<Till>>;

    async fn before_run(&self, run: &RunContext, input: &mut RunInput) -> Result<(), BoxError> {
        let till = State::<Till>::inject_in_run(run)?;
        till.update(|till| till.cents += 1);
        input.set_text(format!("{} {}", *Provided::<u8>::inject_in_run(run)?, till.latest().cents));
        Ok(())
    }

    fn services(taken: &mut ServiceTypes) {
        taken.add::<u8>();
    }
}

agent! {
    Clerk { instruction: "Answer.", state: Till }
    Other { instruction: "Answer.", default: true }
}

struct Declares;

impl Agent for Declares {
    const NAME: &'static str = "Declares";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Answer.").run_hook(Reporting)
    }
}

fn model() -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::say("{input}")])
}

#[tokio::test]
async fn a9_a_run_hook_works_on_the_state_and_the_services_of_its_agent() {
    let clerk = Clerk::builder().model(model()).state(Till { cents: 4 }).provide(7_u8).run_hook(Reporting);
    let clerk = clerk.build().await.unwrap();
    let session = clerk.session();
    assert_eq!(clerk.request("x").session(&session).run().await.unwrap().text, "7 5");
    assert_eq!(session.typed_state::<Till>().unwrap().cents, 5);
}

#[tokio::test]
async fn a9_a_service_of_a_run_hook_is_found_missing_by_the_build() {
    let clerk = Clerk::builder().model(model()).state(Till { cents: 4 }).run_hook(Reporting);
    let error = clerk.build().await.unwrap_err();
    assert!(
        matches!(&error, BuildError::NoService { part, service, .. }
            if part == "the run hook `Reporting`" && service.name() == "u8"),
        "{error}"
    );
    let declared = Declares::builder().model(model()).provide(7_u8).build().await.unwrap_err();
    assert!(matches!(&declared, BuildError::HookState { .. }), "{declared}");
}

#[tokio::test]
async fn a9_a_run_hook_on_another_state_is_found_by_the_build() {
    let app = App::builder()
        .agent::<Other>()
        .model(model())
        .provide(7_u8)
        .for_agent("Other", |agent| agent.run_hook(Reporting));
    let error = app.build().await.unwrap_err();
    assert!(
        matches!(&error, BuildError::HookState { agent, takes, .. }
            if agent == "Other" && takes.ends_with("Till")),
        "{error}"
    );
    let other =
        Other::builder().model(model()).provide(7_u8).for_agent("Other", |agent| agent.run_hook(Reporting));
    assert!(matches!(other.build().await.unwrap_err(), BuildError::HookState { .. }));
    let unknown =
        Other::builder().model(model()).provide(7_u8).for_agent("Othr", |agent| agent.run_hook(Reporting));
    let error = unknown.build().await.unwrap_err();
    assert!(error.to_string().contains("did you mean `Other`?"), "{error}");
}
