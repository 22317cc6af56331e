//! Programs that a user of onionskin would write.
