"""Kernels: compiled loops with arrays in and arrays out; they know nothing of frames, names or texts.

Each has a plain Python twin in the tests.
"""
