"""What all methods that form groups share: the rules for a group, refinement, and recoding of its cells."""

from sudare.deprecated import moved_names

__getattr__ = moved_names("sudare.anonymize.grouping", {"block_rules": "sudare.anonymize.grouping.recode"})
