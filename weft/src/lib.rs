//! Interactive physics simulation on a dataflow task graph: the library front door and the program weft.
