"""Experiments: tables and figures of the papers, repeated; each says what was expected and whether it came out."""
