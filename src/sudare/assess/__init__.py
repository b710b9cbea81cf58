"""Assess: blocks, privacy models and their verdicts, risk, and what is possible at all."""
