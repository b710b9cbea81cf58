"""From released columns to the counts and transition matrices that a cross tabulation is rebuilt from."""
