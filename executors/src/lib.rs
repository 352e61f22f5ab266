//! The executors of Weft with threads: replay and stealing.
