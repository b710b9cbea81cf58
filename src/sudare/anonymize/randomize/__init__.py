"""Randomization: independent noise on every record; tables can be rebuilt, people cannot (Ikarashi et al., after 2011).

method    Randomize: noise calibrated so that the release is Pk-anonymous
domain    the range or the values of a column; converts its cells to numbers and back
plan      which mechanism each column gets
"""
