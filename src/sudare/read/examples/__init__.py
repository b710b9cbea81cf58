"""Made-up tables for examples and trials."""
