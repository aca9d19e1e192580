//! Plots
