//! Programs that a user of onionskin would write.

pub mod show;
pub mod time_server;
