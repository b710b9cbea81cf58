"""Noise and swaps, record by record."""
