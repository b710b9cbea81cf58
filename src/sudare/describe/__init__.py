"""Describe: the role, kind and hierarchy of each column, and the sensitive items of baskets."""
