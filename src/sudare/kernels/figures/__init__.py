"""Figures for whole tables: sums over pairs of records, an attacker's guesses."""
