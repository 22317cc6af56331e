//! Tests of the macro as a function from tokens to tokens.
