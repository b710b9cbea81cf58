"""Advice before anything is changed: what must be lost, and what could be asked instead."""
