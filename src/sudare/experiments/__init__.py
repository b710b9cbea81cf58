"""Experiments: the papers' tables and figures, reproduced; each states what was expected and whether it came out."""
