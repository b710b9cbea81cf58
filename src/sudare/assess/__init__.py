"""Assess: blocks, privacy models with their verdicts, risk, and what is possible at all."""
