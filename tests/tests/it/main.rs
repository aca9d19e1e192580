//! Integration tests of the runtime and of the verticals as components.

mod forms;
mod misbehaving_guests;
mod runtime_service;
mod verticals;
