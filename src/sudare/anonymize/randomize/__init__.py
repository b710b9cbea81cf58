"""Randomization: noise on every record by itself, from which tables can be rebuilt but not people (Ikarashi et al., after 2011).

method    Randomize: noise calibrated so that the release is Pk-anonymous
domain    the range or the values of a column, and its cells as numbers and back
plan      which mechanism each column gets
"""
