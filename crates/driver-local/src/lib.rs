//! Placeholder; replaced in this series.
