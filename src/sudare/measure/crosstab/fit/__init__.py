"""From counts and transition matrices to the estimate of a cross tabulation, and how far to trust it."""
