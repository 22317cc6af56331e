//! Services of direct calls and of unit tests.

use onionskin::services::ServiceError;
use onionskin::{Exit, Inject, Provided, ToolContext, call, testing};

use crate::{Account, Clock, Counter, clock, count, guarded, hour, now, owner};

#[tokio::test]
async fn t7_a_direct_call_takes_the_services_of_its_tool_value() {
    assert_eq!(call!(hour::spec().provide_shared(clock(3))).await.unwrap(), 3);
    assert_eq!(call!(owner::spec().provide(Account("Ada"))).await.unwrap(), "Ada");
    let both = now::spec().provide(Account("Ada")).provide_shared(clock(3));
    assert_eq!(call!(both.clone()).await.unwrap(), "Ada at 3");
    assert_eq!(both.call_blocking("{}").unwrap(), "Ada at 3");
    // Clones share the service.
    let counted = count::spec().provide(Counter::default());
    assert_eq!(call!(counted).await.unwrap(), 1);
    assert_eq!(call!(counted.clone()).await.unwrap(), 2);
    assert_eq!(call!(count::spec()).await.unwrap(), 0);
}

#[tokio::test]
async fn t7_a_direct_call_without_a_service_is_refused_before_its_hooks() {
    let error = call!(guarded::spec().provide(Account("Ada"))).await.unwrap_err();
    let Exit::Tool(error) = error else { panic!("{error:?}") };
    let missing = std::error::Error::source(&error).unwrap().downcast_ref::<ServiceError>().unwrap();
    assert_eq!(missing.service().name(), "dyn services::Clock");
    assert_eq!(
        missing.to_string(),
        "the tool `guarded`, called without an agent, has no service `dyn services::Clock`: provide it with \
         `.provide_shared(..)` of its `ToolSpec` or of the `ToolCaller`, in a test also of `testing::context`"
    );
    let refused = guarded::spec().provide(Account("")).provide_shared(clock(1));
    assert_eq!(call!(refused).await.unwrap_err().to_string(), "guarded needs an owner");
}

#[test]
fn t7_a_service_is_a_value_in_a_unit_test() {
    assert_eq!(hour(clock(4).into()), 4);
    assert_eq!(owner(&Provided::new(Account("Ada"))), "Ada");
    let cx = testing::context("now").provide_shared(clock(5)).provide(Account("Ada")).build();
    assert_eq!(cx.provided::<dyn Clock>().unwrap().hour(), 5);
    assert_eq!(cx.run().provided::<Account>().unwrap().into_shared().0, "Ada");
    assert!(Option::<Provided<Counter>>::inject(&cx).unwrap().is_none());
    let error = ToolContext::detached("now").provided::<Account>().unwrap_err();
    assert!(error.to_string().contains("provide it with `.provide(..)` of its `ToolSpec`"), "{error}");
}

#[test]
fn t7_a_service_is_not_shown() {
    assert_eq!(format!("{:?}", Provided::new(Account("secret"))), "Provided<services::Account>");
}
