"""Read baskets (set-valued data): lines, JSON, long tables, list columns, columns of sets."""
