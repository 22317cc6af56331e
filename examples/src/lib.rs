//! Programs that a user of onionskin would write.

pub mod time_server;
