"""Advice before anything is changed: what must be lost, and what to ask for instead."""
