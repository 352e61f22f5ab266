//! X3D scenes, in XML and ClassicVRML, as event graphs.
//!
//! **Source:** ISO/IEC 19775-1 (architecture), 19776-1 (XML), 19776-2 (ClassicVRML), 14772-1 (VRML97).

pub mod script;
