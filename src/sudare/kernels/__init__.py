"""Kernels: compiled loops, arrays in and arrays out; they know no frames, no names and no texts.

Each has a plain Python twin in the tests.
"""
