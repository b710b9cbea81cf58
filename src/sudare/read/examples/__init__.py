"""Made-up tables to try things on."""
