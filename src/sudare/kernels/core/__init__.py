"""What all kernels share: compilation and its cache, rules of groups, blocks, sorting, random words."""
