//! SOFA scene format, component registry, mesh readers and writers, and the gallery.
