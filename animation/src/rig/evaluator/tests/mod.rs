//! Tests of evaluation.

mod basics;
