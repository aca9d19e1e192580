//! A generated, evolving web of vertical sites with known truth.
