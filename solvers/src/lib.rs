//! ODE solvers and linear solvers of Weft, written as sequences of visitors and loops.
